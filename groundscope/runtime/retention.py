"""Whether intermediate results for a case may be stored, on disk or in memory, outside the method interface, or used again.

A runner that may store results opens `keeping`; a method checks `may_keep` before it writes to a cache. The default is no:
pasted text leaves no trace unless its owner agrees. A runner that asks the same several times opens `afresh`.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any

from groundscope.runtime.progress import scoped

_keeps: ContextVar[bool] = ContextVar("groundscope_keeping", default=False)
may_keep = _keeps.get
"""Whether results for the current case may be stored on disk."""
_remembers: ContextVar[bool] = ContextVar("groundscope_remembering", default=False)
may_remember = _remembers.get
"""Whether results for the previous case may be reused."""
_afresh: ContextVar[bool] = ContextVar("groundscope_afresh", default=False)
asks_afresh = _afresh.get
"""Whether chat models are asked as if no reply were kept."""
_holds: ContextVar[bool] = ContextVar("groundscope_holding", default=False)
may_hold = _holds.get
"""Whether supports of pairs may be held in memory."""
_revises: ContextVar[bool] = ContextVar("groundscope_revising", default=False)
may_revise = _revises.get
"""Whether supports of pairs that are held in memory may be reused."""
_reused: ContextVar[dict[Any, Any] | None] = ContextVar("groundscope_reusing", default=None)
reused = _reused.get
"""What was computed in the innermost `reusing` block, for a method to read and to add to."""


def keeping(allowed: bool = True) -> AbstractContextManager[object]:
    """Allow or forbid storing results on disk while the block runs, in this thread."""
    return scoped(_keeps, allowed)


def remembering(allowed: bool = True) -> AbstractContextManager[object]:
    """Allow or forbid a method to reuse, from memory, what it computed for the previous case, while the block runs.

    Responses to one question share their context. A judgement that reused it says so in `cached`; its seconds are not counted.
    """
    return scoped(_remembers, allowed)


def afresh(enabled: bool = True) -> AbstractContextManager[object]:
    """Ask chat models as if no reply were kept, while the block runs: kept replies are neither read nor written."""
    return scoped(_afresh, enabled)


@contextmanager
def revising(again: bool = True) -> Iterator[None]:
    """Let a method hold in memory the supports of pairs of texts, and reuse those that it holds, while the block runs.

    A user who edits one sentence of an answer does not wait for the others again. Hashes and numbers are held, no texts, and
    nothing on disk. A judgement that reused them says so in `cached`.
    """
    with scoped(_holds, True), scoped(_revises, again):
        yield


@contextmanager
def reusing(held: dict[Any, Any] | None = None) -> Iterator[None]:
    """Let methods reuse, while the block runs, vectors that they computed in it, freed after it, and supports as in `revising`.

    For many versions of one case, which share most of their texts: a text that two versions share has the same numbers in both,
    so that they differ by what was changed alone. The seconds of such judgements say little.
    """
    with scoped(_reused, {} if held is None else held), revising():
        yield
