"""How the work of a step grows with its input, told by the processor's own time."""

import time
from collections.abc import Callable
from typing import Any

_LEAST = 0.005  # Less than this is the clock's own noise.
_LENGTHS, _MOST = 8, 30  # Eight times the input: sixty-four times the time would be quadratic.
_TIMES = 3


def seconds(work: Callable[[], Any], times: int = _TIMES) -> float:
    """Seconds of the processor alone, the best of a few: other programs and a machine that stands still hardly count."""
    found = []
    for _ in range(times):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def grows_gently(read: Callable[[str], Any], piece: str, size: int) -> bool:
    """Whether reading a piece over and over stays far from quadratic, from `size` characters to eight times as many."""

    def of(length: int, times: int) -> float:
        text = (piece * length)[:length]
        return seconds(lambda: read(text), times)

    read(piece * 100)
    # One reading settles it nearly always; the best of a few is for a machine that was held up.
    if (once := of(_LENGTHS * size, 1)) < _MOST * _LEAST:
        return True
    short = max(of(size, _TIMES), _LEAST)
    return once < _MOST * short or of(_LENGTHS * size, _TIMES - 1) < _MOST * short
