"""Ceilings on calls to one model, and waits that the user can cancel."""

import random
import threading
import time
from collections import deque
from concurrent.futures import Future, wait
from functools import lru_cache

from evaluation.chat import Reply
from evaluation.progress import still_wanted

POLL = 0.1
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 60.0


def ended(future: Future[Reply]) -> None:
    """Wait for a call that is under way, whatever comes of it, unless the user cancels meanwhile."""
    while not wait([future], timeout=POLL).done:
        still_wanted()


def waited(future: Future[Reply]) -> Reply:
    """A reply that is under way, unless the user cancels meanwhile."""
    ended(future)
    return future.result()


def pause(tries: int) -> float:
    """Doubling, and never the same for two who wait."""
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (tries - 1))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - no secret


def sleep(seconds: float) -> None:
    """Wait, unless the user cancels meanwhile."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(POLL, left))
        still_wanted()


class Gate:
    """Lets so many in at a time, and so many a minute."""

    def __init__(self, at_once: int, a_minute: int) -> None:
        """Let all places be free; no ceiling a minute where it is 0."""
        self._places = threading.Semaphore(at_once)
        self._a_minute = a_minute
        self._entered: deque[float] = deque()
        self._lock = threading.Lock()

    def enter(self) -> None:
        """Wait for a place and for the minute's ceiling."""
        while not self._places.acquire(timeout=POLL):
            still_wanted()
        try:
            while (pause := self._pause()) > 0:
                sleep(pause)
        except BaseException:
            self._places.release()
            raise

    def leave(self) -> None:
        """Give the place free."""
        self._places.release()

    def _pause(self) -> float:
        """Seconds until the next may go; 0 = now, and it is counted."""
        with self._lock:
            now = time.monotonic()
            while self._entered and self._entered[0] <= now - 60:
                self._entered.popleft()
            if self._a_minute and len(self._entered) >= self._a_minute:
                return self._entered[0] + 60 - now
            self._entered.append(now)
            return 0.0


@lru_cache(maxsize=256)
def gate(provider: str, model: str, address: str, at_once: int, a_minute: int) -> Gate:
    """The gate of a model; one object a process."""
    return Gate(at_once, a_minute)
