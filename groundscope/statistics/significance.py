"""Differences between methods, and intervals of shares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from groundscope.statistics.bootstrap import LEVEL, Draws, Groups, Interval, limits, resampled_scores, resampled_sums, resamples
from groundscope.statistics.metrics import NAMES, Array, cells, checked_labels, score_arrays

_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """Two methods on the same responses. `macro_f1`: the first's macro-F1 less the second's, -1..1; `p`s as in `chances`."""

    first: int
    second: int
    macro_f1: float
    interval: Interval
    p: float
    adjusted_p: float


def wilson(successes: float, total: float) -> Interval:
    """Wilson's 95 % interval of a share.

    Args:
        successes: number of successes.
        total: number of trials.

    Returns:
        The interval of `successes / total`, inside 0 to 1; NaN without trials.

    Raises:
        ValueError: successes do not lie in 0..total.
    """
    if not 0 <= successes <= total:
        raise ValueError(f"successes must lie in 0..total, got {successes} of {total}")
    if not total:
        return Interval(float("nan"), float("nan"))
    share, z = successes / total, NormalDist().inv_cdf((1 + LEVEL) / 2)
    middle = share + z**2 / (2 * total)
    half = z * sqrt(share * (1 - share) / total + (z / (2 * total)) ** 2)
    ends = ((middle + side) / (1 + z**2 / total) for side in (-half, half))
    return Interval(*(min(max(end, 0.0), 1.0) for end in ends))


def clustered_wilson(successes: ArrayLike, totals: ArrayLike) -> Interval:
    """Wilson's 95 % interval of a share whose trials come in groups that are alike, such as the pairs of one question.

    Its number of trials is the effective one (Dean and Pagano 2015): as many independent trials as would vary like the groups
    do, by the linearised variance of a ratio. Unlike the bootstrap it has a width where all trials end alike.

    Args:
        successes: (g,) of each group.
        totals: (g,) trials of each group; groups without any do not count.

    Returns:
        The interval, inside 0 to 1; NaN with fewer than two groups.
    """
    right, of = np.asarray(successes, dtype=float), np.asarray(totals, dtype=float)
    right, of = right[of > 0], of[of > 0]
    groups, trials = len(of), float(of.sum())
    if groups < 2:
        return Interval(float("nan"), float("nan"))
    share = float(right.sum()) / trials
    variance = groups / (groups - 1) * float(((right - share * of) ** 2).sum()) / trials**2
    effective = min(trials, share * (1 - share) / variance) if variance > 0 else float(groups)
    return wilson(share * effective, effective)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values by Holm's step-down method.

    Args:
        p_values: 0 to 1, of all tests of one comparison; may be empty.

    Returns:
        Adjusted p-values, 0 to 1, in the order given.
    """
    values = np.asarray(p_values, dtype=float)
    order = np.argsort(values, kind="stable")
    stepped = np.minimum(values[order] * np.arange(len(values), 0, -1), 1.0)
    adjusted = np.empty(len(values))
    adjusted[order] = np.maximum.accumulate(stepped)
    return [float(p) for p in adjusted]


def compare_all(
    gold: ArrayLike, verdicts: ArrayLike, groups: Groups, draws: Draws, drawn: Mapping[int, Array] | None = None
) -> list[MetricDifference]:
    """Compare every pair of methods, each with every later one.

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        verdicts: (m, n) 1, 0 or -1 = none, a row a method.
        groups: (n,) the query of each response.
        draws: of `resamples` for the same groups.
        drawn: (count,) macro-F1 of each draw for some methods, by row, where rules are drawn as well; None = of the verdicts.

    Returns:
        m (m - 1) / 2 differences, in the order (0, 1), (0, 2), ..., (1, 2), ...
    """
    labels, predicted = checked_labels(gold), np.asarray(verdicts)
    pairs = list(combinations(range(len(predicted)), 2))
    if not pairs:
        return []
    tables = np.stack([cells(labels, row) for row in predicted])
    column = NAMES.index("macro_f1")
    whole = score_arrays(tables.sum(axis=1))[:, column]
    resampled = resampled_scores(tables, groups, draws)[:, :, column]
    for i, scores in (drawn or {}).items():
        resampled[i] = scores
    first, second = np.array(pairs).T
    differences, apart = whole[first] - whole[second], (resampled[first] - resampled[second]).T
    ends, ps = limits(apart, draws.shape[1]), chances(differences, apart, draws.shape[1])
    return [
        MetricDifference(i, j, float(difference), Interval.of(pair), float(p), float(adjusted))
        for (i, j), difference, pair, p, adjusted in zip(pairs, differences, ends, *ps, strict=True)
    ]


def chances(differences: ArrayLike, drawn: ArrayLike, groups: int) -> tuple[Array, Array]:
    """How likely chance alone makes differences as large, by the paired bootstrap: each alone, and adjusted over all of them.

    What a resample's difference adds to the real one is what chance makes. The adjusted p compares each difference, in standard
    errors, with the largest that chance makes among it and all smaller ones: the step-down of Romano and Wolf (2016).
    So the chance to call even one of the equal pairs different is about the level, whatever the pairs have in common. Standard
    errors of few queries come out small; they are widened as Student's t is wider than the normal distribution.

    Args:
        differences: (k,) of one comparison; NaN = none.
        drawn: (count, k) of the same resamples of queries; NaN counts as a difference larger than any.
        groups: number of queries that were drawn from; one query alone shows nothing of chance.

    Returns:
        (k,) two-sided p and (k,) adjusted p, 1 / (count + 1) to 1; lower = less likely by chance.
    """
    real, resampled = np.asarray(differences, dtype=np.float64), np.asarray(drawn, dtype=np.float64)
    if groups < 2:
        return np.ones(len(real)), np.ones(len(real))
    from scipy.stats import t

    count, error = len(resampled), _deviations(resampled)
    few = sqrt(groups / (groups - 1)) * float(t.ppf((1 + LEVEL) / 2, groups - 1)) / NormalDist().inv_cdf((1 + LEVEL) / 2)
    varies = error > _TIE
    with np.errstate(invalid="ignore", divide="ignore"):
        size = np.where(varies, np.abs(real) / (few * error), np.where(np.abs(real) > _TIE, np.inf, 0.0))
        noise = np.where(varies, np.abs(resampled - real) / error, 0.0)
    size[np.isnan(real)] = 0.0
    noise[np.isnan(resampled)] = np.inf
    order = np.argsort(-size, kind="stable")
    largest = np.maximum.accumulate(noise[:, order[::-1]], axis=1)[:, ::-1]
    adjusted = np.empty(len(size))
    adjusted[order] = np.maximum.accumulate((1 + (largest >= size[order] - _TIE).sum(axis=0)) / (count + 1))
    return (1 + (noise >= size - _TIE).sum(axis=0)) / (count + 1), adjusted


def _deviations(drawn: Array) -> Array:
    """The standard deviation of each column without its NaN; 0 where nothing is left."""
    there = ~np.isnan(drawn)
    counts = np.maximum(there.sum(axis=0), 1)
    means = np.where(there, drawn, 0.0).sum(axis=0) / counts
    return np.asarray(np.sqrt((np.where(there, drawn - means, 0.0) ** 2).sum(axis=0) / counts))


_EXACT = 14
"""Queries that differ up to which all swaps are worked out."""
_DRAWS = 20_000
_BLOCK = 1 << 21


class ShareChange(NamedTuple):
    """A share now and before, on the same queries; NaN where one side has nothing to count.

    `interval`: of `now - before`, 95 %, by the bootstrap over queries. `p`: one-sided, that the share rose by no more than
    what is allowed; low = it is worse. 1 without a difference to test.
    """

    before: float
    now: float
    interval: Interval
    p: float
    queries: int
    least_p: float

    @property
    def difference(self) -> float:
        """`now - before`; above 0 = more than before."""
        return self.now - self.before


def share_change(now: ArrayLike, before: ArrayLike, allowed: float = 0.0, seed: int = 0) -> ShareChange:
    """Randomisation test whether a share rose by more than what is allowed: it swaps the two sides of each query.

    Fisher's test for pairs (The Design of Experiments, 1935, section 21) on the difference of two ratios. Where nothing changed,
    the two sides of a query are alike but for chance, so that swapping them shows how large a difference chance makes. The level
    is exact then, whatever the shares, however many sentences an answer has. With a difference that is allowed, the share is
    lowered by it first, and the level is approximate.

    Args:
        now: (q, 2) what is counted and what it is counted of, by query.
        before: (q, 2) likewise, the queries in the same order.
        allowed: rise of the share that is no fault, 0..1.
        seed: of the random swaps and resamples.

    Returns:
        Both shares, the interval of their difference, and the p that it is at most what is allowed.

    Raises:
        ValueError: they are not of the same queries, or more is counted than there is.
    """
    sides = [np.asarray(side, dtype=np.float64).reshape(-1, 2) for side in (now, before)]
    if sides[0].shape != sides[1].shape:
        raise ValueError(f"need the same queries on both sides, got {len(sides[0])} and {len(sides[1])}")
    if any((side < 0).any() or (side[:, 0] > side[:, 1]).any() for side in sides):
        raise ValueError("what is counted must lie between 0 and what it is counted of")
    (wrong, of), (wrong_before, of_before) = (side.sum(axis=0) for side in sides)
    if not of or not of_before:
        return ShareChange(float("nan"), float("nan"), Interval(float("nan"), float("nan")), 1.0, len(sides[0]), 1.0)
    draws = resamples(np.arange(len(sides[0])), seed=seed)
    drawn = resampled_sums(draws, np.concatenate(sides, axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        ends = limits(drawn[:, 0] / drawn[:, 1] - drawn[:, 2] / drawn[:, 3], len(sides[0]))
    lowered = np.column_stack([sides[0][:, 0] - allowed * sides[0][:, 1], sides[0][:, 1]])
    p, least = _swapped(lowered, sides[1], seed)
    return ShareChange(wrong_before / of_before, wrong / of, Interval.of(ends), p, len(sides[0]), least)


def _swapped(now: Array, before: Array, seed: int) -> tuple[float, float]:
    """The share of swaps that make the difference at least as large as it is, and the lowest that it could have been."""
    apart = now - before
    moving = apart[(apart != 0).any(axis=1)]
    if not len(moving):
        return 1.0, 1.0
    totals = now.sum(axis=0), before.sum(axis=0)
    seen = _ratio(totals[0]) - _ratio(totals[1])
    if exact := len(moving) <= _EXACT:
        codes = np.arange(1 << len(moving))
        swaps = ((codes[:, None] >> np.arange(len(moving))) & 1).astype(np.float64)
        moved = swaps @ moving
    else:
        rng = np.random.default_rng(seed)
        step = max(1, _BLOCK // len(moving))
        parts = [rng.integers(0, 2, (min(step, _DRAWS - i), len(moving))) @ moving for i in range(0, _DRAWS, step)]
        moved = np.concatenate(parts)
    with np.errstate(invalid="ignore", divide="ignore"):
        differences = _ratio(totals[0] - moved) - _ratio(totals[1] + moved)
    # A swap that leaves one side with nothing to count (NaN) counts against a difference.
    larger = int((~(differences < seen - _TIE)).sum())
    most = len(differences)
    return (larger / most, 1 / most) if exact else ((larger + 1) / (most + 1), 1 / (most + 1))


def _ratio(sums: Array) -> Array:
    return np.asarray(sums[..., 0] / sums[..., 1])
