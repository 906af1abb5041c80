"""Whether a share is worse than before on the same queries: a randomisation test that swaps the two sides of each query.

Fisher's test for pairs (The Design of Experiments, 1935, section 21) on the difference of two ratios. Where nothing changed, the
two sides of a query are alike but for chance, so that swapping them says how large a difference chance makes. The level is exact
then, whatever the shares, however many sentences an answer has. With a difference that is allowed, the share is lowered by it
first, and the level is approximate.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groundscope.statistics.bootstrap import Interval, limits, resampled_sums, resamples

_EXACT = 14
"""Queries that differ up to which all swaps are worked out."""
_DRAWS = 20_000
_BLOCK = 1 << 21
_TIE = 1e-12


class ShareChange(NamedTuple):
    """A share now and before, on the same queries; NaN where one side has nothing to count.

    Attributes:
        interval: of `now - before`, 95 %, by the bootstrap over queries.
        p: one-sided, that the share rose by no more than what is allowed; low = it is worse. 1 without a difference to test.
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
    """Test whether a share rose by more than what is allowed.

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


def _swapped(now: NDArray[np.float64], before: NDArray[np.float64], seed: int) -> tuple[float, float]:
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


def _ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(sums[..., 0] / sums[..., 1])
