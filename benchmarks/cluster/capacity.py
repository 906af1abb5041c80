"""What a cluster of so many processes can do, from figures that were measured on one machine: a model, not a measurement."""

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
    """Find the bottleneck: steps that each process does for itself grow with their number, shared ones do not.

    Args:
        workers: processes that judge.
        judging: rows that one process judges in a second.
        reading: rows that one process reads and checks in a second.
        writing: rows that one process writes in a second.
        calls: calls that the chat model's provider allows in a second; None = none is asked, one call a row.
        granting: calls that the ledger grants in a second; it is one for all.
        disk: rows that the disk, which all share, reads and writes in a second; None = any.

    Returns:
        Rows a second of the whole cluster. Reading, judging and writing follow each other in a process.
    """
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
