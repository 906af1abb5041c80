"""Progress and cancellation for long scores, without widening the scorer contract.

A runner installs a callback with `listening`; a scorer calls `report` between batches. The callback may raise
`Cancelled`, which then travels up through the scorer to the runner.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[int, int], None]

_listener: ContextVar["_Listening | None"] = ContextVar("groundscope_progress", default=None)


class _Listening:
    """A callback, and what it heard last."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.last = (0, 0)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send every `report` of this thread to `listener` while the block runs."""
    token = _listener.set(_Listening(listener))
    try:
        yield
    finally:
        _listener.reset(token)


def listener() -> Listener:
    """Who hears of this thread's progress now, for a block that listens itself and passes it on; nobody hears where none does."""
    found = _listener.get()
    return found.listener if found is not None else lambda done, total: None


def report(done: int, total: int) -> None:
    """Say that `done` of `total` steps are finished.

    Raises:
        Cancelled: the user no longer wants the result.
    """
    listening_ = _listener.get()
    if listening_ is not None:
        listening_.last = (done, total)
        listening_.listener(done, total)


def still_wanted() -> None:
    """Ask between two steps, where there is nothing new to say.

    Raises:
        Cancelled: the user no longer wants the result.
    """
    listening_ = _listener.get()
    if listening_ is not None:
        listening_.listener(*listening_.last)
