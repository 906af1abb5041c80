"""Confusion counts at every threshold, from "nothing is flagged" to "everything is".

A response is called grounded iff its support >= threshold. One without a support has no verdict at any threshold: it counts as
wrong in recall, and not at all in precision (see `groundscope.statistics.metrics`).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[Any]
"""Whole numbers; of many draws at once in single precision."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Counts at k candidate thresholds, ascending: below all supports, between each two distinct ones, above all.

    `macro_f1` and `cost` also take the counts of many draws of the responses, (count, k), with `none` of shape (count, 1).

    `thresholds`: (k,) midpoints; the first and the last lie just outside the supports.
    """

    thresholds: Floats
    grounded_right: Counts
    grounded_wrong: Counts
    ungrounded_right: Counts
    ungrounded_wrong: Counts
    grounded_none: int | Counts
    ungrounded_none: int | Counts

    def tables(self) -> Floats:
        """(k, 6) float64 counts at every threshold, cells in the order of `groundscope.statistics.metrics.Confusion`."""
        none = np.full((2, len(self.thresholds)), [[self.grounded_none], [self.ungrounded_none]])
        columns = (self.grounded_right, self.grounded_wrong, none[0], self.ungrounded_right, self.ungrounded_wrong, none[1])
        return np.stack(columns, axis=1).astype(np.float64)

    def macro_f1(self) -> Floats:
        """Compute the mean of both classes' F1 at every threshold, (k,); F1 is 0 for a class neither there nor predicted."""
        grounded = _f1(self.grounded_right, self.ungrounded_wrong, self.grounded_wrong + self.grounded_none)
        ungrounded = _f1(self.ungrounded_right, self.grounded_wrong, self.ungrounded_wrong + self.ungrounded_none)
        return (grounded + ungrounded) / 2

    def cost(self, missed: float) -> Floats:
        """Compute the mean cost a response at every threshold, (k,), lower = better; no verdict costs as the wrong one.

        `missed`: cost of a missed error, where a false alarm costs 1.
        """
        alarms = self.grounded_wrong + self.grounded_none
        misses = self.ungrounded_wrong + self.ungrounded_none
        responses = alarms + self.grounded_right + misses + self.ungrounded_right
        costs: Floats = (alarms + missed * misses) / np.maximum(1, responses)
        return costs


def curve(supports: Floats, grounded: NDArray[np.bool_]) -> Curve:
    """Count at every candidate threshold.

    Args:
        supports: (n,) float64, 0 to 1; NaN = no verdict.
        grounded: (n,) gold labels, True = grounded.

    Returns:
        Counts at k thresholds, one more than there are distinct supports.

    Raises:
        ValueError: the two differ in length, or no response has a support.
    """
    if len(supports) != len(grounded):
        raise ValueError(f"need as many labels as supports, got {len(grounded)} and {len(supports)}")
    present = ~np.isnan(supports)
    if not present.any():
        raise ValueError("no response has a support")
    order = np.argsort(supports[present], kind="stable")
    values, labels = supports[present][order], grounded[present][order]
    cuts = np.concatenate(([0], np.flatnonzero(np.diff(values)) + 1, [len(values)]))
    ungrounded_below = np.concatenate(([0], np.cumsum(~labels)))[cuts]
    grounded_below = np.concatenate(([0], np.cumsum(labels)))[cuts]
    below, above = values[cuts[1:-1] - 1], values[cuts[1:-1]]
    middle = (below + above) / 2
    # Between neighbouring floats there is none, and the half of the sum is rounded to the lower one.
    inner = np.where(middle > below, middle, above)
    return Curve(
        np.concatenate(([values[0] - 1e-6], inner, [values[-1] + 1e-6])),
        int(labels.sum()) - grounded_below,
        grounded_below,
        ungrounded_below,
        int((~labels).sum()) - ungrounded_below,
        int((grounded & ~present).sum()),
        int((~grounded & ~present).sum()),
    )


def best(values: Floats) -> int:
    """Find the best threshold.

    Among equally good neighbours the middle one, among separate equally good runs the lowest.

    Args:
        values: (k,) score at each candidate threshold, higher = better; none is NaN.

    Returns:
        Index of the threshold, 0 to k - 1.
    """
    # One response of 50,000 moves a score by less than numpy's own notion of closeness.
    top = np.flatnonzero(np.isclose(values, values.max(), rtol=0, atol=1e-12))
    gaps = np.flatnonzero(np.diff(top) > 1)
    run = top[: gaps[0] + 1] if gaps.size else top
    return int(run[len(run) // 2])


def _f1(hits: Counts, false_alarms: Counts, misses: Counts) -> Floats:
    bottom = 2 * hits + false_alarms + misses
    kind = bottom.dtype if bottom.dtype.kind == "f" else np.dtype(np.float64)
    f1: Floats = np.divide(2 * hits, bottom, out=np.zeros(bottom.shape, kind), where=bottom > 0)
    return f1
