"""How far a job is, and how long the rest takes."""

from collections.abc import Mapping
from datetime import UTC, datetime

from groundscope.experiments.plan import Count, Start

_TELLING = 3
"""Results of a part before which nothing is said of its time."""


def seconds_left(counts: Mapping[int, Count], wanted: Mapping[int, int], start: Start) -> dict[int, float | None]:
    """Estimate when each part is done, at its pace since work began.

    Args:
        counts: results so far, by part.
        wanted: results in the end, by part.
        start: when work began, and how many results there were then.

    Returns:
        Seconds by part, at least 0; None = not known yet.
    """
    seconds = (datetime.now(UTC) - datetime.fromisoformat(start.started)).total_seconds()
    found: dict[int, float | None] = {}
    for part, total in wanted.items():
        done = counts.get(part, Count()).done
        made = done - (start.done[part] if part < len(start.done) else 0)
        left = total - done
        found[part] = 0.0 if left <= 0 else seconds / made * left if made >= _TELLING else None
    return found
