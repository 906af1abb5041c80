"""Power by simulation: how many labelled responses it takes to distinguish two methods or pipelines.

Sets of so many queries are drawn from those of a run, with replacement, and in each the difference is tested by its standard
error over queries: of macro-F1 linearised, as that of a ratio (Cochran 1977, chapter 6), of a share as that of a mean. The share
of sets in which the interval leaves out 0 is the power. It holds if the methods differ as much as they do here, or as much as is
asked, and under the same rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundscope.statistics.bootstrap import Groups, by_group
from groundscope.statistics.metrics import CELLS, Array

WANTED = 0.8
"""The power that is usually asked for."""
_NORMAL = 1.959964
"""Of the standard normal distribution 95 % lie between minus this and this."""


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """How often sets of some sizes distinguish two methods.

    `power`: (k,) share of sets in which the one that is ahead here is shown to be ahead, 0 to 1. `difference`: of macro-F1
    here, the first's less the second's; NaN where a class is not there.
    """

    queries: NDArray[np.int64]
    responses: Array
    power: Array
    difference: float

    def enough(self, target: float = WANTED) -> float:
        """How many responses give a power above 0 and below 1, between the sizes by the logarithm; NaN where none is enough."""
        reached = np.flatnonzero(self.power >= target)
        if not len(reached):
            return float("nan")
        at = int(reached[0])
        if at == 0:
            return float(self.responses[0])
        share = (target - self.power[at - 1]) / (self.power[at] - self.power[at - 1])
        ends = np.log(self.responses[at - 1 : at + 1])
        return float(np.exp(ends[0] + share * (ends[1] - ends[0])))


def power_curve(first: ArrayLike, second: ArrayLike, groups: Groups, sizes: Sequence[int], count: int = 2_000) -> PowerCurve:
    """Simulate how often two methods are distinguished.

    Args:
        first: (n, 6) cells of responses under the first method.
        second: (n, 6) of the same responses under the second.
        groups: (n,) the query of each response.
        sizes: how many queries a set has, each 2 or more.
        count: sets of each size.

    Returns:
        The power at every size; 0 where both have the same macro-F1.

    Raises:
        ValueError: there is not a query for every response.
    """
    sums = by_group(np.concatenate([np.asarray(first), np.asarray(second)], axis=1), groups).astype(np.float64)
    whole = _differences(sums.sum(axis=0)[None])[0][0]
    queries, per_query = len(sums), float(sums[:, :CELLS].sum()) / max(1, len(sums))
    ordered = np.array(sorted(sizes), dtype=np.int64)
    power = np.zeros(len(ordered))
    squares = (sums[:, :, None] * sums[:, None, :]).reshape(queries, -1)
    rng = np.random.default_rng(0)
    for k, size in enumerate(ordered.tolist()) if queries and whole else ():
        drawn = _sets(rng, queries, size, count)
        power[k] = _shown(drawn @ sums, drawn @ squares, size, np.sign(whole))
    return PowerCurve(ordered, ordered.astype(np.float64) * per_query, power, float(whole))


def _sets(rng: np.random.Generator, queries: int, size: int, count: int) -> Array:
    """(count, queries) how often each query is in each of `count` sets of `size`."""
    return rng.multinomial(size, np.full(queries, 1 / queries), size=count).astype(np.float64)


def _shown(sums: Array, squares: Array, size: int, sign: float) -> float:
    """The share of sets whose interval lies on the side of the difference that was found."""
    difference, slopes = _differences(sums)
    # F1 stays as it is where all counts grow alike, so that the slopes need no mean taken off.
    variance = np.einsum("ci,cij,cj->c", slopes, squares.reshape(len(sums), 2 * CELLS, -1), slopes) * size / (size - 1)
    with np.errstate(invalid="ignore"):
        return float((difference * sign > _NORMAL * np.sqrt(variance)).mean())


def _differences(sums: Array) -> tuple[Array, Array]:
    """(c,) differences of macro-F1 of (c, 12) counts, and (c, 12) how they change with each count."""
    (first, up), (second, down) = _macro(sums[:, :CELLS]), _macro(sums[:, CELLS:])
    return first - second, np.concatenate([up, -down], axis=1)


def _macro(counts: Array) -> tuple[Array, Array]:
    hits, others = (0, 3), ((1, 2, 4), (4, 5, 1))
    value, slopes = np.zeros(len(counts)), np.zeros_like(counts)
    for hit, rest in zip(hits, others, strict=True):
        right, bottom = counts[:, hit], 2 * counts[:, hit] + counts[:, list(rest)].sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            value += right / bottom
            slopes[:, hit] += 1 / bottom - 2 * right / bottom**2
            slopes[:, list(rest)] -= (right / bottom**2)[:, None]
    # Macro-F1 means nothing where one of the classes is not there.
    there = (counts[:, :3].sum(axis=1) > 0) & (counts[:, 3:].sum(axis=1) > 0)
    return np.where(there, value, np.nan), slopes
