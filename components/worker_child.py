"""The scoring worker's child process: takes orders from the app, scores in its main thread; see `worker.py`.

Run as a program by the parent alone; no streamlit here.
"""

import logging
import os
import pickle
import sys
import threading
import traceback
from queue import SimpleQueue
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from evaluation.errors import Cancelled, GroundscopeError
from evaluation.keeping import keeping
from evaluation.progress import Listener, listening
from evaluation.types import Case, Judgement, Matrix, Status

Load = Case | list[str] | tuple[str, ...] | None
CALLS = {"prepare", "fetch", "accept"}
"""Members of a scorer that may be called by name: they load weights, bring them here, or check a folder of them."""


class Order(NamedTuple):
    """What the parent asks for.

    Attributes:
        word: `score`, `embed`, `cancel`, or one of `CALLS`.
        number: the job's.
        method: the method's id.
        load: what to do it with: a case, texts, or the arguments of a call.
        options: the method's parameters that are not its defaults.
        keep: whether supports may be kept in the cache on disk.
    """

    word: str
    number: int
    method: str = ""
    load: Load = None
    options: tuple[tuple[str, Any], ...] = ()
    keep: bool = False


SLICE = 64
"""Texts embedded at a time: a score that somebody waits for goes in between two slices, after about a second."""

_log = logging.getLogger("groundscope")


class _Embedding:
    """Texts that are embedded slice by slice, the longest first, so that a slice holds texts of one length."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self._order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        self._vectors: list[Matrix] = []

    @property
    def done(self) -> int:
        return sum(map(len, self._vectors))

    def finished(self) -> bool:
        return self.done == len(self.texts)

    def next_slice(self, scorer: Any) -> None:
        wanted = self._order[self.done : self.done + SLICE]
        self._vectors.append(scorer.embed([self.texts[i] for i in wanted]))

    def vectors(self) -> Matrix:
        """(n, d), in the order of the texts."""
        joined = np.concatenate(self._vectors)
        placed = np.empty_like(joined)
        placed[self._order] = joined
        return placed


class _Child:
    """The child's side: one thread reads orders, the main thread scores."""

    def __init__(self, orders: BinaryIO, answers: BinaryIO) -> None:
        self._orders, self._answers = orders, answers
        self._queue: SimpleQueue[tuple[Order, _Embedding | None]] = SimpleQueue()
        self._cancelled: set[int] = set()
        self._writing = threading.Lock()

    def serve(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()
        while True:
            order, begun = self._queue.get()
            if order.word == "prepare":
                # Beside the scores: a method that needs no model must not wait for another one's.
                threading.Thread(target=self._prepare, args=(order,), daemon=True).start()
                continue
            result = self._work(order, begun)
            if isinstance(result, _Embedding):
                self._queue.put((order, result))
            else:
                self._answer(order.number, "result", result)

    def _read(self) -> None:
        try:
            while True:
                order: Order = pickle.load(self._orders)  # noqa: S301 - our own parent's
                if order.word == "cancel":
                    self._cancelled.add(order.number)
                else:
                    self._queue.put((order, None))
        except (EOFError, OSError):
            os._exit(0)

    def _answer(self, number: int, word: str, value: Any) -> None:
        with self._writing:
            pickle.dump((number, word, value), self._answers)
            self._answers.flush()

    def _prepare(self, order: Order) -> None:
        import scorers

        try:
            prepare = getattr(scorers.load(order.method, **dict(order.options)), "prepare", None)
            if prepare:
                prepare()
        except (GroundscopeError, ValueError) as error:
            _log.warning("%s", error)
        self._answer(order.number, "result", None)

    def _work(self, order: Order, begun: _Embedding | None) -> Any:
        """A judgement or vectors; an embedding that is not finished; an empty text after a call; None if cancelled."""

        def heard(done: int, total: int) -> None:
            if order.number in self._cancelled:
                raise Cancelled("the user cancelled")
            self._answer(order.number, "progress", (done, total))

        try:
            return _done(order, begun, heard)
        except Cancelled:
            return None
        except GroundscopeError as error:
            return Judgement(Status.FAILED, note=str(error), context_seen=0.0)
        except Exception as error:
            # Frames only: an exception's message may quote the case.
            frames = "".join(traceback.format_tb(error.__traceback__))
            _log.error("scoring stopped with %s\n%s", type(error).__name__, frames)
            note = f"The method stopped with {type(error).__name__} on this case; the other methods go on."
            if order.word in CALLS:
                note = f"This stopped with {type(error).__name__}; try again, or with another folder."
            return Judgement(Status.FAILED, note=note, context_seen=0.0)


def _done(order: Order, begun: _Embedding | None, heard: Listener) -> Any:
    import scorers

    scorer: Any = scorers.load(order.method, **dict(order.options))
    if order.word == "embed":
        embedding = begun or _Embedding(list(order.load or ()))  # type: ignore[arg-type]
        heard(embedding.done, len(embedding.texts))
        embedding.next_slice(scorer)
        heard(embedding.done, len(embedding.texts))
        return embedding.vectors() if embedding.finished() else embedding
    heard(0, 0)
    with listening(heard), keeping(order.keep):
        if order.word in CALLS:
            arguments: Any = order.load or ()
            getattr(scorer, order.word)(*arguments)
            return ""
        return scorer.score(order.load)


def main() -> None:
    """Serve orders from standard input until it closes. What libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _Child(sys.stdin.buffer, answers).serve()


if __name__ == "__main__":
    main()
