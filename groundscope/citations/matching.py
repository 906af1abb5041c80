"""Maximum matching of two sets: at most one partner each, pairs under a floor left alone, ties broken the same way every time."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
_GRAIN = 1e-6
"""Similarities closer than this are ties."""


class MatchedPair(NamedTuple):
    """A row and a column that belong together, and how alike they are."""

    row: int
    column: int
    similarity: float


def maximum_matching(similarity: Values, floor: float = 0.0, prefer: Values | None = None) -> tuple[MatchedPair, ...]:
    """The matching with the largest sum of similarities.

    Departs from the paper (FRESCO): its constraints, that every row and every column sums to 1, cannot hold unless there are as
    many rows as columns; here each has at most one partner. Maximum matching forces bad pairs too: a pair under the floor counts
    as nothing, so that it is neither made nor stands in the way of a good one.

    Args:
        similarity: (n, m), 0 to 1, higher = more alike; NaN = not known, which matches nothing.
        floor: the least similarity of a pair, 0 to 1; a similarity of 0 never makes a pair.
        prefer: (n, m), 0 to 1: of matchings with the same sum the one with the larger sum of these; then, and for None, the
            earliest pairs.

    Returns:
        Pairs in the order of rows.

    Raises:
        ValueError: the floor or a similarity is outside 0 to 1, or the shapes differ.
    """
    from scipy.optimize import linear_sum_assignment

    values = np.nan_to_num(np.asarray(similarity, dtype=np.float64), nan=0.0)
    other = values.shape if prefer is None else prefer.shape
    if values.ndim != 2 or other != values.shape:
        raise ValueError(f"need two tables of one shape, got {values.shape} and {other}")
    if not 0.0 <= floor <= 1.0 or (values.size and not (values.min() >= 0.0 and values.max() <= 1.0 + 1e-9)):
        raise ValueError(f"floor and similarities must lie in 0..1, got floor {floor}")
    if not values.size:
        return ()
    counts = (values >= floor) & (values > 0.0)
    whole = np.where(counts, np.round(values / _GRAIN), 0.0)
    size = min(values.shape)
    # Below the grain of the similarities, so that these alone decide where they differ.
    liked = np.zeros_like(values) if prefer is None else np.nan_to_num(np.asarray(prefer, dtype=np.float64), nan=0.0)
    earlier = 1.0 - np.abs(np.arange(values.shape[0])[:, None] - np.arange(values.shape[1])[None, :]) / (2.0 * sum(values.shape))
    weight = whole + np.where(counts, (0.6 * np.round(liked, 3) + 0.0005 * earlier) / size, 0.0)
    rows, columns = linear_sum_assignment(weight, maximize=True)
    return tuple(
        MatchedPair(int(i), int(j), float(values[i, j])) for i, j in sorted(zip(rows, columns, strict=True)) if counts[i, j]
    )
