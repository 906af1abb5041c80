"""A job of the worker, as pages see it. No streamlit."""

import time
from concurrent.futures import Future
from typing import Any

from components.worker.scoring_process import LEAVE_ONE_OUT, ScoringProcess
from groundscope.types import Judgement, Status

LEFT = 3.0
"""Seconds without a page asking, after which a score goes behind those that pages wait for: its reader closed or left it."""
ABANDONED = 60.0
"""Seconds without a page asking, after which a score is given up."""
_AWAITED = {"score", "embed", LEAVE_ONE_OUT}
"""Orders that are for a page alone."""

_ENDED = {
    "score": "The scoring process ended (it may have run out of memory); it starts again with the next score.",
    "accept": "The check of the folder ended (memory may have run out); close other programs and try again.",
}
"""The message about a job whose process died, by kind of order."""


class Job:
    """One piece of work under way, as the parent sees it.

    `future` gives a judgement, or embeddings where these were asked for and could be made, a text after a call (mostly empty), or
    None if it was cancelled.
    """

    def __init__(self, number: int, word: str = "score", *, quick: bool = False) -> None:
        self.number, self.word, self.quick = number, word, quick
        self.child: ScoringProcess | None = None
        self.future: Future[Any] = Future()
        self.done, self.total, self.started = 0, 0, False
        self.remote = False
        self.watched = time.monotonic()
        self.readers = 1
        self.leader: Job | None = None

    def unwatched(self, seconds: float) -> bool:
        """Whether no page asked for it for so long, although it is for a page."""
        return self.word in _AWAITED and time.monotonic() - self.watched > seconds

    @property
    def rank(self) -> int:
        """What goes first: 0 = at once on the page, 1 = waited for, 2 = of a reader who left."""
        return 2 if self.unwatched(LEFT) else 1 - self.quick

    @property
    def share(self) -> float:
        """How much of it is done, 0..1."""
        return self.done / self.total if self.total else 0.0

    @property
    def words(self) -> str:
        """How far it is, for people."""
        if not self.started:
            return "Begins soon"
        if self.remote:
            return f"Asking, step {min(self.done + 1, self.total)} of {self.total}" if self.total else "Asking the model"
        return f"Scoring, {100 * self.done // self.total} %" if self.total else "Loading the model"

    def lost(self) -> Judgement:
        """The result of a job whose process died."""
        return Judgement(Status.FAILED, note=_ENDED.get(self.word, _ENDED["score"]), context_seen=0.0)
