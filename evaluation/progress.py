"""Progress and cancellation for long scores, without widening the scorer contract.

A runner installs a callback with `listening`; a scorer calls `report` between batches. The callback may raise
`Cancelled`, which then travels up through the scorer to the runner.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("groundscope_progress", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send every `report` of this thread to `listener` while the block runs."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(done: int, total: int) -> None:
    """Say that `done` of `total` steps are finished.

    Raises:
        Cancelled: the user no longer wants the result.
    """
    listener = _listener.get()
    if listener is not None:
        listener(done, total)
