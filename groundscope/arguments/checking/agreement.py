"""How far extractors and people agree on which factors stand in an argument, with 95 % intervals.

What is compared are cells: a factor of the catalogue in a case of an argument, named there or not. Precision and recall take what
a person says as the truth. Cells of one argument stay together in the bootstrap.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.arguments.checking.sample import argument_key
from groundscope.arguments.checking.store import FactorCheck
from groundscope.arguments.extraction import EXACT
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import CASES, Catalogue
from groundscope.statistics.bootstrap import Interval, by_group, limits, resampled_sums, resamples
from groundscope.statistics.raters import RaterAgreement, rater_agreement

Sets = Mapping[str, tuple[frozenset[str], ...]]
"""Factors of each case, by the key of the argument."""
_RESAMPLES = 1_000


class CheckedShare(NamedTuple):
    """A share, 0 to 1, with its interval; NaN where there is nothing to take a share of."""

    value: float
    interval: Interval


class CheckRow(NamedTuple):
    """An extractor, or a person, beside a person.

    Attributes:
        agreement: over cells; kappa is the figure to look at, since most cells are empty.
        precision: of what the first names, the share that the second names, too.
        recall: of what the second names, the share that the first names, too.
    """

    first: str
    second: str
    arguments: int
    agreement: RaterAgreement
    precision: CheckedShare
    recall: CheckedShare


def check_rows(found: Sequence[Judged], checks: Mapping[str, Mapping[str, FactorCheck]], catalogue: Catalogue) -> list[CheckRow]:
    """Compare each extractor with each person, and people with each other."""
    by_key = {argument_key(j): j for j in reversed(found)}
    exact: Sets = {key: j.exact.sets for key, j in by_key.items()}
    other: Sets = {key: j.other.sets for key, j in by_key.items() if j.other is not None}
    people: dict[str, Sets] = {person: {k: c.sets for k, c in mine.items() if k in by_key} for person, mine in checks.items()}
    pairs = [(title, p, sets, people[p]) for title, sets in ((EXACT, exact), ("model", other)) for p in people]
    pairs += [(p, q, people[p], people[q]) for p, q in combinations(people, 2)]
    return [row for pair in pairs if (row := _row(*pair, catalogue)) is not None]


def _row(first: str, second: str, mine: Sets, theirs: Sets, catalogue: Catalogue) -> CheckRow | None:
    both = [key for key in theirs if key in mine]
    if not both:
        return None
    ratings = np.array([_cells(sets, both, catalogue) for sets in (mine, theirs)])
    groups = [key for key in both for _ in range(len(CASES) * len(catalogue.factors))]
    draws = resamples(groups, _RESAMPLES)
    # One row a cell: named by both, by the first, by the second.
    named = np.stack([ratings[0] & ratings[1], ratings[0], ratings[1]], axis=1)
    total, drawn = named.sum(axis=0), resampled_sums(draws, by_group(named, groups))
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [
            CheckedShare(float(total[0] / total[i]), Interval.of(limits(drawn[:, 0] / drawn[:, i], len(both)))) for i in (1, 2)
        ]
    return CheckRow(first, second, len(both), rater_agreement(ratings, 2, groups, draws), *shares)


def _cells(sets: Sets, keys: Sequence[str], catalogue: Catalogue) -> NDArray[np.int64]:
    """(n,) 1 = named: by argument, then by case, then by factor."""
    return np.array([int(f.key in case) for key in keys for case in sets[key] for f in catalogue.factors], dtype=np.int64)
