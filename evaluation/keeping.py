"""Whether what a method computes for a case may be kept, on disk or in memory, without widening the scorer contract.

A runner that may keep results says so with `keeping`; a scorer asks `may_keep` before it writes to the pair cache. The
default is no: pasted text leaves no trace unless its owner says so.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_allowed: ContextVar[bool] = ContextVar("groundscope_keeping", default=False)


@contextmanager
def keeping(allowed: bool = True) -> Iterator[None]:
    """Allow or forbid keeping while the block runs, in this thread."""
    token = _allowed.set(allowed)
    try:
        yield
    finally:
        _allowed.reset(token)


def may_keep() -> bool:
    """Whether results of the case that is being scored may be kept on disk."""
    return _allowed.get()


_remembers: ContextVar[bool] = ContextVar("groundscope_remembering", default=False)


@contextmanager
def remembering(allowed: bool = True) -> Iterator[None]:
    """Allow or forbid a method to use again, in memory, what it computed of the case before, while the block runs.

    Responses to one question share their context. A judgement that used it again says so in `cached`: its seconds count nowhere.
    """
    token = _remembers.set(allowed)
    try:
        yield
    finally:
        _remembers.reset(token)


def may_remember() -> bool:
    """Whether what was computed of the case before may be used again."""
    return _remembers.get()
