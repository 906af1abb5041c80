"""Whether a method ranks grounded above ungrounded better than chance: one rule for every page and report.

Supports are ranked by AUROC. Its interval comes from the bootstrap over queries (see `groundscope.statistics.bootstrap`), because
the sentences of one query's answers are alike; a perfect ranking is as sure as the queries of the rarer class are many. A method
is shown to be better than chance if the whole interval lies above 0.5.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundscope.statistics.bootstrap import Codes, Counts, Groups, Interval, group_codes, limits, resamples, widened
from groundscope.statistics.metrics import Array, Labels, assessed

CHANCE = 0.5
"""The AUROC of a coin."""
_BLOCK = 1 << 21
"""Weights that are worked on at once: 16 MB."""


class AurocEstimate(NamedTuple):
    """How well supports rank the grounded above the ungrounded.

    `auroc`: 0..1; NaN where only one class has supports. `interval`: of the AUROC, 95 %, by query; NaN with fewer than two
    queries.
    """

    auroc: float
    interval: Interval

    @property
    def better_than_chance(self) -> bool:
        """Whether it is shown; False where the interval reaches down to 0.5, or is not known."""
        return self.interval.low > CHANCE


UNKNOWN = AurocEstimate(float("nan"), Interval(float("nan"), float("nan")))
"""Of supports that rank nothing."""


def auroc_with_interval(gold: ArrayLike, supports: ArrayLike, groups: Groups, count: int = 2_000) -> AurocEstimate:
    """Compute the AUROC of supports with its interval.

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        supports: (n,) 0..1, NaN = none, left out.
        groups: (n,) the query of each.
        count: number of resamples.

    Returns:
        The AUROC and its interval.

    Raises:
        ValueError: lengths differ, or a label is neither 0 nor 1.
    """
    labels, values = assessed(gold, supports)
    codes = group_codes(groups)
    if len(codes) != len(np.asarray(supports)):
        raise ValueError(f"need a query for every support, got {len(codes)} for {len(np.asarray(supports))}")
    codes = group_codes(codes[~np.isnan(np.asarray(supports, dtype=np.float64))])
    if not len(values):
        return UNKNOWN
    draws = resamples(codes, count)
    whole, drawn = _drawn(labels, values, codes, draws)
    fewer = min(np.unique(codes[labels == label]).size for label in (0, 1))
    return AurocEstimate(whole, Interval.of(widened(limits(drawn, draws.shape[1]), fewer)))


def _drawn(labels: Labels, values: Array, codes: Codes, draws: Counts) -> tuple[float, Array]:
    """The AUROC of all rows, and those of (count,) resamples."""
    order = np.argsort(values, kind="stable")
    ties = np.flatnonzero(np.r_[True, np.diff(values[order]) > 0])
    labels, codes = labels[order], codes[order]
    step = max(1, _BLOCK // len(labels))
    areas = [_areas(labels, draws[at : at + step][:, codes].astype(np.float64), ties) for at in range(0, len(draws), step)]
    whole = _areas(labels, np.ones((1, len(labels))), ties)
    return float(whole[0]), np.concatenate(areas)


def _areas(labels: Labels, weights: Array, ties: NDArray[np.intp]) -> Array:
    """(count,) AUROC under (count, n) weights of supports in rising order; `ties` are the places at which a new value begins."""
    wrong = np.add.reduceat(np.where(labels == 0, weights, 0), ties, axis=1)
    sound = np.add.reduceat(np.where(labels == 1, weights, 0), ties, axis=1)
    below = np.cumsum(wrong, axis=1) - wrong
    pairs = wrong.sum(axis=1) * sound.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(pairs > 0, (sound * (below + wrong / 2)).sum(axis=1) / pairs, np.nan))
