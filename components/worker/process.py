"""The one scoring worker of this app: a child process, so that pages stay quick while models load and score.

This is the parent's side; `child.py` is the child's, started by the parent alone. They speak in pickles over the
child's standard input and output. The child ends when its input closes, so it never outlives the app. Neither imports
streamlit.
"""

import logging
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, BinaryIO

from components.worker.orders import APPLIED, Allowance, Order
from groundscope.chat.budget import Cost
from groundscope.paths import ROOT
from groundscope.text.humanize import plural
from groundscope.types import Case, Judgement, Status

Options = tuple[tuple[str, Any], ...]

ABANDONED = 60.0
"""Seconds without a page asking, after which a score is given up."""

_ENDED = {
    "score": "The scoring process ended (it may have run out of memory); it starts again with the next score.",
    "fetch": "The download ended (memory may have run out); download the weights again to resume.",
    "accept": "The check of the folder ended (memory may have run out); close other programs and try again.",
}
"""What to say of work whose process died, by its word."""

_log = logging.getLogger("groundscope")


class Job:
    """One piece of work under way, as the parent sees it.

    `future` gives a judgement, or embeddings where these were asked for and could be made, a text after a call (mostly empty), or
    None if it was cancelled.
    """

    def __init__(self, number: int, word: str = "score", session: str = "") -> None:
        """A job that waits for its turn."""
        self.number, self.word, self.session = number, word, session
        self.before = 0
        self.child: subprocess.Popen[bytes] | None = None
        self.future: Future[Any] = Future()
        self.done, self.total, self.started = 0, 0, False
        self.remote = False
        self.watched = time.monotonic()

    @property
    def share(self) -> float:
        """How much of it is done, 0..1."""
        return self.done / self.total if self.total else 0.0

    @property
    def words(self) -> str:
        """How far it is, for people."""
        if not self.started:
            scores = plural(self.before, "score is", "scores are")
            return f"Waiting for its turn, {scores} before it" if self.before else "Waiting for its turn"
        if self.remote:
            return f"Asking, step {min(self.done + 1, self.total)} of {self.total}" if self.total else "Asking the model"
        return f"Scoring, {100 * self.done // self.total} %" if self.total else "Loading the model"


class Worker:
    """The parent's side: starts the child when needed, and again if it died. `spent` on models so far, by session."""

    def __init__(self, *, online: bool = False, lanes: int = 1) -> None:
        """Start nothing yet. Only an `online` child may reach a model hub; one that asks models elsewhere has many `lanes`."""
        self._online, self._lanes = online, lanes
        self.spent: dict[str, Cost] = {}
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._jobs: dict[int, Job] = {}
        self._count = 0

    def submit(
        self,
        method: str,
        case: Case,
        options: Options = (),
        *,
        keep: bool = False,
        allowance: Allowance | None = None,
        session: str = "",
        again: bool = False,
    ) -> Job:
        """Score a case after all that its session submitted before; the rest is as in `Order`."""
        return self._order(Order("score", method, case, options, keep, allowance, session=session, again=again))

    def apply(
        self,
        word: str,
        method: str,
        *load: Any,
        options: Options = (),
        keep: bool = False,
        allowance: Allowance | None = None,
        session: str = "",
    ) -> Job:
        """Do one of `orders.APPLIED` with a method, see `submit`; the job gives its result, or a failed judgement."""
        return self._order(Order(word, method, load, options, keep, allowance, session=session))

    def embed(self, method: str, texts: list[str], *, session: str = "") -> Job:
        """Embed texts with a method's model; the job gives (n, d) vectors, or a failed judgement."""
        return self._order(Order("embed", method, texts, session=session))

    def prepare(self, method: str) -> Job:
        """Start the child and load a method's model in it, ahead of the first score; the job gives None when done."""
        return self._order(Order("prepare", method))

    def call(self, word: str, method: str, *arguments: str) -> Job:
        """Call a member of a scorer; the job gives an empty text when done, or a failed judgement."""
        return self._order(Order(word, method, arguments))

    def ask(self, word: str, *arguments: Any, keep: bool, allowance: Allowance) -> Job:
        """Do something with a chat model, see `orders.ASKED`; the job gives its result, or a failed judgement."""
        return self._order(Order(word, load=arguments, keep=keep, allowance=allowance, session=allowance.session))

    def cancel(self, job: Job) -> None:
        """Stop a job at its next batch, or before it starts."""
        with self._lock:
            self._send(Order("cancel", number=job.number))

    def end(self) -> None:
        """End the child at once, whatever it does; what it had to do fails."""
        with self._lock:
            if self._child is not None:
                self._child.kill()

    def _order(self, order: Order) -> Job:
        """Send an order under the next number."""
        with self._lock:
            self._count += 1
            job = Job(self._count, order.word, order.session)
            job.remote = self._lanes > 1
            job.before = self._before(job)
            self._jobs[job.number] = job
            job.child = self._send(order._replace(number=job.number))
        return job

    def _before(self, job: Job) -> int:
        """How many of the scores submitted earlier are done before a job: its session's, and as many of each other session."""
        earlier = Counter(j.session for j in self._jobs.values() if j.word == "score" and j.number < job.number)
        own = earlier[job.session]
        return max(0, sum(min(count, own + 1) for count in earlier.values()) - self._lanes + 1)

    def _send(self, message: Order) -> "subprocess.Popen[bytes]":
        if self._child is None or self._child.poll() is not None:
            self._child = self._spawn()
        try:
            pickle.dump(message, _pipe(self._child.stdin))
            _pipe(self._child.stdin).flush()
        except OSError:
            # It has just died; its reader sees the end of its answers and fails its jobs.
            _log.warning("the scoring process did not take an order")
        return self._child

    def _spawn(self) -> "subprocess.Popen[bytes]":
        # Spinning OpenMP threads would starve the pages where cores are few; weights are never fetched while scoring.
        offline = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
        # Each order has a thread of its own; glibc would keep a heap for each that it ever had.
        environment = {"OMP_WAIT_POLICY": "PASSIVE", "MALLOC_ARENA_MAX": "2", **os.environ, **({} if self._online else offline)}
        child = subprocess.Popen(  # noqa: S603 - our own program, with a number of our own
            [sys.executable, "-m", "components.worker.child", str(self._lanes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=environment,
        )
        threading.Thread(target=self._listen, args=(child,), name="worker-reader", daemon=True).start()
        return child

    def _listen(self, child: "subprocess.Popen[bytes]") -> None:
        answers = _pipe(child.stdout)
        try:
            while True:
                number, word, value = pickle.load(answers)  # noqa: S301 - our own child's
                self._heard(number, word, value)
        except (EOFError, pickle.UnpicklingError, OSError):
            with self._lock:
                if self._child is child:
                    self._child = None
                lost = [self._jobs.pop(number) for number, job in list(self._jobs.items()) if job.child is child]
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                with suppress(OSError):
                    _pipe(pipe).close()
            # Without the lock: who waits for them may ask for the next thing.
            for job in lost:
                job.future.set_result(Judgement(Status.FAILED, note=_ENDED.get(job.word, _ENDED["score"]), context_seen=0.0))

    def _heard(self, number: int, word: str, value: Any) -> None:
        if word == "spent":
            self.spent[value[0]] = value[1]
            return
        job = self._jobs.get(number)
        if job is None:
            return
        if word == "progress":
            job.started = True
            job.done, job.total = value
            if job.word in ("score", "embed", *APPLIED) and time.monotonic() - job.watched > ABANDONED:
                self.cancel(job)
        else:
            with self._lock:
                del self._jobs[number]
                for waiting in self._jobs.values():
                    waiting.before = self._before(waiting)
            job.future.set_result(value)


def _pipe(stream: Any) -> BinaryIO:
    if stream is None:
        raise OSError("the worker has no pipe")
    pipe: BinaryIO = stream
    return pipe
