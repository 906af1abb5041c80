"""How the work of a step grows with its input, shown by the processor's own time."""

import gc
import itertools
import time
from collections.abc import Callable
from typing import Any

_LEAST = 0.004  # Less than this is the clock's own noise.
_MOST = 8.0  # Four times the input: sixteen times the time would be quadratic.
_TIMES = 3
_SHORT = 0.1  # In less than this, the step from one of the processor's caches to the next looks like growth.
_number = itertools.count(1)


def seconds(work: Callable[[], Any], times: int = _TIMES) -> float:
    """Seconds of the processor alone, the best of a few: other programs and a machine that stands still hardly count."""
    found = []
    for _ in range(times):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def growth(read: Callable[[str], Any], piece: str, size: int) -> str:
    """What is wrong with how the time of reading a piece over and over grows, from a quarter of `size` characters to all.

    Every reading has a text of another length: many readers remember what they read last.

    Returns:
        Empty where it grows as the text does.
    """

    def of(length: int) -> float:
        length -= next(_number) % 101
        text = (piece * (length // len(piece) + 1))[:length]
        return seconds(lambda: read(text), 1)

    gc.disable()
    try:
        read(piece * 3)
        whole = of(size)
        if whole < 3 * _LEAST:
            return ""
        quarter, half = max(of(size // 4), _LEAST), None
        for _ in range(_TIMES):
            if whole < _MOST * quarter:
                return ""
            half = half or max(of(size // 2), _LEAST)
            if whole < _MOST / 2.4 * half:
                return ""
            # A machine that was held up: the best of a few counts.
            whole, quarter = min(whole, of(size)), min(quarter, max(of(size // 4), _LEAST))
    finally:
        gc.enable()
    if whole < _SHORT:
        return growth(read, piece, 4 * size)
    return f"{piece!r}: a quarter, a half and all of {size:,} characters took {quarter:.3f}, {half:.3f} and {whole:.3f} s"
