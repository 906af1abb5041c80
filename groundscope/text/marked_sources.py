"""Passages that marks such as "[2]" and "(Source 2)" number.

This project's own rule, in no paper. Marks count passages from 1, unless the sources number themselves: by their titles, or at
the beginning of a line. Where several passages have one title, a mark may count titles too. What may be meant is never absent.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from groundscope.types import Passage

_LABEL = r"(?:source|document|doc|passage|excerpt|snippet|chunk|reference|result)s?\.?"
_TITLED = re.compile(rf"\W{{0,3}}(?:{_LABEL}\s{{0,2}})?#?\[?(?P<number>\d{{1,3}})(?:[\].):\s]|\Z)", re.IGNORECASE)
_LINE = re.compile(
    rf"^[^\w\n]{{0,3}}(?:{_LABEL}\s{{0,2}}#?\[?(?P<named>\d{{1,3}})\b|\[(?P<bare>\d{{1,3}})\])", re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class MarkedSources:
    """The passages that each number may mean, and the numbers that sources give themselves within their texts."""

    count: int
    by_number: Mapping[int, frozenset[int]]
    inside: frozenset[int]

    @classmethod
    def of(cls, context: Sequence[Passage], first: int = 1) -> "MarkedSources":
        """Number the passages of a context from 0 or 1 on."""
        numbers = defaultdict[int, set[int]](set)
        titles: dict[str, int] = {}
        names = [p.source for p in context]
        repeated = all(names) and len(set(names)) < len(names)
        inside = set[int]()
        for i, passage in enumerate(context):
            numbers[i + first].add(i)
            if repeated:
                numbers[titles.setdefault(passage.source, len(titles) + first)].add(i)
            if m := _TITLED.match(passage.source):
                numbers[int(m["number"])].add(i)
            inside |= {int(m["named"] or m["bare"]) for m in _LINE.finditer(passage.text)}
        return cls(len(context), {n: frozenset(found) for n, found in numbers.items()}, frozenset(inside))

    def absent(self, number: int) -> bool:
        """Whether no source has a number, in whatever way they are counted."""
        return number not in self.by_number and number not in self.inside

    def passages(self, number: int) -> frozenset[int] | None:
        """The passages that a number may mean; None where that is not known."""
        return None if number in self.inside else self.by_number.get(number)
