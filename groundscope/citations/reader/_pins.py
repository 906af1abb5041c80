"""What follows a citation: pin cites, and the parenthesis that explains it."""

import re

PIN_PAGE = r"(?:¶{1,2}\s?|\*)?\d{1,5}(?:[-‐‑–]\*?\d{1,5})?(?:\s?&?\s?nn?\.\s?\d{1,3}(?:[-–]\d{1,3})?)?"
PIN_PAGES = rf"{PIN_PAGE}(?!\d)(?:,\s{PIN_PAGE}(?!\w|\s?[A-Z§]|\s?\d|[-‐‑–]\w)){{0,4}}"
"""Pages after "at"; a number that begins another citation is none of them."""
_ASIDE = re.compile(r"\s?\(")
_REPORT = r"\d{1,4}\s(?=[A-Z])[A-Za-z0-9.’' ]{1,24}?\s\d{1,5}"
_PARALLEL = re.compile(rf"\s?\(\s?{_REPORT}(?:,\s(?:{PIN_PAGE}|{_REPORT})){{0,4}}\s?\)")
_NUMBER_BEFORE = re.compile(r"\d\s?$")
_WIDEST_PARALLEL = 120
_LONGEST_ASIDE = 600


def aside_at(text: str, end: int) -> tuple[int, int] | None:
    """The span inside an explanatory parenthesis after a citation; None if there is none."""
    # Not part of the citation: it may hold one itself ("quoting ...").
    if (m := _ASIDE.match(text, end)) and (close := _closing(text, m.end())) > m.end():
        return m.end(), close
    return None


def parallel_at(text: str, end: int) -> bool:
    """Whether a parenthesis that holds nothing but other reports of the decision follows: "2 U.S. 3 (3 Atl. 33)"."""
    return bool(_PARALLEL.match(text, end))


def closes_parallel(text: str, start: int, end: int) -> bool:
    """Whether the bracket behind a report ends a parenthesis of parallel reports that follows another report."""
    opening = text.rfind("(", max(0, start - _WIDEST_PARALLEL), start)
    m = _PARALLEL.match(text, opening) if opening > 0 else None
    return m is not None and m.end() == end + 1 and bool(_NUMBER_BEFORE.search(text, max(0, opening - 2), opening))


def _closing(text: str, at: int) -> int:
    depth = 1
    for i in range(at, min(len(text), at + _LONGEST_ASIDE)):
        depth += (text[i] == "(") - (text[i] == ")")
        if not depth:
            return i
    return -1
