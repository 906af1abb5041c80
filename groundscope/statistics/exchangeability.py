"""Whether two sets of queries could come from one population, judged by their supports: the assumption behind a promise.

Each query gives some figures, such as the mean of its supports. The figures of both sets are compared by the two-sample
Kolmogorov-Smirnov test of scipy, whose units are queries, because sentences of one query are alike; of several figures the
smallest p-value counts, times their number (Bonferroni).

A small p-value shows that the sets differ. A large one shows nothing: few queries hide large differences. And supports without
labels cannot show all of it: wrong sentences may get higher supports in one set while the supports altogether look alike.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

DIFFERENT = 0.05
"""Below this p-value the sets are said to differ."""
_EXACT = 1_000
"""Queries up to which the p-value is exact; beyond, its limit is as good."""


class Likeness(NamedTuple):
    """How alike two sets of queries are.

    `p`: p-value of "both come from one population"; NaN where a set has no query. `distance`: the largest gap between both
    shares of queries below a value, of the figure that differs most, 0 to 1.
    """

    p: float
    distance: float
    queries: tuple[int, int]

    @property
    def different(self) -> bool:
        """Whether the sets are shown to differ; False does not mean that they are alike."""
        return self.p < DIFFERENT

    @property
    def words(self) -> str:
        """What the test shows, for people."""
        if math.isnan(self.p):
            return "There are no supports to compare."
        p = "p < 0.001" if self.p < 0.001 else f"p = {self.p:.3f}"
        test = f"(Kolmogorov-Smirnov test by query, {p}; {self.queries[0]:,} and {self.queries[1]:,} queries)"
        if self.different:
            return f"The supports differ {test}, so the promise is not for these queries."
        return f"No difference between the supports was found {test}; that does not show that there is none."


def likeness(first: ArrayLike, second: ArrayLike) -> Likeness:
    """Compare the figures of two sets of queries.

    Args:
        first: (n, c) c figures of each query; queries with a NaN are left out.
        second: (m, c) likewise.

    Returns:
        The p-value and the distance.

    Raises:
        ValueError: the two have another number of figures.
    """
    # Here, as in `groundscope.statistics.risk`.
    from scipy.stats import ks_2samp

    ours, theirs = (np.asarray(v, dtype=np.float64) for v in (first, second))
    ours, theirs = (v[~np.isnan(v).any(axis=1)] if v.ndim == 2 else np.empty((0, 0)) for v in (ours, theirs))
    sizes = (len(ours), len(theirs))
    if not all(sizes):
        return Likeness(math.nan, math.nan, sizes)
    if ours.shape[1] != theirs.shape[1]:
        raise ValueError(f"need the same figures of both sets, got {ours.shape[1]} and {theirs.shape[1]}")
    exact = "exact" if max(sizes) <= _EXACT else "asymp"
    tests = [ks_2samp(one, other, method=exact) for one, other in zip(ours.T, theirs.T, strict=True)]
    worst = min(tests, key=lambda f: f.pvalue)
    return Likeness(min(1.0, float(worst.pvalue) * len(tests)), float(worst.statistic), sizes)
