"""Estimate the capacity of a cluster from figures measured on one machine."""

from typing import NamedTuple


class Capacity(NamedTuple):
    """Rows a second that each step can do, and which step is the slowest."""

    rows: float
    step: str
    steps: dict[str, float]


def capacity(
    workers: int, *, judging: float, reading: float, writing: float,
    calls: float | None = None, granting: float | None = None, disk: float | None = None,
) -> Capacity:  # fmt: skip
    """Find the bottleneck: steps that each process does for itself grow with their number, shared ones do not."""
    alone = 1 / (1 / reading + 1 / judging + 1 / writing)
    slowest = min(("reading", reading), ("model", judging), ("writing", writing), key=lambda one: one[1])[0]
    steps = {slowest: workers * alone}
    if calls is not None:
        steps["chat rate limit"] = calls
    if granting is not None:
        steps["ledger"] = granting
    if disk is not None:
        steps["shared disk"] = disk
    step = min(steps, key=lambda name: steps[name])
    return Capacity(steps[step], step, steps)
