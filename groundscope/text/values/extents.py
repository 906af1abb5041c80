"""Where amounts of a text stand: in which sentence, and whether two of them are the ends of a range."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from groundscope.text.values.measures import is_span
from groundscope.text.values.types import Value, ValueKind

_END = re.compile(r"[.!?;]['\")]?\s+(?=[A-Z(\"'])|[。！？]|\n")
_BETWEEN = re.compile(r"\b(?:between|from|zwischen|von|entre|de|desde|tra|fra) [^\d\n]{0,12}\Z", re.IGNORECASE)
_AND = re.compile(r"\s(?:and|und|et|y|e|to|until|bis|à|a)\s(?:from )?")
_LONGEST_GAP = 12


class Extent(NamedTuple):
    """A range of amounts that a source states."""

    kind: ValueKind
    unit: str
    low: Value
    high: Value
    text: int


def sentence_numbers(text: str, values: Sequence[Value]) -> list[int]:
    """Number of the sentence in which each value stands; a rough cut is enough to call two values neighbours."""
    ends = [m.end() for m in _END.finditer(text)]
    return [bisect_right(ends, v.start) for v in values]


def extents(text: str, values: Sequence[Value], number: int) -> Iterator[Extent]:
    """Ranges of amounts of one kind and unit ("$5 to $10 million", "between 10 and 20 days")."""
    for value in values:
        if value.low is not None and value.high is not None and value.low < value.high and value.kind is not ValueKind.PROVISION:
            yield Extent(value.kind, value.unit, value, value, number)
    for low, high in pairwise(values):
        if low.low is None or high.high is None or not 0 < high.start - low.end <= _LONGEST_GAP or low.low >= high.high:
            continue
        if low.kind is not high.kind or low.unit != high.unit or low.kind in (ValueKind.PROVISION, ValueKind.ORDINAL):
            continue
        between = text[low.end : high.start].casefold()
        begins = _AND.fullmatch(between) and _BETWEEN.search(text, max(0, low.start - 20), low.start)
        if begins or is_span(between):
            yield Extent(low.kind, low.unit, low, high, number)
