"""Whether two methods really differ, and how sure a share is. statsmodels gives the intervals and McNemar's test.

McNemar's test assumes independent responses, which responses to one query are not; the bootstrap by query does not assume it, so
if the two disagree, trust the interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundscope.statistics.bootstrap import LEVEL, Draws, Groups, Interval, limits, resampled_scores
from groundscope.statistics.metrics import NAMES, cells, checked_labels, score_arrays

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
    said = np.asarray(first), np.asarray(second)
    if any(v.shape != labels.shape for v in said):
        raise ValueError(f"need as many verdicts as labels, got {said[0].size} and {said[1].size} for {labels.size}")
    right = [v == labels for v in said]
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
    given = np.asarray(p_values, dtype=float)
    order = np.argsort(given, kind="stable")
    # statsmodels' own collects garbage at every call, which takes longer than the figures.
    stepped = np.minimum(given[order] * np.arange(len(given), 0, -1), 1.0)
    adjusted = np.empty(len(given))
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
    labels, said = checked_labels(gold), np.asarray(verdicts)
    pairs = list(combinations(range(len(said)), 2))
    if not pairs:
        return []
    tables = np.stack([cells(labels, row) for row in said])
    column = NAMES.index("macro_f1")
    whole = score_arrays(tables.sum(axis=1))[:, column]
    resampled = resampled_scores(tables, groups, draws)[:, :, column]
    for i, scores in (drawn or {}).items():
        resampled[i] = scores
    first, second = np.array(pairs).T
    ends = limits((resampled[first] - resampled[second]).T, draws.shape[1])
    right = (said == labels).astype(float)
    # [i, j]: how many responses method i gets right and method j does not.
    only = np.rint(right @ (1 - right).T).astype(int)
    p_values = [_exact(int(only[i, j]), int(only[j, i])) for i, j in pairs]
    return [
        MetricDifference(i, j, float(whole[i] - whole[j]), Interval.of(pair), p, adjusted)
        for (i, j), pair, p, adjusted in zip(pairs, ends, p_values, holm(p_values), strict=True)
    ]
