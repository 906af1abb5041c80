"""How the work of a step grows with its input, told by the processor's own time."""

import time
from collections.abc import Callable
from typing import Any

_LEAST = 0.02  # Less than this is the clock's own noise.
_LENGTHS, _MOST = 8, 30  # Eight times the input: sixty-four times the time would be quadratic.


def seconds(work: Callable[[], Any], times: int = 3) -> float:
    """Seconds of the processor alone, the best of a few: other programs and a machine that stands still hardly count."""
    found = []
    for _ in range(times):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def grows_gently(read: Callable[[str], Any], piece: str, size: int) -> bool:
    """Whether reading a piece over and over stays far from quadratic, from `size` characters to eight times as many."""

    def of(length: int) -> float:
        text = (piece * length)[:length]
        return seconds(lambda: read(text))

    read(piece * 100)
    return of(_LENGTHS * size) < _MOST * max(of(size), _LEAST)
