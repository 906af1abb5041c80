"""Whether what a method computes for a case may be kept on disk, without widening the scorer contract.

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
