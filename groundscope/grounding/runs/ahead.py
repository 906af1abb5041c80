"""Lets local methods compute for many cases of a run at once what they need for each: full batches take half of the time.

Only for runs that are not timed. The cases are taken window by window, so that memory does not grow with the run.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from groundscope.errors import Cancelled
from groundscope.experiments.plan import Place
from groundscope.methods import Method
from groundscope.runtime.retention import reusing
from groundscope.types import Case

_CASES = 256
_CHARACTERS = 1_000_000
"""Of a window, at most: its embeddings take some 20 MB, and nothing is cancelled between two batches alone."""


class ReadAhead:
    """What the methods have computed for the current window of cases."""

    def __init__(self, cases: Sequence[Case]) -> None:
        """Take the cases in the order in which they are judged; nothing is computed yet."""
        self._cases = cases
        self._window = range(0)
        self._held: dict[Any, Any] = {}
        self._read: set[int] = set()

    @contextmanager
    def of(self, at: Place, method: Method) -> Iterator[None]:
        """Let a method read ahead from a case on, and find what it read while the block runs."""
        if at.row not in self._window:
            self._window, self._held, self._read = self._from(at.row), {}, set()
        with reusing(self._held):
            if at.part not in self._read:
                self._read.add(at.part)
                try:
                    method.read_ahead([self._cases[i] for i in self._window if i >= at.row])
                except Cancelled:
                    raise
                except Exception:  # noqa: S110 - the method says at each case what is wrong, and at which
                    pass
            yield

    def _from(self, row: int) -> range:
        characters, end = 0, row
        while end < len(self._cases) and end - row < _CASES and characters <= _CHARACTERS:
            characters += len(self._cases[end].response) + sum(len(p.text) for p in self._cases[end].context)
            end += 1
        return range(row, max(end, row + 1))
