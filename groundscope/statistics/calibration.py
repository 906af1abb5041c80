"""Whether a support of 0.8 means that 8 of 10 such responses are grounded, and how to make it mean that.

Measured by equal-width reliability bins, the expected calibration error (Guo et al. 2017) and the Brier score; fixed by isotonic
regression (Zadrozny and Elkan 2002) or Platt's scaling (Platt 1999), fitted on dev. Responses without a support (NaN)
are left out everywhere.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundscope.statistics._calibrator import Calibrator, How, fit
from groundscope.statistics.bootstrap import Groups, Interval, by_group, group_codes, limits, resampled_sums, resamples
from groundscope.statistics.metrics import Array, Labels, assessed
from groundscope.statistics.significance import wilson

__all__ = ["Bin", "Calibrator", "How", "IntervalEstimate", "Reliability", "brier", "ece", "fit", "reliability"]

RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Bin:
    """The responses whose support lies in `lower` (included) to `upper` (not included; in the last bin it is).

    Attributes:
        support: their mean; NaN in an empty bin.
        grounded: share of them that are grounded; NaN in an empty bin.
    """

    lower: float
    upper: float
    count: int
    support: float
    grounded: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Reliability:
    """A reliability diagram: equally wide bins over 0..1, and the number of responses without a support, which are in none."""

    bins: tuple[Bin, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """A value with its 95 % interval by the bootstrap over queries; NaN if no response has a support."""

    value: float
    interval: Interval


def reliability(gold: ArrayLike, supports: ArrayLike, bins: int = 10) -> Reliability:
    """Compare supports with the share of grounded responses.

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        supports: (n,) 0 to 1, NaN = none.
        bins: number of equally wide bins over 0 to 1.

    Returns:
        All bins in ascending order, empty ones too.

    Raises:
        ValueError: as `metrics.assessed`, or `bins` is below 1.
    """
    labels, values = assessed(gold, supports)
    edges = _edges(bins)
    place = _bin_of(values, edges)
    counts = np.bincount(place, minlength=bins)
    grounded = np.bincount(place, weights=labels, minlength=bins)
    totals = np.bincount(place, weights=values, minlength=bins)
    found = tuple(
        Bin(
            float(edges[i]),
            float(edges[i + 1]),
            n := int(counts[i]),
            float(totals[i]) / n if n else float("nan"),
            float(grounded[i]) / n if n else float("nan"),
            wilson(int(grounded[i]), n),
        )
        for i in range(bins)
    )
    return Reliability(found, np.size(supports) - labels.size)


def _edges(bins: int) -> Array:
    if bins < 1:
        raise ValueError(f"bins must be at least 1, got {bins}")
    return np.linspace(0.0, 1.0, bins + 1)


def _bin_of(values: Array, edges: Array) -> NDArray[np.int64]:
    return np.searchsorted(edges[1:-1], values, side="right")


def ece(
    gold: ArrayLike, supports: ArrayLike, groups: Groups, bins: int = 10, count: int = RESAMPLES, seed: int = 0
) -> IntervalEstimate:
    """Expected calibration error: the mean gap between support and share grounded over the bins, weighted by their size.

    Chance makes gaps too, so it comes out too high in small sets, and in resamples of them once more.
    The interval therefore is the basic bootstrap's, which takes that second excess as the measure of the first: on simulated
    sets of 150 responses with a true error of 0.07 it held the truth 9 times in 10, the percentile interval less than 2 times.

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        supports: (n,) 0 to 1, NaN = none.
        groups: (n,) the query of each response.
        bins: number of equally wide bins over 0 to 1.
        count: number of resamples.
        seed: of the resamples.

    Returns:
        The error, 0 to 1, lower = better, with its interval; NaN if no response has a support.

    Raises:
        ValueError: as `metrics.assessed`, `bins` is below 1, or there is not a query for every response.
    """
    labels, values, codes = _with_codes(gold, supports, groups)
    gaps = np.zeros((values.size, bins))
    gaps[np.arange(values.size), _bin_of(values, _edges(bins))] = values - labels
    value, drawn = _means(gaps, codes, count, seed)
    low, high = limits(drawn, codes.max(initial=-1) + 1)
    # Of a calibrated set all resamples lie above its own value, and what is reflected all below it.
    ends = np.clip([np.minimum(value, 2 * value - high), np.maximum(value, 2 * value - low)], 0, 1)
    return IntervalEstimate(value, Interval.of(ends))


def brier(gold: ArrayLike, supports: ArrayLike, groups: Groups, count: int = RESAMPLES, seed: int = 0) -> IntervalEstimate:
    """Brier score: the mean squared distance of the support from 1 (grounded) or 0 (ungrounded).

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        supports: (n,) 0 to 1, NaN = none.
        groups: (n,) the query of each response.
        count: number of resamples.
        seed: of the resamples.

    Returns:
        The score, 0 to 1, lower = better, with the percentile bootstrap's interval; NaN if no response has a support.

    Raises:
        ValueError: as `metrics.assessed`, or there is not a query for every response.
    """
    labels, values, codes = _with_codes(gold, supports, groups)
    value, drawn = _means(((values - labels) ** 2)[:, None], codes, count, seed)
    return IntervalEstimate(value, Interval.of(limits(drawn, codes.max(initial=-1) + 1)))


def _with_codes(gold: ArrayLike, supports: ArrayLike, groups: Groups) -> tuple[Labels, Array, NDArray[np.int64]]:
    if len(groups) != np.size(supports):
        raise ValueError(f"need a query for every response, got {len(groups)} for {np.size(supports)}")
    labels, values = assessed(gold, supports)
    known = ~np.isnan(np.asarray(supports, dtype=float))
    return labels, values, group_codes(group_codes(groups)[known])


def _means(parts: Array, codes: NDArray[np.int64], count: int, seed: int) -> tuple[float, Array]:
    """(n, c) parts of responses -> the sum of the parts' absolute totals over n: of the set, and (count,) of its resamples."""
    if not len(parts):
        return float("nan"), np.full(count, np.nan)
    table = np.column_stack([parts, np.ones(len(parts))])
    drawn = resampled_sums(resamples(codes, count, seed), by_group(table, codes))
    whole = table.sum(axis=0)
    return float(np.abs(whole[:-1]).sum() / whole[-1]), np.abs(drawn[:, :-1]).sum(axis=1) / drawn[:, -1]
