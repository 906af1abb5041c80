"""Factors that an argument ascribes to each case: three sets, by the exact extractor of this project or by another model.

Only the argument's own text goes in, never the scenario, as in the paper (Zhang et al. 2025); a factor that is mentioned
twice counts once. The paper extracts by a model alone; the exact extractor is this project's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from groundscope.arguments.attribution import attributed
from groundscope.arguments.mentions import find, wrong_side
from groundscope.arguments.types import CASES, Catalogue

EXACT = "exact"
"""The id of the exact extractor."""


class Mention(NamedTuple):
    """`plies[ply][start:end]` says the factor `key` of `cases`; of none where it is said to be absent."""

    ply: int
    start: int
    end: int
    key: str
    cases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was extracted.

    Attributes:
        mentions: with their places, where the exact extractor found them; a model gives none.
    """

    sets: tuple[frozenset[str], frozenset[str], frozenset[str]]
    mentions: tuple[Mention, ...] = ()
    note: str = ""

    @property
    def empty(self) -> bool:
        """Whether all three sets are: the argument uses no factor."""
        return not any(self.sets)


def of_sets(sets: Sequence[frozenset[str]], note: str = "") -> Extraction:
    """Make an extraction without places, as a model's is, of three sets of keys in the order of `CASES`."""
    current, tsc1, tsc2 = sets
    return Extraction((current, tsc1, tsc2), (), note)


def exact(plies: Sequence[str], catalogue: Catalogue) -> Extraction:
    """Extract by numbers and names; see `mentions` and `attribution`.

    Args:
        plies: the texts of an argument; offsets of mentions are into these.
        catalogue: whose names are looked for.

    Returns:
        The sets, and the mentions by ply and place, with half-open offsets in characters; a note counts those with a wrong side.
    """
    mentions: list[Mention] = []
    wrong = 0
    for number, text in enumerate(plies):
        matches = find(text, catalogue)
        wrong += sum(wrong_side(text, f, catalogue) for f in matches)
        mentions += [
            Mention(number, f.start, f.end, f.key, cases) for f, cases in zip(matches, attributed(text, matches), strict=True)
        ]
    current, tsc1, tsc2 = (frozenset(m.key for m in mentions if case in m.cases) for case in CASES)
    note = f"{wrong:,} of its mentions give a factor the wrong side; they count as that factor." if wrong else ""
    return Extraction((current, tsc1, tsc2), tuple(mentions), note)
