"""Differences between methods, intervals of shares, and the Pareto front. statsmodels gives the intervals and McNemar's test.

McNemar's test assumes independent responses, which responses to one query are not; the bootstrap by query does not assume it, so
if the two disagree, trust the interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundscope.statistics.bootstrap import LEVEL, Draws, Groups, Interval, limits, resampled_scores
from groundscope.statistics.metrics import NAMES, Array, cells, checked_labels, score_arrays

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """Two methods on the same responses.

    Attributes:
        macro_f1: the first's macro-F1 less the second's, -1..1.
    """

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
    from statsmodels.stats.proportion import proportion_confint

    if not 0 <= successes <= total:
        raise ValueError(f"successes must lie in 0..total, got {successes} of {total}")
    if not total:
        return Interval(float("nan"), float("nan"))
    return Interval.of(proportion_confint(successes, total, alpha=1 - LEVEL, method="wilson"))


def clustered_wilson(successes: ArrayLike, totals: ArrayLike) -> Interval:
    """Wilson's 95 % interval of a share whose trials come in groups that are alike, such as the pairs of one question.

    Its number of trials is the effective one (Dean and Pagano 2015): as many independent trials as would vary like the groups
    do, by the linearised variance of a ratio. Unlike the bootstrap it has a width where all trials end alike.

    Args:
        successes: (g,) of each group.
        totals: (g,) trials of each group; groups without any do not count.

    Returns:
        The interval, inside 0 to 1; NaN with fewer than two groups.

    Raises:
        ValueError: successes do not lie in 0..total.
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


def mcnemar(gold: ArrayLike, first: ArrayLike, second: ArrayLike) -> float:
    """McNemar's two-sided p that two methods are right equally often; no verdict counts as wrong.

    It is the exact binomial test for any number of responses: cheap, and correct also if few responses distinguish the methods.

    Args:
        gold: (n,) labels, 1 = grounded, 0 = ungrounded.
        first: (n,) verdicts of the first method: 1, 0 or -1 = none.
        second: (n,) verdicts of the second.

    Returns:
        0 to 1, lower = less likely by chance; 1 if the methods are right on the same responses.

    Raises:
        ValueError: they differ in length, or a response is not labelled.
    """
    labels = checked_labels(gold)
    verdicts = np.asarray(first), np.asarray(second)
    if any(v.shape != labels.shape for v in verdicts):
        raise ValueError(f"need as many verdicts as labels, got {verdicts[0].size} and {verdicts[1].size} for {labels.size}")
    right = [v == labels for v in verdicts]
    return _exact(int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum()))


def _exact(only_first: int, only_second: int) -> float:
    from statsmodels.stats.contingency_tables import mcnemar as test

    return float(test([[0, only_first], [only_second, 0]], exact=True).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values by Holm's step-down method.

    Args:
        p_values: 0 to 1, of all tests of one comparison; may be empty.

    Returns:
        Adjusted p-values, 0 to 1, in the order given.
    """
    values = np.asarray(p_values, dtype=float)
    order = np.argsort(values, kind="stable")
    # statsmodels' own collects garbage at every call, which takes longer than the figures.
    stepped = np.minimum(values[order] * np.arange(len(values), 0, -1), 1.0)
    adjusted = np.empty(len(values))
    adjusted[order] = np.maximum.accumulate(stepped)
    return [float(p) for p in adjusted]


def compare_all(
    gold: ArrayLike, verdicts: ArrayLike, groups: Groups, draws: Draws, drawn: Mapping[int, Floats] | None = None
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

    Raises:
        ValueError: as `metrics.cells` and `bootstrap.resampled_scores`.
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
    ends = limits((resampled[first] - resampled[second]).T, draws.shape[1])
    right = (predicted == labels).astype(float)
    # [i, j]: how many responses method i gets right and method j does not.
    only = np.rint(right @ (1 - right).T).astype(int)
    p_values = [_exact(int(only[i, j]), int(only[j, i])) for i, j in pairs]
    return [
        MetricDifference(i, j, float(whole[i] - whole[j]), Interval.of(pair), p, adjusted)
        for (i, j), pair, p, adjusted in zip(pairs, ends, p_values, holm(p_values), strict=True)
    ]


class Front(NamedTuple):
    """Who is worth choosing.

    Attributes:
        beaten_by: for each method off the front the fastest member that is at least as good and at least as fast; -1 for members
            and for methods without both figures.
    """

    members: tuple[int, ...]
    beaten_by: tuple[int, ...]


def pareto_front(quality: Array, seconds: Array) -> Front:
    """Find the methods that no other one beats: no other method is at least as good and as fast, and better in one of the two.

    Args:
        quality: (m,) higher = better; NaN = not known.
        seconds: (m,) lower = better; NaN = not known.

    Returns:
        Places in 0..m-1; of equally fast members the first is the one with the smaller place.

    Raises:
        ValueError: the two differ in length.
    """
    if len(quality) != len(seconds):
        raise ValueError(f"need as many latencies as qualities, got {len(seconds)} and {len(quality)}")
    # A comparison with NaN is false: what is not known neither beats nor is beaten.
    as_good = (quality[:, None] >= quality[None, :]) & (seconds[:, None] <= seconds[None, :])
    better = (quality[:, None] > quality[None, :]) | (seconds[:, None] < seconds[None, :])
    beats = as_good & better
    measured = ~np.isnan(quality) & ~np.isnan(seconds)
    on_front = measured & ~beats.any(axis=0)
    members = sorted(np.flatnonzero(on_front), key=lambda i: (seconds[i], -quality[i], i))
    beaten_by = [next((int(j) for j in members if beats[j, i]), -1) for i in range(len(quality))]
    return Front(tuple(int(i) for i in members), tuple(beaten_by))
