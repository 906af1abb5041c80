"""Orders that the app sends to its worker, a child process as its parent sees it, and how many there may be. No streamlit."""

import logging
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, BinaryIO, NamedTuple

from groundscope.chat.budget import NOTHING, Cost
from groundscope.errors import GroundscopeError
from groundscope.paths import ROOT, Variable
from groundscope.types import Case

Load = Case | list[str] | tuple[Any, ...] | None
CALLS = {"prepare", "accept"}
"""Members of a scorer that may be called by name: they load weights, or check a folder of them."""
LEAVE_ONE_OUT = "leave_one_out"


class Allowance(NamedTuple):
    """What a session may spend on models that are asked (None = no limit), and what it has spent as far as the parent knows."""

    session: str
    calls: int | None
    dollars: float | None
    spent: Cost = NOTHING


class Order(NamedTuple):
    """What the parent asks for: `score`, `embed`, `cancel`, `forget`, `LEAVE_ONE_OUT` or one of `CALLS`, under the job's number.

    `load` is what to do it with: a case, texts, or the arguments of a call; `options` are the method's parameters that are not
    its defaults; `keep` says whether supports and replies may be kept on disk. The orders of one `session` keep their sequence.
    `again` says that the case is one that the user edits: vectors of the case before it may be used again. `joined` are cases of
    other jobs, under their numbers, that the same method reads in the same pass.
    """

    word: str
    method: str = ""
    load: Load = None
    options: tuple[tuple[str, Any], ...] = ()
    keep: bool = False
    allowance: Allowance | None = None
    number: int = 0
    session: str = ""
    again: bool = False
    joined: tuple[tuple[int, Case], ...] = ()

    @property
    def line(self) -> str:
        """The line it waits in: its session's, or another one for what a page's scores need not wait for."""
        return f"{self.word} {self.session}" if self.word in ("embed", LEAVE_ONE_OUT) else self.session


def size(load: Load) -> int:
    """Characters of a case; 0 of another load."""
    return len(load.response) + sum(len(passage.text) for passage in load.context) if isinstance(load, Case) else 0


MOST = 64

_log = logging.getLogger("groundscope")


class ScoringProcess:
    """One process that loads models and scores; it ends when its input closes, so it never outlives the app."""

    def __init__(self, heard: Callable[[int, str, Any], None], ended: Callable[["ScoringProcess"], None]) -> None:
        """Start it; raises OSError where that fails. A thread calls `heard` with each answer, and `ended` once, at its end."""
        self._heard, self._ended = heard, ended
        # Weights are never fetched while scoring.
        offline = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
        # Spinning OpenMP threads would starve the pages where cores are few. Each order has a thread of its own; glibc would keep
        # a heap for each that it ever had.
        usual = {"OMP_WAIT_POLICY": "PASSIVE", "MALLOC_ARENA_MAX": "2"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "components.worker.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**usual, **os.environ, **offline},
        )
        # A process that is starting reads nothing for a second, in which no page shall wait.
        self._orders: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=self._write, name="worker-writer", daemon=True).start()
        threading.Thread(target=self._listen, name="worker-reader", daemon=True).start()

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self.process.poll() is None

    def send(self, order: bytes) -> None:
        """Give it a pickled order, without waiting; one that has just died takes none, and its end is heard soon."""
        self._orders.put(order)

    def kill(self) -> None:
        """End it at once, whatever it does."""
        self.process.kill()

    def _write(self) -> None:
        pipe = _pipe(self.process.stdin)
        try:
            while order := self._orders.get():
                pipe.write(order)
                pipe.flush()
        except (OSError, ValueError):
            # It has just died; a pipe that its reader closed raises ValueError.
            _log.warning("the scoring process did not take an order")

    def _listen(self) -> None:
        answers = _pipe(self.process.stdout)
        try:
            while True:
                number, word, value = pickle.load(answers)  # noqa: S301 - our own child's
                self._heard(number, word, value)
        except (EOFError, pickle.UnpicklingError, OSError):
            self.process.kill()
            self.process.wait()
            self._orders.put(b"")
            for pipe in (self.process.stdin, self.process.stdout):
                with suppress(OSError):
                    _pipe(pipe).close()
            self._ended(self)


def _pipe(stream: Any) -> BinaryIO:
    if stream is None:
        raise OSError("the worker has no pipe")
    pipe: BinaryIO = stream
    return pipe


def processes() -> int:
    """How many processes may score at a time: 1 unless the variable says more."""
    text = Variable.WORKERS.read() or "1"
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
    if not 1 <= number <= MOST:
        raise GroundscopeError(
            f"{Variable.WORKERS} is {text[:40]!r}. Set it to a whole number from 1 to {MOST}, the processes that score for all "
            "users together, or leave it out."
        )
    return number
