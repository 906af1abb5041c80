"""A job of the worker, as pages see it. No streamlit."""

import time
from concurrent.futures import Future
from typing import Any

from components.worker.scoring_process import ScoringProcess
from groundscope.types import Judgement, Status

ABANDONED = 60.0
"""Idle timeout: seconds without a page asking, after which a score is cancelled."""

_ENDED = {
    "score": "The scoring process ended (it may have run out of memory); it starts again with the next score.",
    "fetch": "The download ended (memory may have run out); download the weights again to resume.",
    "accept": "The check of the folder ended (memory may have run out); close other programs and try again.",
}
"""The message about a job whose process died, by kind of order."""


class Job:
    """One piece of work under way, as the parent sees it.

    `future` gives a judgement, or embeddings where these were asked for and could be made, a text after a call (mostly empty), or
    None if it was cancelled.
    """

    def __init__(self, number: int, word: str = "score", session: str = "") -> None:
        self.number, self.word, self.session = number, word, session
        self.child: ScoringProcess | None = None
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
            return "Begins soon"
        if self.remote:
            return f"Asking, step {min(self.done + 1, self.total)} of {self.total}" if self.total else "Asking the model"
        return f"Scoring, {100 * self.done // self.total} %" if self.total else "Loading the model"

    def lost(self) -> Judgement:
        """The result of a job whose process died."""
        return Judgement(Status.FAILED, note=_ENDED.get(self.word, _ENDED["score"]), context_seen=0.0)
