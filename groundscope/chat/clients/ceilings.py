"""Limits on the rate of calls to one model, back-off when a server refuses calls, and waits that the user can cancel.

A runner of many processes opens `paced`; the model then asks its gate for a place, and not the one of this process.
"""

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar, copy_context
from functools import lru_cache
from typing import Protocol, TypeVar

from groundscope.chat.clients.faults import TransientError, UnreadableAnswer
from groundscope.runtime.progress import scoped, still_wanted

_T = TypeVar("_T")
POLL = 0.1
TRIES = 8
"""Tries of one call while the server is not overloaded."""
UNREAD = 2
"""Of them those that bring an answer which cannot be read: each may be billed."""
PATIENCE = 900.0
"""Total seconds that one call may wait for an overloaded server: a rate limit drops no row."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 60.0


def in_thread(name: str, work: Callable[[], _T]) -> "Future[_T]":
    """Run a call in a daemon thread and a copy of this context; it ends, and stores what it brought, even if no caller waits."""
    future: Future[_T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # handed to who waits
            future.set_exception(error)

    threading.Thread(target=copy_context().run, args=(run,), name=name, daemon=True).start()
    return future


def ended(future: "Future[_T]") -> "Future[_T]":
    """Wait until an open call ends, with or without error; `Cancelled` if the user no longer waits, while the call continues."""
    while not wait([future], timeout=POLL).done:
        still_wanted()
    return future


def pause(tries: int) -> float:
    """Draw the wait after some failed tries: up to 0.5 seconds, then twice as much each time, at most 60; at least half."""
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (tries - 1))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


def sleep(seconds: float) -> None:
    """Wait, unless the user cancels (`Cancelled`), which is noticed within 0.1 seconds."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(POLL, left))
        still_wanted()


class Turns:
    """Lets one caller at a time into the block of a key."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: set[str] = set()

    @contextmanager
    def of(self, key: str) -> Iterator[None]:
        """Wait until no other caller is in the block of this key, unless the user cancels."""
        while True:
            with self._lock:
                if key not in self._held:
                    self._held.add(key)
                    break
            sleep(POLL)
        try:
            yield
        finally:
            with self._lock:
                self._held.discard(key)


class Retries:
    """Counts the failed tries of one call and waits between them; a server that is only overloaded is tried for longer."""

    def __init__(self) -> None:
        self._tries, self._unread, self._faults, self._since = 0, 0, 0, time.monotonic()

    def wait(self, fault: TransientError) -> bool:
        """Wait before the next try, unless the user cancels. False at once if the call was tried for long enough."""
        self._faults += 1
        self._tries += not fault.crowded
        self._unread += isinstance(fault, UnreadableAnswer)
        # A server that says "now" is not asked in a loop.
        seconds = pause(self._faults) if fault.after is None else max(fault.after, pause(1))
        if self._tries >= TRIES or self._unread >= UNREAD or time.monotonic() - self._since + seconds > PATIENCE:
            return False
        sleep(seconds)
        return True


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


class Gate:
    """Limits calls at the same time and calls a minute."""

    def __init__(self, at_once: int, a_minute: int) -> None:
        """Start with all places free; `a_minute` 0 = no limit."""
        self._places = threading.Semaphore(at_once)
        self._pace = Pace(a_minute)
        self._lock = threading.Lock()

    def enter(self) -> str:
        """Wait for a free place within both limits; if the user cancels, no place is taken. All places are alike."""
        while not self._places.acquire(timeout=POLL):
            still_wanted()
        try:
            while (pause := self._pause()) > 0:
                sleep(pause)
        except BaseException:
            self._places.release()
            raise
        return ""

    def leave(self, place: str = "", *, crowded: bool = False, after: float | None = None) -> None:
        """Free the place; a refused caller waits by itself, and others of this process may go."""
        self._places.release()

    def _pause(self) -> float:
        """Seconds until the next may go; 0 = now, and it is counted."""
        with self._lock:
            return self._pace.wait(time.monotonic())


@lru_cache(maxsize=256)
def gate(provider: str, model: str, address: str, at_once: int, a_minute: int) -> Gate:
    """The gate of a model, shared by all callers with these arguments."""
    return Gate(at_once, a_minute)


class CallGate(Protocol):
    """Lets calls to one model go."""

    def enter(self) -> str:
        """Wait for a place; gives what `leave` takes. Raises `Cancelled` if the call is no longer wanted."""

    def leave(self, place: str = "", *, crowded: bool = False, after: float | None = None) -> None:
        """Free the place; `crowded`: the server refused the call for `after` seconds (None = not stated)."""


Gates = Callable[[str, int, int], CallGate]
"""Makes the gate of a model, by its name with its address, calls at once, and calls a minute (0 = no limit)."""

_gates: ContextVar[Gates | None] = ContextVar("groundscope_gates", default=None)


def paced(gates: Gates) -> AbstractContextManager[object]:
    """Send every call of this block through gates that other processes share, in threads of a copy of its context, too."""
    return scoped(_gates, gates)


def gates() -> Gates | None:
    """Find the gates that are shared with other processes."""
    return _gates.get()
