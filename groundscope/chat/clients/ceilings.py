"""Limits on the rate of calls to one model, and waits that the user can cancel."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import lru_cache
from typing import TypeVar

from groundscope.chat.clients.faults import TransientError, UnreadableAnswer
from groundscope.chat.pace import Pace
from groundscope.runtime.progress import still_wanted

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
