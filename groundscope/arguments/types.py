"""Types of 3-ply arguments: factors, a catalogue of them, cases and scenarios (Zhang et al. 2025, arXiv 2506.00694)."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple


class Side(StrEnum):
    """Whom a factor favours, and who won a case."""

    PLAINTIFF = "P"
    DEFENDANT = "D"

    @property
    def party(self) -> str:
        """In words."""
        return "plaintiff" if self is Side.PLAINTIFF else "defendant"


class Test(StrEnum):
    """What a scenario tests."""

    __test__ = False

    ARGUABLE = "arguable"
    REORDERED = "reordered"
    NON_ARGUABLE = "non-arguable"


CASES = ("current", "tsc1", "tsc2")
"""The three cases of a scenario, in the order of everything that has one value a case."""
CASE_TITLES = {"current": "Current case", "tsc1": "TSC1", "tsc2": "TSC2"}


@dataclass(frozen=True, slots=True)
class Factor:
    """A stereotypical fact that favours a side."""

    number: int
    name: str
    side: Side
    description: str = ""

    @property
    def key(self) -> str:
        """How sets hold it: `F4`."""
        return f"F{self.number}"

    @property
    def written(self) -> str:
        """As prompts and arguments write it: `F4 Agreed-not-to-disclose (P)`."""
        return f"F{self.number} {self.name} ({self.side.value})"


@dataclass(frozen=True)
class Catalogue:
    """The factors of a domain, in the order of their numbers."""

    name: str
    factors: tuple[Factor, ...]

    @cached_property
    def by_number(self) -> dict[int, Factor]:
        """Factors by their numbers."""
        return {f.number: f for f in self.factors}

    @cached_property
    def by_key(self) -> dict[str, Factor]:
        """Factors by their keys."""
        return {f.key: f for f in self.factors}

    def numbers(self, side: Side | None = None) -> list[int]:
        """List the numbers of factors."""
        return [f.number for f in self.factors if side in (None, f.side)]


class Precedent(NamedTuple):
    """A decided case: its factors' numbers in ascending order, and who won."""

    factors: tuple[int, ...]
    winner: Side


@dataclass(frozen=True, slots=True)
class Scenario:
    """A triple: a current case and two precedents (trade-secret cases, TSC).

    `complexity`: k of the draw: each case has k - 1 to k + 1 factors. 0 = not known. `draw`: scenarios that were made of one
    draw share it, and are resampled together.
    """

    id: str
    test: Test
    current: tuple[int, ...]
    tsc1: Precedent
    tsc2: Precedent
    complexity: int = 0
    draw: str = ""

    @property
    def cases(self) -> tuple[tuple[int, ...], ...]:
        """Factors of the three cases, in the order of `CASES`."""
        return self.current, self.tsc1.factors, self.tsc2.factors

    @property
    def keys(self) -> tuple[frozenset[str], ...]:
        """The same as keys of factors: what an argument may say of each case."""
        return tuple(frozenset(f"F{n}" for n in numbers) for numbers in self.cases)

    @property
    def size(self) -> int:
        """N_GT: factors of all three cases together."""
        return sum(map(len, self.cases))

    def won_by(self, side: Side) -> str | None:
        """Find the precedent that a side cites, `tsc1` or `tsc2`: the first that it won; None where it won none."""
        for name, case in (("tsc1", self.tsc1), ("tsc2", self.tsc2)):
            if case.winner is side:
                return name
        return None

    def shared(self, case: str) -> frozenset[int]:
        """Find the factors that a precedent shares with the current case."""
        return frozenset(self.current) & frozenset(self.cases[CASES.index(case)])
