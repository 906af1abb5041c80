"""Labels of sentences, as far as they follow from a case's own labels."""

from groundscope.text.sentences import split
from groundscope.types import Case


def sentence_labels(case: Case) -> list[bool] | None:
    """Whether each sentence of the response is supported, headings included.

    Args:
        case: a sentence counts as not supported if one of its error spans, typed or not, touches it.

    Returns:
        One a sentence, in order; None where that is not known: the case has no label, or is ungrounded without saying in which
        sentence.
    """
    wrong = [(e.start, e.end) for e in case.errors] + list(case.unsupported)
    if case.grounded is None or (not case.grounded and not wrong):
        return None
    found = [not any(a < s.end and s.start < b for a, b in wrong) for s in split(case.response)]
    return None if all(found) and not case.grounded else found
