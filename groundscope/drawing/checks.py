"""Exact checks of a response as the heatmap draws them: the words, what was found of them, and the place to read."""

from collections.abc import Mapping, Sequence
from typing import Any

from groundscope.drawing.reader import passage_name
from groundscope.text.checks import TextCheck, check_words, checks
from groundscope.text.differences import ContextFacts
from groundscope.text.sentences import Unit, split
from groundscope.types import Case


def drawn_checks(
    case: Case, units: Sequence[Unit], corpus: ContextFacts, cited: Mapping[str, Any] | None
) -> list[list[dict[str, Any]]]:
    """List what exact checks found, by response sentence; a citation found in the context in another spelling is not missing."""
    here: dict[int, list[str]] = {}
    for c in cited["items"] if cited else ():
        if c["state"] == "here":
            here.setdefault(c["u"], []).append(c["text"])
    found = []
    for sentence, own in zip(split(case.response), checks(case, corpus, here), strict=True):
        text = case.response[sentence.start : sentence.end]
        found.append([{"text": text[c.start : c.end], "why": _why(case, c, units), "unit": c.stands} for c in own])
    return found


def _why(case: Case, check: TextCheck, units: Sequence[Unit]) -> str:
    return check_words(check, passage_name(case, units[check.stands].passage) if check.stands >= 0 else "")
