"""What pages repeat around their text: running heads and feet, the numbers that they print, and numbers of lines."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from groundscope.files._blocks import written
from groundscope.files.pdf_lines import TextLine, leading
from groundscope.text.values.numbers import roman_number

_ZONE = 3
"""Lines at the top and at the bottom that may be heads and feet."""
_NEAR = 3
"""Pages before and after that have the same head: books have one for each side."""
_SAME_PLACE = 3.0
"""Points by which a head may move from page to page."""
_FREE = 1.5
"""Of the usual distance of lines: how far a head stands from the text at least where only its place speaks for it."""
_ISOLATED = 1.0
"""Of a size: what stands between a page's number and the words beside it."""
_ROMAN = r"(?:(?=[ivx])x{0,3}(?:ix|iv|v?i{0,3}))"
_NUMBER = re.compile(rf"\d{{1,4}}|{_ROMAN}|{_ROMAN.upper()}")
_ALONE = re.compile(
    rf"[\W_]*(?:(?:page|seite|sheet|p\.)\s*)?(?P<number>\d{{1,4}}|{_ROMAN}|{_ROMAN.upper()})(?:\s*(?:/|of|von|\|)\s*\d{{1,4}})?[\W_]*",
    re.IGNORECASE,
)
"""A line that only numbers its page."""
_OF = re.compile(r"(?<!\S)(?:page\s+)?(?P<number>\d{1,4})\s?(?:/|of)\s?\d{1,4}(?!\S)", re.IGNORECASE)
_DIGITS = re.compile(rf"\d+|\b{_ROMAN}\b")
_DENSE = 4
"""Pages that one number may stand for."""
_LONGEST = 20
"""Characters of a page's name."""
_LEAST_NUMBERS, _LEAST_ALONE = 5, 10
"""Numbers of lines on a page, where another page has them too, and where none has."""


class PrintedNumber(NamedTuple):
    """A number that a page may have printed: its line, its kind, its value and how it is written."""

    line: TextLine
    roman: bool
    value: int
    words: str


def _value(words: str) -> int:
    """The value of a figure or of a Roman number; 0 for nothing."""
    return int(words) if words.isdigit() else roman_number(words.lower())


def without_line_numbers(pages: Sequence[Sequence[TextLine]]) -> list[list[TextLine]]:
    """Take out the numbers of lines in the left margin: they rise evenly, at even distances, left of all else."""
    columns = [_margin_numbers(lines) for lines in pages]
    sure = [len(c) for c in columns if len(c) >= _LEAST_NUMBERS and _is_even(c)]
    if len(sure) < 2 and max(sure, default=0) < _LEAST_ALONE:
        return [list(lines) for lines in pages]
    numbers = {id(line) for column in columns for line in column}
    rest = ([(line, line.words[1:] if id(line) in numbers else line.words) for line in lines] for lines in pages)
    return [[TextLine(words) if len(words) < len(line.words) else line for line, words in page if words] for page in rest]


def _margin_numbers(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines that begin with a number left of all other words."""
    begins = [line.words[0].text.isdigit() and len(line.words[0].text) <= _ZONE for line in lines]
    rest = [line.words[n].left for line, b in zip(lines, begins, strict=True) for n in (int(b),) if n < len(line.words)]
    edge = min(rest, default=0.0)
    return [line for line, b in zip(lines, begins, strict=True) if b and line.words[0].right < edge]


def _is_even(lines: Sequence[TextLine]) -> bool:
    steps = [int(b.words[0].text) - int(a.words[0].text) for a, b in pairwise(lines)]
    gaps = [b.base - a.base for a, b in pairwise(lines)]
    usual = median(gaps)
    even = sum(s == steps[0] > 0 and abs(g - usual) < usual / 4 for s, g in zip(steps, gaps, strict=True))
    return even >= 0.8 * len(steps)


def printed_numbers(pages: Sequence[Sequence[TextLine]], labels: Sequence[str]) -> list[PrintedNumber | None]:
    """The number that each page prints at its head or foot: they rise by one, or its label has it."""
    candidates = [list(_candidates(lines)) for lines in pages]
    votes: dict[tuple[bool, int], set[int]] = defaultdict(set)
    for n, numbers in enumerate(candidates):
        for c in numbers:
            votes[c.roman, c.value - n].add(n)
    printed: list[PrintedNumber | None] = [None] * len(pages)
    for (roman, offset), at in sorted(votes.items(), key=lambda v: -len(v[1])):
        # Numbers that pages print by chance rise with them on a few that are far apart.
        dense = len(at) > 1 and _DENSE * len(at) > max(at) - min(at)
        for n in at:
            same = next(c for c in candidates[n] if c.roman == roman and c.value - n == offset)
            sure = dense or same.words == labels[n] or (len(pages) == 1 and _ALONE.fullmatch(same.line.text))
            printed[n] = printed[n] or (same if sure else None)
    return printed


def _candidates(lines: Sequence[TextLine]) -> Iterator[PrintedNumber]:
    edges = [*lines[:_ZONE], *lines[max(_ZONE, len(lines) - _ZONE) :]]
    for line in edges:
        text = line.text
        if m := _ALONE.fullmatch(text) or _OF.search(text):
            spelled = [m["number"]]
        elif line is lines[0] or line is lines[-1]:
            cells = line.cells(max(_ISOLATED, line.wide))
            spelled = [c[0].text for c in (cells[0], cells[-1]) if len(cells) > 1 and len(c) == 1]
        else:
            continue
        for words in spelled:
            bare = words.strip("[]()-–—.")
            if bare and _NUMBER.fullmatch(bare) and _value(bare):
                yield PrintedNumber(line, not bare.isdigit(), _value(bare), bare)


def page_labels(printed: Sequence[PrintedNumber | None], labels: Sequence[str]) -> list[int | str]:
    """Name each page as it is printed, else as the file labels it, else by its place in the file.

    A page without a number between or beside numbered ones has the one that it would have. Names that come twice are no names.
    """
    names = [p.words if p else "" for p in printed]
    for roman in (False, True):
        for n, p in enumerate(printed):
            for step in (-1, 1) if p and p.roman == roman else ():
                at, value = n + step, (p.value if p else 0) + step
                while 0 <= at < len(names) and not names[at] and value > 0:
                    names[at] = written(value, ("upperRoman" if names[n].isupper() else "lowerRoman") if roman else "decimal")
                    at, value = at + step, value + step
    for chosen in (names, labels):
        # What has no number is named in brackets, as lawyers do.
        filled = [name or label or f"[{n}]" for n, (name, label) in enumerate(zip(chosen, labels, strict=True), 1)]
        if any(chosen) and len(set(filled)) == len(filled):
            return [int(name) if name.isdecimal() and len(name) < _LONGEST else name[:_LONGEST] for name in filled]
    return list(range(1, len(printed) + 1))


def running_lines(
    pages: Sequence[Sequence[TextLine]], printed: Sequence[PrintedNumber | None], body: float
) -> list[list[TextLine]]:
    """The lines of each page that are heads and feet, from its edges inward."""
    running: list[list[TextLine]] = []
    for n, lines in enumerate(pages):
        first = max(0, min(n - _NEAR, len(pages) - 2 * _NEAR - 1))
        near = (pages[m] for m in range(first, min(len(pages), first + 2 * _NEAR + 1)) if m != n)
        # A page that is there twice has no heads for that.
        others = [page for page in near if not _is_copy(page, lines)]
        usual = leading(lines)
        apart: list[TextLine] = []
        for edge in (lines[:_ZONE], lines[::-1][:_ZONE]):
            for line, after in zip(edge, [*edge[1:], None], strict=False):
                free = after is None or abs(after.base - line.base) > _FREE * usual
                if not _runs(line, others, printed[n], free=free, small=line.size <= body + 0.5):
                    break
                apart.append(line)
        whole = len(apart) >= len(lines) and not all(_ALONE.fullmatch(line.text) for line in apart)
        running.append([] if whole else apart)
    return running


def _is_copy(page: Sequence[TextLine], other: Sequence[TextLine]) -> bool:
    middle = len(page) // 2
    return len(page) == len(other) > 2 * _ZONE and page[middle].text == other[middle].text


def _runs(
    line: TextLine, others: Sequence[Sequence[TextLine]], printed: PrintedNumber | None, *, free: bool, small: bool
) -> bool:
    text = line.text
    if printed and printed.line is line and (free or _ALONE.fullmatch(text)):
        return True
    zones = [{o.text for o in (*x[:_ZONE], *x[-_ZONE:]) if abs(o.base - line.base) < _SAME_PLACE} for x in others]
    # Lines of a transcript may be alike at the same place; heads come back on at least every other page.
    if sum(text in zone for zone in zones) >= (1 if free else max(1, (len(others) + 1) // 3)):
        return True
    shape = _DIGITS.sub("#", text.lower())
    return free and small and any(_DIGITS.sub("#", o.lower()) == shape for zone in zones for o in zone)
