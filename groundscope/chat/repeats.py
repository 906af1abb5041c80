"""Which of several replies to one prompt is meant: a method that asks the same several times gets a reply each time."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_APART = 1_000
"""More tries and samples than any judgement asks for."""
_repeat: ContextVar[int] = ContextVar("groundscope_repeat", default=0)


@contextmanager
def repeat(number: int) -> Iterator[None]:
    """Ask the same once more, while the block runs: each number has replies of its own, which are kept like any others."""
    token = _repeat.set(number)
    try:
        yield
    finally:
        _repeat.reset(token)


def reply_number(number: int) -> int:
    """Number a reply among all that there are to a prompt."""
    return number + _APART * _repeat.get()
