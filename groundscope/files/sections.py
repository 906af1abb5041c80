"""A document's text -> its sections, each under its heading."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_LONGEST = 90
"""Characters of a line that can be a heading."""
_MOST_LINES = 3
"""Lines that one heading may have."""
_SIGNS = re.compile(
    r"""
    \#{1,6} \s+ \S                                                          # Markdown
    | (?: article | section | part | chapter | schedule | annex | appendix | exhibit | clause | title | rule | §+ )
      \s+ (?: \d[\w.\-]* | [ivxlc]+\b | [a-z]\b )
    | \d{1,3} (?: \.\d{1,3} ){0,4} [.)]? \s+ \S
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ENDS = (".", ",", ";", ":", "?", "!", "…")


class Section(NamedTuple):
    """A section: `text[start:end]`, its heading included; `title` is the heading on one line, empty where there is none."""

    start: int
    end: int
    title: str


def sections(text: str, marked: Sequence[int] = ()) -> list[Section]:
    """Cut a text before its headings.

    A heading is a line that the file marks as one, or a short line without a full stop that begins with a number, a word such as
    "Article", a Markdown sign, or is in capitals, and that no line goes on in lower case. Lines of headings that follow on each
    other, up to three, are one heading.
    """
    lines = list(_lines(text))
    heads = [_marked(marked, start, end) or _is_heading(text, lines, n) for n, (start, end) in enumerate(lines)]
    cut: list[Section] = []
    start, title, size = 0, "", 0
    for n, (first, last) in enumerate(lines):
        if not heads[n]:
            size = _MOST_LINES
        elif 0 < size < _MOST_LINES and title:
            title, size = f"{title} {_plain(text[first:last])}", size + 1
        else:
            cut.append(Section(start, first, title))
            start, title, size = first, _plain(text[first:last]), 1
    cut.append(Section(start, len(text), title))
    return [s for s in cut if text[s.start : s.end].strip()]


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Lines that are not blank."""
    start = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            yield start, start + len(line)
        start += len(line)


def _marked(marked: Sequence[int], start: int, end: int) -> bool:
    at = bisect_left(marked, start)
    return at < len(marked) and marked[at] < end


def _is_heading(text: str, lines: Sequence[tuple[int, int]], n: int) -> bool:
    line = text[slice(*lines[n])].strip()
    if len(line) > _LONGEST or line.endswith(_ENDS):
        return False
    after = text[slice(*lines[n + 1])].lstrip() if n + 1 < len(lines) else ""
    if line.startswith("#"):
        return bool(_SIGNS.match(line))
    if not after or after[0].islower():
        return False
    letters = [c for c in line if c.isalpha()]
    capitals = len(letters) > 3 and all(c.isupper() for c in letters)
    return capitals or bool(_SIGNS.match(line) and letters)


def _plain(line: str) -> str:
    return " ".join(line.strip().lstrip("#").split())[:_LONGEST]
