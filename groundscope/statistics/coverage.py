"""Counts of responses by status, which stand beside every score."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from groundscope.types import Status

PENDING = -1
"""The status code of a response that is not judged yet; the others are positions in `tuple(Status)`."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Responses by state.

    Attributes:
        truncated: those of the scored ones of which the method did not read the whole context.
    """

    total: int
    scored: int
    invalid: int
    abstained: int
    not_assessable: int
    failed: int
    truncated: int
    pending: int


def coverage(statuses: ArrayLike, context_seen: ArrayLike) -> Coverage:
    """Count responses by state.

    Args:
        statuses: (n,) positions in `tuple(Status)`, or `PENDING`.
        context_seen: (n,) share of the context that the method read, 0 to 1; read of scored responses only.

    Returns:
        Counts, of which all but `truncated` add up to `total`, which is n.

    Raises:
        ValueError: the two differ in length, or a code means nothing.
    """
    codes, seen = np.asarray(statuses, dtype=int), np.asarray(context_seen, dtype=float)
    if codes.shape != seen.shape:
        raise ValueError(f"need as many shares of the context as states, got {seen.size} and {codes.size}")
    if codes.min(initial=0) < PENDING or codes.max(initial=0) >= len(Status):
        raise ValueError(f"a status code must lie in {PENDING}..{len(Status) - 1}, got {codes.min()} to {codes.max()}")
    pending, *counts = (int(n) for n in np.bincount(codes - PENDING, minlength=len(Status) + 1))
    by_name = {status.value: n for status, n in zip(Status, counts, strict=True)}
    truncated = (codes == tuple(Status).index(Status.SCORED)) & (seen < 1)
    return Coverage(total=int(codes.size), truncated=int(truncated.sum()), pending=pending, **by_name)
