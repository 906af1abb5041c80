"""The smallest set of parts for which something holds, found with few tests."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import combinations
from math import comb
from typing import NamedTuple

MOST_TESTS = 100


class Minimality(StrEnum):
    """How small a set is known to be."""

    SMALLEST = "smallest"
    """Every smaller set was tested."""
    IRREDUCIBLE = "irreducible"
    """No single member can be left out; a smaller set of other members may exist."""
    UNFINISHED = "unfinished"
    """The tests ran out; a part of it may do."""


class FoundSet(NamedTuple):
    """A set for which it holds."""

    members: tuple[int, ...]
    minimality: Minimality
    tests: int


class _TestsSpent(Exception):
    pass


class _Search:
    """Tests sets, each once, until so many were tested; `best` is the smallest for which it holds so far."""

    def __init__(self, ranked: Sequence[int], holds: Callable[[frozenset[int]], bool], most: int) -> None:
        self._holds, self._most = holds, most
        self._known: dict[frozenset[int], bool] = {}
        self.best = list(ranked)

    @property
    def tests(self) -> int:
        return len(self._known)

    @property
    def left(self) -> int:
        return self._most - self.tests

    def holds(self, members: Sequence[int]) -> bool:
        key = frozenset(members)
        if key not in self._known:
            if not self.left:
                raise _TestsSpent
            self._known[key] = self._holds(key)
        if self._known[key] and len(key) < len(self.best):
            self.best = list(members)
        return self._known[key]

    def shrink(self, ranked: Sequence[int]) -> None:
        """Make the best one irreducible."""
        if self.holds(()):
            return
        low, high = 0, min(1, len(ranked))
        while not self.holds(ranked[:high]):
            low, high = high, min(2 * high, len(ranked))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.holds(ranked[:middle]) else (middle, high)
        size = len(self.best) + 1
        while len(self.best) < size:
            size = len(self.best)
            for member in reversed(list(self.best)):
                self.holds([m for m in self.best if m != member])

    def shorter(self, ranked: Sequence[int]) -> Minimality:
        """Test all sets that are smaller than the best one, as far as the tests that are left suffice for a size."""
        for size in range(1, len(self.best)):
            if comb(len(ranked), size) > self.left:
                return Minimality.IRREDUCIBLE
            if any(self.holds(some) for some in combinations(ranked, size)):
                break
        return Minimality.SMALLEST


def smallest(ranked: Sequence[int], holds: Callable[[frozenset[int]], bool], most: int = MOST_TESTS) -> FoundSet | None:
    """Search for the smallest set of candidates for which something holds.

    First the shortest beginning of `ranked` that holds is looked for by doubling and halving; then members are left out one at
    a time, the last first, until none can be; then all smaller sets are tested if the tests that are left suffice for them.
    """
    if most < 2:
        raise ValueError(f"most must be at least 2, got {most}")
    search = _Search(ranked, holds, most)
    if not search.holds(ranked):
        return None
    try:
        search.shrink(ranked)
        known = search.shorter(ranked)
    except _TestsSpent:
        known = Minimality.UNFINISHED
    place = {member: i for i, member in enumerate(ranked)}
    return FoundSet(tuple(sorted(search.best, key=place.__getitem__)), known, search.tests)
