"""Values of context variables that hold while a block runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

_T = TypeVar("_T")


@contextmanager
def scoped(variable: ContextVar[_T], value: _T) -> Iterator[_T]:
    """Give a context variable a value while the block runs, in this thread; the block gets the value."""
    token = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(token)
