"""The Pareto front: the methods that no other one beats in macro-F1 and in latency at once."""

from typing import NamedTuple

import numpy as np

from groundscope.statistics.metrics import Array


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
    known = ~np.isnan(quality) & ~np.isnan(seconds)
    on_front = known & ~beats.any(axis=0)
    members = sorted(np.flatnonzero(on_front), key=lambda i: (seconds[i], -quality[i], i))
    beaten_by = [next((int(j) for j in members if beats[j, i]), -1) for i in range(len(quality))]
    return Front(tuple(int(i) for i in members), tuple(beaten_by))
