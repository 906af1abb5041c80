"""Progress and cancellation of long scores, outside the method interface; and context variables that hold while a block runs.

A runner installs a callback with `listening`; a method calls `report` between batches. The callback may raise
`Cancelled`, which then propagates through the method to the runner.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeVar

Listener = Callable[[int, int], None]

_listener: ContextVar["_Listening | None"] = ContextVar("groundscope_progress", default=None)


class _Listening:
    """A callback, and what it heard last."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.last = (0, 0)


def listening(listener: Listener) -> AbstractContextManager[object]:
    """Send every `report` of this thread to a callback while the block runs."""
    return scoped(_listener, _Listening(listener))


def listener() -> Listener:
    """Find the progress callback of this thread, for a block that wraps it."""
    current = _listener.get()
    return current.listener if current is not None else lambda done, total: None


def report(done: int, total: int) -> None:
    """Report progress to the installed callback."""
    listening_ = _listener.get()
    if listening_ is not None:
        listening_.last = (done, total)
        listening_.listener(done, total)


def still_wanted() -> None:
    """Check for cancellation between two steps, without new progress."""
    listening_ = _listener.get()
    if listening_ is not None:
        listening_.listener(*listening_.last)


_T = TypeVar("_T")


@contextmanager
def scoped(variable: ContextVar[_T], value: _T) -> Iterator[_T]:
    """Give a context variable a value while the block runs, in this thread; the block gets the value."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)
