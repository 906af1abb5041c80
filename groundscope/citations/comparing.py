"""Systems compared over a batch, and B-SIMs compared with each other and with people: means, differences, rank correlations.

Intervals are 95 % percentile intervals of the bootstrap over texts (`groundscope.statistics.bootstrap`). Differences of systems
are over the texts that both have, so they are paired.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, isnan, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.citations.fresco import FrescoScore
from groundscope.statistics.bootstrap import Interval, limits, resampled_sums, resamples

MEASURES = ("recall", "precision", "f1")
_TIE = 1e-9
_FEWEST = 3
"""Values below which no rank correlation is given."""
_DRAWS = 1_000


class SystemMean(NamedTuple):
    """Mean over texts with its interval; `left_out` texts had no score."""

    value: float
    interval: Interval
    of: int
    left_out: int


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One system: a mean of each measure, and how much its recall is above the first system's on the texts that both have."""

    system: str
    means: dict[str, SystemMean]
    above_first: SystemMean | None


def compare(scores: Mapping[str, Mapping[str, FrescoScore]], measure: str = "recall") -> tuple[SystemRow, ...]:
    """Compare systems by mean and by paired difference."""
    systems = list(scores)
    rows = []
    for system in systems:
        means = {m: _mean([getattr(s, m) for s in scores[system].values()]) for m in MEASURES}
        above = None
        if system != systems[0]:
            first = scores[systems[0]]
            shared = [i for i in scores[system] if i in first]
            above = _mean([getattr(scores[system][i], measure) - getattr(first[i], measure) for i in shared])
        rows.append(SystemRow(system, means, above))
    return tuple(rows)


class Leading(NamedTuple):
    """The systems with the highest mean recall over the `of` texts for which every system has a score; 0 = there is none."""

    systems: tuple[str, ...]
    value: float
    of: int


def leading(scores: Mapping[str, Mapping[str, FrescoScore]]) -> Leading:
    """Find all systems with the best mean recall over the same texts; means over different texts cannot be ranked.

    Without a text that all have, no system and a mean of NaN.
    """
    values = {s: {i: v for i, one in by_id.items() if not isnan(v := one.recall)} for s, by_id in scores.items()}
    shared = set.intersection(*(set(v) for v in values.values())) if values else set()
    if not shared:
        return Leading((), nan, 0)
    means = {s: fsum(v[i] for i in shared) / len(shared) for s, v in values.items()}
    best = max(means.values())
    return Leading(tuple(s for s, m in means.items() if best - m < _TIE), best, len(shared))


def _mean(values: Sequence[float]) -> SystemMean:
    numbers = np.array([v for v in values if not isnan(v)], dtype=np.float64)
    if not len(numbers):
        return SystemMean(nan, Interval(nan, nan), 0, len(values))
    drawn = resampled_sums(resamples(np.arange(len(numbers))), numbers[:, None])[:, 0] / len(numbers)
    low, high = limits(drawn, len(numbers))
    return SystemMean(float(numbers.mean()), Interval(float(low), float(high)), len(numbers), len(values) - len(numbers))


class Correlation(NamedTuple):
    """Rank correlation, -1..1; NaN if it is undefined, as for a constant side."""

    value: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """How two measures rank the same things."""

    first: str
    second: str
    of: int
    spearman: Correlation
    kendall: Correlation


def agreements(values: Mapping[str, Sequence[float]], groups: Sequence[str]) -> tuple[RankAgreement, ...]:
    """Compute the rank correlation of each measure with each later one.

    It is NaN where fewer than three values are known, or one side is constant; NaN is left out of pairs it is in. The
    bootstrap draws texts, by `groups`, with everything they hold.
    """
    arrays = {name: np.asarray(of, dtype=np.float64) for name, of in values.items()}
    return tuple(_agreement(a, b, arrays[a], arrays[b], groups) for a, b in combinations(arrays, 2))


def _agreement(a: str, b: str, x: NDArray[np.float64], y: NDArray[np.float64], groups: Sequence[str]) -> RankAgreement:
    rated = ~(np.isnan(x) | np.isnan(y))
    x, y = x[rated], y[rated]
    inside = [g for g, k in zip(groups, rated, strict=True) if k]
    whole = _ranks_agree(x, y)
    if len(x) < _FEWEST or isnan(whole[0]):
        none = Correlation(nan, Interval(nan, nan))
        return RankAgreement(a, b, len(x), none, none)
    members = [np.flatnonzero(np.array(inside, dtype=object) == g) for g in dict.fromkeys(inside)]
    drawn = []
    for draw in resamples(inside, _DRAWS):
        at = np.concatenate([np.repeat(m, times) for m, times in zip(members, draw, strict=True) if times])
        drawn.append(_ranks_agree(x[at], y[at]))
    ends = limits(np.array(drawn), len(members))
    spearman, kendall = (
        Correlation(value, Interval(float(low), float(high))) for value, (low, high) in zip(whole, ends, strict=True)
    )
    return RankAgreement(a, b, len(x), spearman, kendall)


def _ranks_agree(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float]:
    """Spearman's rho and Kendall's tau-b."""
    from scipy.stats import kendalltau, spearmanr

    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return nan, nan
    return float(spearmanr(x, y).statistic), float(kendalltau(x, y).statistic)
