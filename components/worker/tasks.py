"""Work on a method's weights, or a check of a chat model: one process each. No streamlit."""

import threading
import time
from dataclasses import dataclass
from typing import NamedTuple

from components.worker.job import Job
from components.worker.process import Worker
from groundscope.storage.team import Role, use_case

_SETTLED = 3.0
"""Seconds before the speed is estimated."""
_lock = threading.Lock()
_tasks: dict[str, "WorkerTask"] = {}


class _TaskWords(NamedTuple):
    """What a task says of itself: in a word or two, while it runs, and when the user stopped it."""

    short: str
    words: str
    stopped: str


_TASK_WORDS = {
    "fetch": _TaskWords("Downloading", "Asking for it", "Stopped. The download so far is saved, and the next try resumes it."),
    "accept": _TaskWords("Checking a folder", "Loading and checking the folder", "Stopped before the folder was checked."),
    "check": _TaskWords(
        "Asking the server",
        "Asking the server whether the model is there; no text of a case is sent",
        "Stopped before the model answered.",
    ),
}


@dataclass
class WorkerTask:
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
    def short(self) -> str:
        """The task in a word or two."""
        return _TASK_WORDS[self.word].short

    @property
    def words(self) -> str:
        """The progress in words."""
        done, total = self.job.done, self.job.total
        if self.word != "fetch" or not total:
            return _TASK_WORDS[self.word].words
        if done >= total:
            return "Download complete; loading and checking"
        return f"{done / 1e6:,.1f} of {total / 1e6:,.1f} MB{self._left()}"

    @property
    def outcome(self) -> tuple[str, str] | None:
        """(done, problem), problem empty if it worked; None while it runs."""
        if not self.job.future.done():
            return None
        result = self.job.future.result()
        problem = getattr(result, "note", "")
        if problem and self.cancelled:
            problem = _TASK_WORDS[self.word].stopped
        return (result if isinstance(result, str) and result else self.done), problem

    def stop(self) -> None:
        """Stop at once, even while the server does not answer."""
        if not self.job.future.done():
            self.cancelled = True
            self.worker.end()

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


def begin(method: str, word: str, *arguments: str) -> WorkerTask:
    """Start to fetch or check weights; return the task of this method that is already under way, if any."""
    with _lock:
        running = _tasks.get(method)
        if running and not running.job.future.done():
            return running
        done = "The weights are installed and checked."
        if word == "accept":
            done = "The folder is checked and in use." if arguments[-1].strip() else "The default places are used again."
        _tasks[method] = started(method, word, *arguments, done=done)
        return _tasks[method]


def started(method: str, word: str, *arguments: str, done: str = "") -> WorkerTask:
    """A task in a process of its own, which ends with it."""
    # A folder is checked without a network.
    worker = Worker(online=word == "fetch")
    job = worker.call(word, method, *arguments)
    # Even if no page is open: the process holds the model that it checked.
    job.future.add_done_callback(lambda _: worker.end())
    return WorkerTask(word, done, worker, job)


def current_task(method: str) -> WorkerTask | None:
    """What is under way for a method."""
    with _lock:
        latest = _tasks.get(method)
    return latest if latest and not latest.job.future.done() else None


@use_case(Role.LEAD)
def cancel(method: str) -> None:
    """Stop what is under way for a method; the download so far stays for the next try."""
    if running := current_task(method):
        running.stop()
