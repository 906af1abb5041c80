"""The one scoring worker of this app: a child process, so that pages stay quick while models load and score.

Parent and child speak in pickles over the child's standard input and output; both ends are this file, and the child
is started by the parent alone. The child ends when its input closes, so it never outlives the app.

Nothing here imports streamlit: the child is this module, run as a program.
"""

import logging
import os
import pickle
import subprocess
import sys
import threading
import time
import traceback
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

from evaluation.errors import Cancelled, GroundscopeError
from evaluation.progress import listening
from evaluation.types import Case, Judgement, Status

ABANDONED = 60.0
"""Seconds without anybody looking, after which a score is given up."""

Load = Case | list[str] | None
Order = tuple[str, int, str, Load]
"""What to do, the job's number, the method's id, and what to do it with."""

_log = logging.getLogger("groundscope")


class Job:
    """One piece of work under way, as the parent sees it.

    `future` gives a judgement, or embeddings where these were asked for and could be made, or None if it was cancelled.
    """

    def __init__(self, number: int) -> None:
        """A job that waits for its turn."""
        self.number = number
        self.child: subprocess.Popen[bytes] | None = None
        self.future: Future[Any] = Future()
        self.done, self.total, self.started = 0, 0, False
        self.watched = time.monotonic()

    @property
    def words(self) -> str:
        """How far it is, for people."""
        if not self.started:
            return "Waiting for its turn"
        return f"Scoring, {100 * self.done // self.total} %" if self.total else "Loading the model"


class Worker:
    """The parent's side: starts the child when needed, and again if it died."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._jobs: dict[int, Job] = {}
        self._count = 0

    def submit(self, method: str, case: Case) -> Job:
        """Score a case after all that was submitted before."""
        return self._order("score", method, case)

    def embed(self, method: str, texts: list[str]) -> Job:
        """Embed texts with a method's model; the job gives (n, d) vectors, or a failed judgement."""
        return self._order("embed", method, texts)

    def _order(self, word: str, method: str, load: Load) -> Job:
        with self._lock:
            self._count += 1
            job = self._jobs[self._count] = Job(self._count)
            job.child = self._send((word, job.number, method, load))
        return job

    def prepare(self, method: str) -> Job:
        """Start the child and load a method's model in it, ahead of the first score; the job gives None when done."""
        return self._order("prepare", method, None)

    def cancel(self, job: Job) -> None:
        """Stop a job at its next batch, or before it starts."""
        with self._lock:
            self._send(("cancel", job.number, "", None))

    def _send(self, message: Order) -> "subprocess.Popen[bytes]":
        if self._child is None or self._child.poll() is not None:
            self._child = self._spawn()
        try:
            pickle.dump(message, _pipe(self._child.stdin))
            _pipe(self._child.stdin).flush()
        except OSError:
            # It has just died; its reader sees the end of its answers and fails what it was given.
            _log.warning("the scoring process did not take an order")
        return self._child

    def _spawn(self) -> "subprocess.Popen[bytes]":
        root = str(Path(__file__).resolve().parent.parent)
        # Spinning OpenMP threads would starve the pages where cores are few; weights are never fetched while scoring.
        offline = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
        environment = {"OMP_WAIT_POLICY": "PASSIVE", **os.environ, **offline}
        child = subprocess.Popen(
            [sys.executable, "-m", "components.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=root,
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
                self._fail(child)
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                with suppress(OSError):
                    _pipe(pipe).close()

    def _heard(self, number: int, word: str, value: Any) -> None:
        job = self._jobs.get(number)
        if job is None:
            return
        if word == "progress":
            job.started = True
            job.done, job.total = value
            if time.monotonic() - job.watched > ABANDONED:
                self.cancel(job)
        else:
            del self._jobs[number]
            job.future.set_result(value)

    def _fail(self, child: "subprocess.Popen[bytes]") -> None:
        note = "The scoring process ended (it may have run out of memory); it starts again with the next score."
        for number in [n for n, job in self._jobs.items() if job.child is child]:
            self._jobs.pop(number).future.set_result(Judgement(Status.FAILED, note=note, context_seen=0.0))


def _pipe(stream: Any) -> BinaryIO:
    if stream is None:
        raise OSError("the worker has no pipe")
    pipe: BinaryIO = stream
    return pipe


class _Child:
    """The child's side: one thread reads orders, the main thread scores."""

    def __init__(self, orders: BinaryIO, answers: BinaryIO) -> None:
        self._orders, self._answers = orders, answers
        self._queue: SimpleQueue[Order | None] = SimpleQueue()
        self._cancelled: set[int] = set()
        self._writing = threading.Lock()

    def serve(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()
        while (order := self._queue.get()) is not None:
            word, number, method, load = order
            if load is None:
                # Beside the scores: a method that needs no model must not wait for another one's.
                threading.Thread(target=self._prepare, args=(number, method), daemon=True).start()
            else:
                self._answer(number, "result", self._work(number, word, method, load))

    def _read(self) -> None:
        try:
            while True:
                order = pickle.load(self._orders)  # noqa: S301 - our own parent's
                if order[0] == "cancel":
                    self._cancelled.add(order[1])
                else:
                    self._queue.put(order)
        except (EOFError, OSError):
            os._exit(0)

    def _answer(self, number: int, word: str, value: Any) -> None:
        with self._writing:
            pickle.dump((number, word, value), self._answers)
            self._answers.flush()

    def _prepare(self, number: int, method: str) -> None:
        import scorers

        try:
            prepare = getattr(scorers.load(method), "prepare", None)
            if prepare:
                prepare()
        except (GroundscopeError, ValueError) as error:
            _log.warning("%s", error)
        self._answer(number, "result", None)

    def _work(self, number: int, word: str, method: str, load: Case | list[str]) -> Any:
        import scorers

        def heard(done: int, total: int) -> None:
            if number in self._cancelled:
                raise Cancelled("the user cancelled")
            self._answer(number, "progress", (done, total))

        try:
            heard(0, 0)
            with listening(heard):
                scorer: Any = scorers.load(method)
                return scorer.embed(load) if word == "embed" else scorer.score(load)
        except Cancelled:
            return None
        except GroundscopeError as error:
            return Judgement(Status.FAILED, note=str(error), context_seen=0.0)
        except Exception as error:
            # Frames only: an exception's message may quote the case.
            frames = "".join(traceback.format_tb(error.__traceback__))
            _log.error("scoring stopped with %s\n%s", type(error).__name__, frames)
            note = f"The method stopped with {type(error).__name__} on this case; the other methods go on."
            return Judgement(Status.FAILED, note=note, context_seen=0.0)


def main() -> None:
    """Serve orders from standard input until it closes. What libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _Child(sys.stdin.buffer, answers).serve()


if __name__ == "__main__":
    main()
