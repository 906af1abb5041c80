"""Rate limiting of calls to a model: calls a minute, and back-off when a server refuses calls.

A runner of many processes opens `paced`; the model layer then asks its gate for a place, and not the one of this process.
"""

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Protocol

from groundscope.runtime.scoped import scoped

_FIRST, _LONGEST = 1.0, 60.0
_LEAST, _LATE = 0.05, 0.1
_FASTER = 0.02
"""Share by which a learned pace grows in a second without a refusal."""


class Pace:
    """Spreads calls in time. It learns from refusals: after one, all wait as long as the server wants, and go on at its pace."""

    def __init__(self, a_minute: int) -> None:
        self._a_minute = a_minute
        self._entered: deque[float] = deque()
        self._held, self._gap, self._next = 0.0, 0.0, 0.0
        self._since, self._gone, self._starts = 0.0, 0, True
        self._at, self._row = 0.0, 0

    def wait(self, now: float) -> float:
        """Ask to go."""
        while self._entered and self._entered[0] <= now - 60:
            self._entered.popleft()
        if self._a_minute and len(self._entered) >= self._a_minute:
            return self._entered[0] + 60 - now
        if (until := max(self._held, self._next)) > now:
            return until - now
        if self._a_minute:
            self._entered.append(now)
        if self._starts:
            self._since, self._gone, self._starts = now, 0, False
        self._gone += 1
        # Who comes a little late does not make all others late.
        self._next = max(self._next, now - _LATE) + self._gap
        return 0.0

    def accepted(self, now: float) -> None:
        """Note a call that was not refused; the pace grows a little."""
        self._row = 0
        if self._gap:
            self._gap /= (1 + _FASTER) ** max(0.0, now - max(self._at, self._held))
        self._at = now

    def refused(self, now: float, after: float | None) -> None:
        """Note a call that the server refused for a while."""
        first = now >= self._held
        self._gone, self._row = max(0, self._gone - 1), self._row + first
        until = now + (min(_LONGEST, _FIRST * 2.0 ** (self._row - 1)) if after is None else max(after, _LEAST))
        self._held = max(self._held, until)
        if self._gone:
            # What went between the ends of two pauses, and was not refused, is what the server has room for.
            self._gap = (self._held - self._since) / self._gone
        self._next, self._starts = self._held, True


class CallGate(Protocol):
    """Lets calls to one model go."""

    def enter(self) -> str:
        """Wait for a place; gives what `leave` takes. Raises `Cancelled` if the call is no longer wanted."""
        ...

    def leave(self, place: str = "", *, crowded: bool = False, after: float | None = None) -> None:
        """Free the place; `crowded`: the server refused the call for `after` seconds (None = not stated)."""
        ...


Gates = Callable[[str, int, int], CallGate]
"""Makes the gate of a model, by its name with its address, calls at once, and calls a minute (0 = no limit)."""

_gates: ContextVar[Gates | None] = ContextVar("groundscope_gates", default=None)


def paced(gates: Gates) -> AbstractContextManager[object]:
    """Send every call of this block through gates that other processes share, in threads of a copy of its context, too."""
    return scoped(_gates, gates)


def gates() -> Gates | None:
    """Find the gates that are shared with other processes."""
    return _gates.get()
