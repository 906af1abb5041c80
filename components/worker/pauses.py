"""Pauses of orders between two batches, in the process that works on them; the parent decides by `turns.py`. No streamlit."""

import threading
import time
from collections.abc import Callable

from groundscope.errors import Cancelled

TURN = 1.0
"""Seconds after which an order lets the next session go first: most cases end within them, and need no second turn."""


class OrderPauses:
    """The orders under way in this process: which of them shall pause or stop, and which are paused."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._since: dict[int, float] = {}
        self._urged: set[int] = set()
        self._cancelled: set[int] = set()
        self._paused: dict[int, threading.Event] = {}

    def begin(self, number: int) -> None:
        """An order's turn begins."""
        with self._lock:
            self._since[number] = time.monotonic()

    def end(self, number: int) -> None:
        """An order is done."""
        with self._lock:
            self._since.pop(number, None)
            self._urged.discard(number)
            self._cancelled.discard(number)

    def urge(self, number: int) -> None:
        """Others wait: an order shall pause when its turn is over."""
        with self._lock:
            if number in self._since:
                self._urged.add(number)

    def cancel(self, number: int) -> None:
        """An order shall stop; one that is paused does so now."""
        with self._lock:
            if number in self._since:
                self._cancelled.add(number)
        self.resume(number)

    def resume(self, number: int) -> None:
        """A paused order has its next turn."""
        with self._lock:
            paused = self._paused.pop(number, None)
        if paused is not None:
            paused.set()

    def breathe(self, number: int, pausing: Callable[[], None]) -> None:
        """Called from work under way, between two batches: pause while others have their turn."""
        with self._lock:
            self._check(number)
            if number not in self._urged or time.monotonic() - self._since[number] < TURN:
                return
            self._urged.discard(number)
            paused = self._paused[number] = threading.Event()
        pausing()
        paused.wait()
        with self._lock:
            self._since[number] = time.monotonic()
            self._check(number)

    def _check(self, number: int) -> None:
        if number in self._cancelled:
            raise Cancelled("the user cancelled")
