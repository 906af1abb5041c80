"""Work of the methods page: downloads, checks of folders and of models, one process each. No streamlit here.

A download continues when the user leaves the page, and shows again when the user comes back.
"""

import threading
import time
from dataclasses import dataclass

from components.worker.process import Job, Worker

_SETTLED = 3.0
"""Seconds before the speed is estimated."""

_lock = threading.Lock()
_tasks: dict[str, "Task"] = {}


@dataclass
class Task:
    """Work on a method's weights, or with a model: `fetch`, `accept` or `check`.

    The job returns a text, empty to say `done`, or a failed judgement whose note says what to do. `began` has the time of the
    first bytes of this try, and how many there were.
    """

    word: str
    done: str
    worker: Worker
    job: Job
    cancelled: bool = False
    began: tuple[float, int] | None = None

    @property
    def share(self) -> float:
        """How much of it is done, 0..1."""
        return self.job.done / self.job.total if self.job.total else 0.0

    @property
    def short(self) -> str:
        """The task in a word or two."""
        return {"fetch": "Downloading", "accept": "Checking a folder", "check": "Asking the server"}[self.word]

    @property
    def words(self) -> str:
        """The progress in words."""
        if self.word == "accept":
            return "Loading and checking the folder"
        if self.word == "check":
            return "Asking the server whether the model is there; no text of a case is sent"
        if self.job.total and self.job.done >= self.job.total:
            return "Download complete; loading and checking"
        if self.job.total:
            return f"{self.job.done / 1e6:,.1f} of {self.job.total / 1e6:,.1f} MB{self._left()}"
        return "Asking the hub"

    @property
    def outcome(self) -> tuple[str, str] | None:
        """(done, problem), problem empty if it worked; None while it runs."""
        if not self.job.future.done():
            return None
        result = self.job.future.result()
        problem = getattr(result, "note", "")
        if problem and self.cancelled:
            problem = "Stopped. The download so far is saved, and the next try resumes it."
            if self.word == "accept":
                problem = "Stopped before the folder was checked."
            if self.word == "check":
                problem = "Stopped before the model answered."
        return (result if isinstance(result, str) and result else self.done), problem

    def _left(self) -> str:
        """The time left at the speed of this try, once it can be estimated."""
        if not self.began and self.job.done:
            self.began = (time.monotonic(), self.job.done)
        since, before = self.began or (0.0, 0)
        seconds, arrived = time.monotonic() - since, self.job.done - before
        if seconds < _SETTLED or arrived <= 0:
            return ""
        left = (self.job.total - self.job.done) * seconds / arrived
        return f", about {left / 60:.0f} min left" if left > 90 else f", about {left:.0f} s left"


def begin(method: str, word: str, *arguments: str) -> Task:
    """Start to fetch or check weights; return the task of this method that is already under way, if any."""
    with _lock:
        found = _tasks.get(method)
        if found and not found.job.future.done():
            return found
        # A folder is checked without a network.
        worker = Worker(online=word == "fetch")
        done = "The weights are installed and checked."
        if word == "accept":
            done = "The folder is checked and in use." if arguments[-1].strip() else "The default places are used again."
        job = worker.call(word, method, *arguments)
        # Even if no page is open: the process holds the model that it checked.
        job.future.add_done_callback(lambda _: worker.end())
        _tasks[method] = Task(word, done, worker, job)
        return _tasks[method]


def task(method: str) -> Task | None:
    """What is under way for a method."""
    with _lock:
        found = _tasks.get(method)
    return found if found and not found.job.future.done() else None


def cancel(method: str) -> None:
    """Stop at once, even while the server does not answer; the download so far stays for the next try."""
    if found := task(method):
        found.cancelled = True
        found.worker.end()
