"""Agreement of raters: share of equal ratings, Cohen's kappa, Krippendorff's alpha, 95 % intervals.

Kappa is of two raters (Cohen 1960), alpha of any number with ratings missing (Krippendorff 2011, nominal values). Both are 1
where raters always agree, 0 where they agree as often as by chance, and below 0 where less often. Intervals are percentile
bootstraps over queries: what is said of one query stays together. Where raters agree everywhere, Wilson's for none of the queries
with a disagreement stands in for that of the share, and what kappa and alpha are at its low end for theirs.

The error of an instrument that measures all things, of which people check some, is carried into the interval of its mean.
The mean of the measurements is corrected by the mean difference between what people and the instrument say of the checked
things: the difference estimator of double sampling (Cochran 1977), known as prediction-powered inference (Angelopoulos et al.,
Science 382, 2023). It assumes that the checked things are drawn at random, and of the instrument nothing.

The interval of the difference is that of Agresti and Min (2005) for matched shares, who count half a thing more in each of the
four ways in which two readers agree or differ, so that it has a width where no error was seen; `unit` carries it to other means.
Both intervals are combined as Zou and Donner (2008) do (MOVER), as if the measurements and their errors were independent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot, inf, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundscope.statistics.bootstrap import (
    LEVEL,
    Draws,
    Groups,
    Interval,
    by_group,
    group_codes,
    limits,
    resampled_sums,
    widened,
)
from groundscope.statistics.metrics import Array

Codes = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """Agreement of raters on the items that two or more of them rated.

    Attributes:
        share: of the pairs of ratings of one item, the share that is equal; NaN without items.
        kappa: Cohen's, of two raters; NaN for more of them, and where both give one and the same value everywhere.
        alpha: Krippendorff's; NaN without items, and where there is only one value.
        share_interval: 95 %, as the others; NaN where there is none.
    """

    items: int
    share: float
    kappa: float
    alpha: float
    share_interval: Interval
    kappa_interval: Interval
    alpha_interval: Interval


def rater_agreement(ratings: ArrayLike, values: int, groups: Groups, draws: Draws) -> RaterAgreement:
    """Compare raters.

    Args:
        ratings: (r, n) of n items by r raters: 0 to `values` - 1, or -1 where a rater gave none.
        values: how many values there are.
        groups: (n,) the query of each item.
        draws: of `groundscope.statistics.bootstrap.resamples` for the same groups.

    Returns:
        The figures.

    Raises:
        ValueError: a rating is no such value, or the draws are of another number of queries.
    """
    rated = np.asarray(ratings)
    if rated.size and not -1 <= rated.min() <= rated.max() < values:
        raise ValueError(f"ratings must lie in 0..{values - 1}, or be -1, got {rated.min()}..{rated.max()}")
    counts = (rated[:, :, None] == np.arange(values)).sum(axis=0)
    counts[counts.sum(axis=1) < 2] = 0
    sums = _pair_sums(counts)
    drawn = resampled_sums(draws, by_group(sums, groups))
    total = sums.sum(axis=0)[None]
    number = draws.shape[1]
    tables, kappas = np.zeros((1, values, values)), np.full(len(draws), np.nan)
    if len(rated) == 2:
        cells = _cells(rated, values)
        tables = cells.sum(axis=0).reshape(1, values, values)
        kappas = cohen_kappa(resampled_sums(draws, by_group(cells, groups)).reshape(-1, values, values))
    shares = limits(_share(drawn), number)
    wider = widened(shares, np.unique(group_codes(groups)[counts.sum(axis=1) > 0]).size)
    by_chance = float(((counts.sum(axis=0) / max(1, counts.sum())) ** 2).sum())
    return RaterAgreement(
        items=int((counts.sum(axis=1) > 0).sum()),
        share=float(_share(total)[0]),
        kappa=float(cohen_kappa(tables)[0]),
        alpha=krippendorff_alpha(counts),
        share_interval=Interval.of(wider),
        kappa_interval=_beyond_chance(limits(kappas, number), wider[0], by_chance),
        alpha_interval=_beyond_chance(limits(_alpha(drawn), number), wider[0], by_chance),
    )


def _beyond_chance(ends: Array, share: float, by_chance: float) -> Interval:
    """The interval of a figure that is 1 in all resamples, from the low end of the share; others as they are."""
    return Interval.of((1 - (1 - share) / (1 - by_chance), 1.0) if ends[0] == 1 and by_chance < 1 else ends)


def cohen_kappa(tables: ArrayLike) -> Array:
    """Compute Cohen's kappa.

    Args:
        tables: (..., c, c) how often the first rater gave the value of the row and the second that of the column.

    Returns:
        (...) kappa, -1 to 1; NaN without ratings, and where both give one and the same value everywhere, because chance alone
        would then agree always too.
    """
    counts = np.asarray(tables, dtype=np.float64)
    total = counts.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        same = np.trace(counts, axis1=-2, axis2=-1) / total
        chance = (counts.sum(axis=-1) * counts.sum(axis=-2)).sum(axis=-1) / total**2
        kappa: Array = np.where(chance < 1, (same - chance) / (1 - chance), np.nan)
    return kappa


def krippendorff_alpha(counts: ArrayLike) -> float:
    """Compute Krippendorff's alpha of nominal values, by the library of that name.

    Args:
        counts: (n, c) how many raters gave item i the value j; items with fewer than two ratings do not count.

    Returns:
        alpha, at most 1; NaN without items, and where there is only one value.
    """
    import krippendorff

    pairable = np.asarray(counts)
    pairable = pairable[pairable.sum(axis=1) > 1]
    if np.count_nonzero(pairable.sum(axis=0)) < 2:
        return float("nan")
    return float(krippendorff.alpha(value_counts=pairable, level_of_measurement="nominal"))


def _cells(rated: Codes, values: int) -> NDArray[np.int64]:
    """(n, c * c) one cell is 1 where both have rated."""
    cells = np.zeros((rated.shape[1], values * values), dtype=np.int64)
    both = np.flatnonzero((rated >= 0).all(axis=0))
    cells[both, rated[0, both].astype(np.int64) * values + rated[1, both]] = 1
    return cells


def _pair_sums(counts: NDArray[np.int64]) -> Array:
    """(n, c + 1) of each item: its ratings by value, and its equal pairs, both as the coincidence matrix counts them."""
    ratings = counts.sum(axis=1)
    equal = (counts * (counts - 1)).sum(axis=1) / np.maximum(ratings - 1, 1)
    return np.column_stack([counts, equal]).astype(np.float64)


def _share(sums: Array) -> Array:
    with np.errstate(invalid="ignore"):
        shares: Array = sums[:, -1] / sums[:, :-1].sum(axis=1)
    return shares


def _alpha(sums: Array) -> Array:
    values, equal = sums[:, :-1], sums[:, -1]
    total = values.sum(axis=1)
    different = total**2 - (values**2).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha: Array = np.where(different > 0, 1 - (total - 1) * (total - equal) / different, np.nan)
    return alpha


def corrected(
    value: float,
    interval: Interval,
    differences: Sequence[float],
    share: float = 1.0,
    unit: float = 1.0,
    lowest: float = 0.0,
) -> tuple[float, Interval]:
    """Correct a mean of measurements, and widen its interval by what is not known of their error.

    Args:
        value: the mean of all measurements, at most 1.
        interval: its 95 % interval, of sampling alone; NaN stays NaN.
        differences: (n,) of each checked thing, what people say less what was measured.
        share: of all things, those that can be measured wrongly, 0 to 1; the checked ones are of these.
        unit: the least difference that one error makes: 1 of a share, less where a thing has several parts.
        lowest: what the mean can be at least.

    Returns:
        The corrected mean and its interval, both from `lowest` to 1; without differences what was put in.
    """
    count = len(differences)
    if not count:
        return value, interval
    total, squares = sum(differences), sum(d * d for d in differences)
    shift, middle = total / count, total / (count + 2)
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * sqrt(squares + unit**2 - total**2 / (count + 2)) / (count + 2)
    mean = value + share * shift
    below, above = share * (shift - min(shift, middle - half)), share * (max(shift, middle + half) - shift)
    low, high = mean - hypot(value - interval.low, below), mean + hypot(interval.high - value, above)
    return _inside(mean, lowest), Interval(_inside(low, lowest), _inside(high, lowest))


def _inside(value: float, lowest: float = -inf) -> float:
    return value if value != value else min(1.0, max(lowest, value))
