"""What follows a citation: pin cites, and the parenthesis that explains it."""

import re

PIN_PAGE = r"(?:¶{1,2}\s?|\*)?\d{1,5}(?:[-‐‑–]\*?\d{1,5})?(?:\s?&?\s?nn?\.\s?\d{1,3}(?:[-–]\d{1,3})?)?"
PIN_PAGES = rf"{PIN_PAGE}(?!\d)(?:,\s{PIN_PAGE}(?!\w|\s?[A-Z§]|\s?\d|[-‐‑–]\w)){{0,4}}"
"""Pages after "at"; a number that begins another citation is none of them."""
_ASIDE = re.compile(r"\s?\(")
_LONGEST_ASIDE = 600


def aside_at(text: str, end: int) -> tuple[int, int] | None:
    """The span inside an explanatory parenthesis after a citation; None if there is none."""
    # Not part of the citation: it may hold one itself ("quoting ...").
    if (m := _ASIDE.match(text, end)) and (close := _closing(text, m.end())) > m.end():
        return m.end(), close
    return None


def _closing(text: str, at: int) -> int:
    depth = 1
    for i in range(at, min(len(text), at + _LONGEST_ASIDE)):
        depth += (text[i] == "(") - (text[i] == ")")
        if not depth:
            return i
    return -1
