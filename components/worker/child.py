"""The scoring worker's child process: takes orders from the app and does them; see `process.py`.

Run as a program by the parent alone, which decides what is worked on when (`turns.py`); no streamlit here.
"""

import ctypes
import gc
import logging
import os
import pickle
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO

import numpy as np

from components.worker.scoring_process import CALLS, LEAVE_ONE_OUT, Order
from groundscope.chat import replies
from groundscope.chat.budget import Budget, spending
from groundscope.chat.clients.ceilings import ended, in_thread
from groundscope.chat.clients.model import chat_model
from groundscope.errors import Cancelled, GroundscopeError
from groundscope.runtime.progress import Listener, listening
from groundscope.runtime.retention import keeping, remembering, reusing, revising
from groundscope.types import Judgement, Matrix, Status

TURN = 3.0
"""Seconds of processor time after which an order lets the next session go first: most cases end within them, and need no second
turn. By the clock, a busy machine would begin all cases and end none before the last."""

SLICE = 64
"""Texts embedded at a time: a score that a page waits for goes in between two slices, after about a second."""
_log = logging.getLogger("groundscope")


class OrderPauses:
    """The orders under way in this process: which of them shall pause or stop, and which are paused."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._since: dict[int, float] = {}
        self._urged: dict[int, bool] = {}
        self._cancelled: set[int] = set()
        self._paused: dict[int, threading.Event] = {}

    def begin(self, number: int, cases: int = 1) -> None:
        """An order's turn begins, or as many in one as it has cases."""
        with self._lock:
            self._since[number] = time.process_time() + TURN * (cases - 1)

    def end(self, number: int) -> None:
        """An order is done."""
        with self._lock:
            self._since.pop(number, None)
            self._urged.pop(number, None)
            self._cancelled.discard(number)

    def urge(self, number: int, at_once: bool = False) -> None:
        """Others wait: pause an order when its turn is over, or at its next batch."""
        with self._lock:
            if number in self._since:
                self._urged[number] = at_once

    def cancel(self, number: int) -> None:
        """Stop an order at its next batch; a paused one stops now."""
        with self._lock:
            if number in self._since:
                self._cancelled.add(number)
        self.resume(number)

    def resume(self, number: int) -> None:
        """Let a paused order continue."""
        with self._lock:
            paused = self._paused.pop(number, None)
        if paused is not None:
            paused.set()

    def breathe(self, number: int, pausing: Callable[[], None]) -> None:
        """Called from work under way, between two batches: pause while others have their turn."""
        with self._lock:
            self._check(number)
            at_once, passed = self._urged.get(number), time.process_time() - self._since.get(number, 0.0)
            if at_once is None or (not at_once and passed < TURN):
                return
            del self._urged[number]
            paused = self._paused[number] = threading.Event()
        pausing()
        paused.wait()
        with self._lock:
            # What goes first whenever it comes must not make the turn of what it interrupts endless.
            self._since[number] = time.process_time() - (passed if at_once else 0.0)
            self._check(number)

    def _check(self, number: int) -> None:
        if number in self._cancelled:
            raise Cancelled("the user cancelled")


class _Child:
    """The child's side: the main thread reads orders, each of which is done in a thread of its own at once."""

    def __init__(self, orders: BinaryIO, answers: BinaryIO) -> None:
        self._orders, self._answers = orders, answers
        self._pauses = OrderPauses()
        self._budgets: dict[str, Budget] = {}
        self._writing = threading.Lock()

    def serve(self) -> None:
        signals: dict[str, Callable[[int], None]] = {
            "cancel": self._pauses.cancel,
            "yield": self._pauses.urge,
            "pause": partial(self._pauses.urge, at_once=True),
            "resume": self._pauses.resume,
        }
        try:
            while True:
                order: Order = pickle.load(self._orders)  # noqa: S301 - our own parent's
                if order.word in signals:
                    signals[order.word](order.number)
                else:
                    self._pauses.begin(order.number, 1 + len(order.joined))
                    work = self._prepare if order.word == "prepare" else self._do
                    threading.Thread(target=work, args=(order,), name="order", daemon=True).start()
        except (EOFError, OSError):
            os._exit(0)

    def _do(self, order: Order) -> None:
        result = self._joined(order) if order.joined else self._work(order)
        # Calls of a score that was stopped are answered and paid for all the same. What is under way is looked up first:
        # a call that ends after that is in what is sent here, or in what is sent later.
        unsettled = order.allowance is not None and self._budget(order).busy()
        self._send_spent(order)
        self._pauses.end(order.number)
        self._answer(order.number, "result", result)
        if unsettled:
            threading.Thread(target=self._settle, args=(order,), daemon=True).start()

    def _joined(self, order: Order) -> Any:
        """The judgement of an order; those of the cases that joined it are sent. All are read in one pass."""
        cases = [case for _, case in order.joined]
        with reusing():
            if self._work(order._replace(word="ahead", load=(*cases, order.load))) is None:
                return None
            for number, case in order.joined:
                self._answer(number, "result", self._work(order._replace(number=number, load=case)))
            return self._work(order)

    def _budget(self, order: Order) -> Budget:
        """The session's budget with its limits of now: what this process has spent for it, or the parent's count at the start."""
        allowed = order.allowance
        if allowed is None:
            return Budget()
        with self._writing:
            fresh = Budget(spent=allowed.spent)
            budget = self._budgets.setdefault(allowed.session, fresh)
            budget.calls, budget.dollars = allowed.calls, allowed.dollars
        return budget

    def _send_spent(self, order: Order) -> None:
        if order.allowance:
            budget = self._budget(order)
            self._answer(order.number, "spent", (order.allowance.session, budget.spent))

    def _settle(self, order: Order) -> None:
        while self._budget(order).busy():
            time.sleep(0.2)
        self._send_spent(order)

    def _answer(self, number: int, word: str, value: Any) -> None:
        try:
            answer = pickle.dumps((number, word, value))
        except Exception as error:
            # Half an answer in the pipe would end all of them, and none would leave somebody waiting.
            _log.error("an answer cannot be sent: %s", type(error).__name__)
            note = f"The result cannot be returned ({type(error).__name__}); the other methods continue."
            answer = pickle.dumps((number, word, Judgement(Status.FAILED, note=note, context_seen=0.0)))
        with self._writing:
            self._answers.write(answer)
            self._answers.flush()

    def _prepare(self, order: Order) -> None:
        from groundscope.methods import registry

        try:
            registry.load(order.method, **dict(order.options)).prepare()
            _give_back()
        except (GroundscopeError, ValueError) as error:
            _log.warning("%s", error)
        finally:
            self._pauses.end(order.number)
            self._answer(order.number, "result", None)

    def _work(self, order: Order) -> Any:
        """A judgement or vectors; a text after a call; None if cancelled."""

        def on_progress(done: int, total: int) -> None:
            self._pauses.breathe(order.number, lambda: self._answer(order.number, "paused", None))
            self._answer(order.number, "progress", (done, total))

        try:
            with spending(self._budget(order)):
                return _done(order, on_progress)
        except Cancelled:
            return None
        except GroundscopeError as error:
            return Judgement(Status.FAILED, note=str(error), context_seen=0.0)
        except Exception as error:
            # Frames only: an exception's message may quote the case.
            frames = "".join(traceback.format_tb(error.__traceback__))
            _log.error("scoring stopped with %s\n%s", type(error).__name__, frames)
            note = f"The method stopped with {type(error).__name__} on this case; the other methods continue."
            if order.word in (*CALLS, "check"):
                note = f"This stopped with {type(error).__name__}; try again."
            return Judgement(Status.FAILED, note=note, context_seen=0.0)


def _done(order: Order, heard: Listener) -> Any:
    from groundscope.methods import registry

    if order.word == "forget":
        replies.default().clear()
        return ""
    if order.word == "check":
        # In a thread: a server that falls silent must not hold up who cancels.
        (spec,) = order.load  # type: ignore[misc]
        with listening(heard):
            return ended(in_thread("check", chat_model(spec).check)).result()
    scorer: Any = registry.load(order.method, **dict(order.options))
    if order.word == "embed":
        return _embedded(scorer, list(order.load or ()), heard)  # type: ignore[arg-type]
    heard(0, 0)
    with listening(heard), keeping(order.keep), revising(order.again or bool(order.joined)), remembering(order.again):
        if order.word in CALLS:
            arguments: Any = order.load or ()
            return getattr(scorer, order.word)(*arguments) or ""
        if order.word == LEAVE_ONE_OUT:
            # A process that only scores does not wait for what this needs.
            from groundscope.grounding.sensitivity.leave_one_out import leave_one_out

            return leave_one_out(scorer, order.load)  # type: ignore[arg-type]
        if order.word == "ahead":
            return scorer.read_ahead(order.load) or ""
        return scorer.score(order.load)


def _embedded(scorer: Any, texts: list[str], heard: Listener) -> Matrix:
    """(n, d), the longest texts first, so that a slice holds texts of one length."""
    order, parts = sorted(range(len(texts)), key=lambda i: -len(texts[i])), []
    for at in range(0, max(1, len(texts)), SLICE):
        heard(at, len(texts))
        parts.append(scorer.embed([texts[i] for i in order[at : at + SLICE]]))
    heard(len(texts), len(texts))
    vectors: Matrix = np.concatenate(parts)
    return vectors[np.argsort(order)]


def _give_back() -> None:
    """Give the system what loading a model left free, some 200 MB; where there is no such call, it stays."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def main() -> None:
    """Serve orders from standard input until it closes. What libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _Child(sys.stdin.buffer, answers).serve()


if __name__ == "__main__":
    main()
