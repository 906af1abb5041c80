"""Where the words of one part of a citation stand in its text."""

import re

from groundscope.citations.types import Citation

_LAST = ("year", "court", "pin cite", "edition")
_NAMES = ("first party", "second party", "order of the parties")


def part_span(text: str, citation: Citation, part: str, words: str) -> tuple[int, int] | None:
    """Where a citation says one part, named as in `Differs.part`; spaces may differ in `text`.

    None if the citation itself does not state the part, as an Id. states no year.
    """
    named = part in _NAMES
    start, end = (citation.outer, citation.start) if named else (citation.start, citation.end)
    found = _found(text, words, start, end)
    if not found:
        return None
    if part in _LAST:
        return found[-1]
    if part in ("page", "section"):
        after = [f for f in found if f[0] >= _end_of_reporter(text, citation)]
        return (after or found)[0]
    return found[-1] if part == "second party" else found[0]


def _found(text: str, words: str, start: int, end: int) -> list[tuple[int, int]]:
    """Every place of words in a span, however they are spaced there."""
    tokens = re.findall(r"\w+|[^\w\s]", words)
    if not tokens:
        return []
    left, right = (r"(?<!\w)" if tokens[0][0].isalnum() else ""), (r"(?!\w)" if tokens[-1][-1].isalnum() else "")
    pattern = re.compile(left + r"\s*".join(map(re.escape, tokens)) + right)
    return [m.span() for m in pattern.finditer(text, start, end)]


def _end_of_reporter(text: str, citation: Citation) -> int:
    found = _found(text, citation.parts.reporter, citation.start, citation.end)
    return found[0][1] if found else citation.start
