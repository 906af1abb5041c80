"""Turns of the worker's orders, session by session: the long case of one user does not hold up all others. No streamlit."""

import threading
import time
from collections import deque
from collections.abc import Callable

TURN = 1.0
"""Seconds after which an order lets the next session go first: most cases end within them, and need no second turn."""


class OrderTurns:
    """Runs orders one after the other, or so many at a time as there are lanes.

    Each session's orders keep their sequence; the sessions take turns. With one lane an order that takes long lets the others go
    first where it calls `breathe`, between two batches. It resumes before later orders of its session.
    """

    def __init__(self, lanes: int) -> None:
        """Run nothing yet."""
        self._free, self._lanes = lanes, lanes
        self._lock = threading.Lock()
        self._waiting: dict[str, deque[Callable[[], object]]] = {}
        self._since = 0.0

    def add(self, session: str, work: Callable[[], None]) -> None:
        """Do some work when its session's turn comes, after the session's earlier work."""

        def begun() -> None:
            try:
                work()
            finally:
                self._leave()

        with self._lock:
            self._waiting.setdefault(session, deque()).append(threading.Thread(target=begun, name="order", daemon=True).start)
            self._next()

    def breathe(self, session: str) -> None:
        """Called from work under way: if its turn is over and another session waits, return when the turn comes again."""
        if self._lanes > 1:
            # Those that ask models mostly wait for them; there are lanes for that.
            return
        mine = threading.Event()
        with self._lock:
            if time.monotonic() - self._since < TURN or not self._waiting.keys() - {session}:
                return
            # First of its session, and its session last.
            earlier = self._waiting.pop(session, deque())
            self._waiting[session] = deque([mine.set, *earlier])
            self._free += 1
            self._next()
        mine.wait()

    def _leave(self) -> None:
        with self._lock:
            self._free += 1
            self._next()

    def _next(self) -> None:
        """Give free lanes to the sessions that waited longest; with the lock."""
        while self._free and self._waiting:
            session = next(iter(self._waiting))
            line = self._waiting.pop(session)
            go = line.popleft()
            if line:
                self._waiting[session] = line
            self._free -= 1
            self._since = time.monotonic()
            go()
