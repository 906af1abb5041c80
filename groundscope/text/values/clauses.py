"""Numbered clauses of a document ("5. Termination."), and ranges of sections: what a source has without a label of its own."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from groundscope.text.values.numbers import roman_number
from groundscope.text.values.provisions import provision_of, rank
from groundscope.text.values.types import Value, ValueKind

CLAUSE = "numbered clause"
"""Label of a clause that has none."""
CLAUSE_LABELS = frozenset("section clause paragraph article item subsection part".split())
"""Labels by which a text may call a numbered clause."""
_HEADING = re.compile(
    r"^[ \t]{0,12}(?:#{1,6} |- |\* )?(?:(?:(?i:article|section|clause|item|paragraph|part) )?"
    r"(?P<number>\d{1,3}(?:\.\d{1,3}){1,3}|(?:\d{1,3}|[IVXL]{1,7})(?=[.):]))[.):]{0,2}[ \t]{1,4}(?=[A-Z(\"'\[])"
    r"|\((?P<marked>\d{1,3})\) {0,4}(?=\w)|(?i:article) (?P<article>[IVXL]{1,7})\b)",
    re.MULTILINE,
)
_MARK = re.compile(r"\((?<![\w)].)(?P<first>[0-9a-z]{1,4})\)(?:\((?P<second>[0-9a-z]{1,4})\))?")
_LETTER = re.compile(r"[a-z]")
_RANGED = re.compile(r"\s?(?:-|–|\bto\b|\bthrough\b|\bbis\b|\bà\b)\s?(?:§{1,2}\s?)?")


def clauses(text: str) -> Iterator[tuple[str, int, int]]:
    """Number and place of each numbered clause of a text and of its marked parts: "2", "2(b)", "2(b)(1)"; linear in it."""
    headings = list(_HEADING.finditer(text))
    starts = [m.start() for m in headings]
    numbers = []
    for m in headings:
        written = m["number"] or m["marked"] or m["article"]
        number = written if written[0].isdecimal() else str(roman_number(written.lower()) or "")
        numbers.append(number)
        while number:
            yield number, m.start(), m.end()
            number = number.rpartition(".")[0]
    outer = at = ""
    for m in _MARK.finditer(text):
        i = bisect_right(starts, m.start()) - 1
        if i < 0 or not numbers[i] or headings[i]["marked"] == m["first"]:
            continue
        if numbers[i] != at:
            at, outer = numbers[i], ""
        first, second = m["first"], m["second"]
        yield f"{at}({first})", *m.span()
        if second:
            yield f"{at}({first})({second})", *m.span()
        elif outer:
            yield f"{at}({outer})({first})", *m.span()
        if len(first) == 1 and _LETTER.match(first) and (first != "i" or outer == "h"):
            outer = first


def section_ranges(text: str, values: Sequence[Value]) -> Iterator[tuple[Value, str, str]]:
    """The first value, the lower and the upper number of every range of provisions ("§§ 2000e to 2000e-17")."""
    read = [v for v in values if v.kind is ValueKind.PROVISION]
    for first, last in pairwise(read):
        low, high = provision_of(first).number, provision_of(last).number
        alike = first.unit == last.unit and 0 < last.start - first.end < 16
        if alike and _RANGED.fullmatch(text, first.end, last.start) and rank(low) < rank(high):
            yield first, low, high


def is_within(number: str, low: str, high: str) -> bool:
    """Whether a provision stands in a range of others; a subsection stands in its section."""
    ours, first, last = rank(number), rank(low), rank(high)
    kind = ours[:1] and ours[0][0] == first[0][0]
    return bool(kind) and first <= ours and ours[: len(last)] <= last
