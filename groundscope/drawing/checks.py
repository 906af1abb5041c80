"""Exact checks of a response as the heatmap draws them: the words, what was found of them, and the place to read."""

from collections.abc import Mapping, Sequence
from typing import Any

from groundscope.drawing.reader import passage_name
from groundscope.text.checks import CheckKind, TextCheck, checks
from groundscope.text.differences import ContextFacts
from groundscope.text.sentences import Unit, split
from groundscope.types import Case

_SHORTEST_CITATION = 5


def drawn_checks(
    case: Case, units: Sequence[Unit], corpus: ContextFacts, cited: Mapping[str, Any] | None
) -> list[list[dict[str, Any]]]:
    """List what exact checks found, by response sentence; a citation found in the context in another spelling is not missing.

    Args:
        case: the one that was checked.
        units: its context sentences.
        corpus: the facts of its context.
        cited: its citations, as `citation_layer` makes them; None = there are none.

    Returns:
        For each response sentence its findings: `text`, `why`, and in `unit` the context sentence to read, -1 = none.
    """
    here: dict[int, list[str]] = {}
    for c in cited["items"] if cited else ():
        if c["state"] == "here":
            here.setdefault(c["u"], []).append(c["text"])
    found = []
    for i, (sentence, own) in enumerate(zip(split(case.response), checks(case, corpus), strict=True)):
        text = case.response[sentence.start : sentence.end]
        drawn = []
        for check in own:
            words = text[check.start : check.end]
            if check.kind is CheckKind.MISSING and len(words) >= _SHORTEST_CITATION and any(words in t for t in here.get(i, ())):
                continue
            drawn.append({"text": words, "why": _why(case, check, units), "unit": check.stands})
        found.append(drawn)
    return found


def _why(case: Case, check: TextCheck, units: Sequence[Unit]) -> str:
    """What a check found of some words, to stand after them."""
    if check.kind is CheckKind.MISSING:
        return "stands nowhere in the sources"
    place = passage_name(case, units[check.stands].passage) if check.stands >= 0 else ""
    if check.kind is CheckKind.COURT:
        return f"is no court that {place} names" if place else "is no court that this source names"
    return f"is another source than the one that holds most words of this sentence: {place}"
