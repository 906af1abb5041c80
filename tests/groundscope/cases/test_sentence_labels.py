"""Labels of sentences: what the labels of a case tell of each, and nothing more."""

from groundscope.cases.sentence_labels import sentence_labels
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorSpan, ErrorType, Passage

RESPONSE = "# Outcome\n\nHe paid the rent. She left the house.\n\n1. The court sat in May."
PLACES = [(s.start, s.end) for s in split(RESPONSE)]


def _labels(grounded: bool | None, *errors: tuple[int, int], unsupported: tuple[tuple[int, int], ...] = ()) -> list[bool] | None:
    spans = tuple(ErrorSpan(a, b, ErrorType.REASONING_ERROR) for a, b in errors)
    made = Case("c", "q", (Passage("p", "He paid."),), RESPONSE, grounded=grounded, errors=spans, unsupported=unsupported)
    return sentence_labels(made)


def test_a_span_makes_the_sentences_wrong_that_it_touches() -> None:
    assert len(PLACES) == 4
    one, two = PLACES[1], PLACES[2]
    assert _labels(True) == [True, True, True, True]
    assert _labels(False, (one[0], one[0] + 1)) == [True, False, True, True]
    assert _labels(False, (one[1] - 1, one[1])) == [True, False, True, True]
    assert _labels(False, (one[1] - 1, two[0] + 1)) == [True, False, False, True]
    # The space between two sentences belongs to neither.
    assert _labels(False, (one[1], two[0] + 1)) == [True, True, False, True]
    assert _labels(False, one, PLACES[3]) == [True, False, True, False]


def test_spans_without_a_type_count_too() -> None:
    assert _labels(False, unsupported=(PLACES[2],)) == [True, True, False, True]
    assert _labels(False, PLACES[1], unsupported=(PLACES[2],)) == [True, False, False, True]
    assert _labels(True, unsupported=(PLACES[2],)) == [True, True, False, True]


def test_what_no_one_labelled_is_not_known() -> None:
    assert _labels(None) is None
    assert _labels(None, PLACES[1]) is None
    assert _labels(False) is None
    # Wrong somewhere, and in no sentence: it is not known where.
    assert _labels(False, (PLACES[1][1], PLACES[1][1] + 1)) is None
