"""Weights of methods: downloads and checks of folders, one process each, and the buttons that start them.

A download continues when the user leaves the page, and shows again when the user comes back.
"""

import os
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

import streamlit as st

from components import shell, state
from components.controls import action, needs, progress
from components.worker import scoring
from components.worker.job import Job
from components.worker.process import Worker
from components.worker.scoring import LoadedMethod
from groundscope.drawing.html import Html, listed
from groundscope.methods import Requirement, download_size
from groundscope.storage.team import Role, use_case

_POLL = 0.5
_FAILED = {"fetch": "Download failed", "accept": "Folder refused"}
_SETTLED = 3.0
"""Seconds before the speed is estimated."""

_lock = threading.Lock()
_tasks: dict[str, "Task"] = {}


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


def begin(method: str, word: str, *arguments: str) -> Task:
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


def started(method: str, word: str, *arguments: str, done: str = "") -> Task:
    """A task in a process of its own, which ends with it."""
    # A folder is checked without a network.
    worker = Worker(online=word == "fetch")
    job = worker.call(word, method, *arguments)
    # Even if no page is open: the process holds the model that it checked.
    job.future.add_done_callback(lambda _: worker.end())
    return Task(word, done, worker, job)


def current_task(method: str) -> Task | None:
    """What is under way for a method."""
    with _lock:
        latest = _tasks.get(method)
    return latest if latest and not latest.job.future.done() else None


@use_case(Role.LEAD)
def cancel(method: str) -> None:
    """Stop what is under way for a method; the download so far stays for the next try."""
    if running := current_task(method):
        running.stop()


def settle(methods: Iterable[LoadedMethod]) -> None:
    """Take note of what is under way, also from other sessions, and of what has ended, whichever card is open."""
    for method in methods:
        if task := current_task(method.id):
            _watched()[method.id] = task
            continue
        watched = _watched().get(method.id)
        if watched is None or (outcome := watched.outcome) is None or outcome[1]:
            continue
        del _watched()[method.id]
        scoring.forget_failures(method.id)
        if method.missing:
            shell.say(_place(method.id), "info", "Saved. See below for what is still missing.")
        else:
            shell.say(_place(method.id), "good", outcome[0])
            state.show_method(method.id)


def failed(method: str) -> str:
    """What failed at the last try, in two words; empty if nothing did, or if the user stopped it."""
    task = _watched().get(method)
    if task is None or task.outcome is None or not task.outcome[1] or task.cancelled:
        return ""
    return _FAILED[task.word]


def show(method: LoadedMethod, needed: Sequence[Requirement], *, folders: bool = True) -> None:
    """How the last try ended, and progress or the ways to get weights that a user can supply; without `folders` by download."""
    _ended(method)
    if current_task(method.id):
        st.fragment(_progress, run_every=_POLL)(method.id)
    elif needed:
        _ways(method, needed, folders=folders)


def _place(method: str) -> str:
    return f"weights_{method}"


def _watched() -> dict[str, Task]:
    """Tasks that this session started or watched, whose result it must show; by method id."""
    tasks: dict[str, Task] = st.session_state.setdefault("weights_watched", {})
    return tasks


@use_case(Role.LEAD)
def _begin(method: str, word: str, *arguments: str) -> None:
    _watched()[method] = begin(method, word, *arguments)


def _ended(method: LoadedMethod) -> None:
    """The result of a download or a folder check: once if it worked, else until the next try."""
    shell.show_said(_place(method.id))
    task = _watched().get(method.id)
    if task is None or task.outcome is None:
        return
    problem = task.outcome[1]
    stays = " The previous setting stays." if task.word == "accept" and not (task.cancelled or method.missing) else ""
    shell.notice("info" if task.cancelled else "bad", f"{problem}{stays}")


def _progress(method: str) -> None:
    task = current_task(method)
    if task is None:
        st.rerun()
    progress(min(1.0, task.job.share), task.words, f"cancel_{method}", cancel, method)


def _ways(method: LoadedMethod, needed: Sequence[Requirement], *, folders: bool) -> None:
    missing = [r for r in needed if r.missing and r.page]
    with st.container(horizontal=True, vertical_alignment="center"):
        if missing:
            with st.popover("Get weights"):
                st.html(_offer(method, missing))
                size = download_size(missing)
                label = f"Download {size:,} MB" if size else "Download"
                action(label, f"get_{method.id}", _begin, method.id, "fetch", type="primary")
        if not folders:
            return
        with st.popover("Use a folder"):
            st.html(
                "<p class='gs-sub'>Weights copied by hand, for machines without a network: enter the folder that contains their "
                "config.json. They are loaded and checked before use. Leave the path empty to use the default places "
                "again.</p>"
            )
            for r in needed:
                if not r.from_index:
                    _folder(method.id, r)


def _folder(method: str, needed: Requirement) -> None:
    key = f"path_{method}_{needed.name}"
    # Not a plain button: it would get the path from before the user typed.
    with st.form(f"folder_{method}_{needed.name}", border=False):
        st.text_input(_field(needed), key=key, placeholder=needed.where or "/path/to/folder", persist_state="session")
        button = f"use_{method}_{needed.name}"
        st.form_submit_button("Check and use", key=button, on_click=_use, args=(method, needed.name, key), **needs(_begin))


def _use(method: str, name: str, key: str) -> None:
    _begin(method, "accept", name, st.session_state[key] or "")


def _field(needed: Requirement) -> str:
    if needed.replaceable:
        return "Folder, or organisation/model@commit on the hub"
    # Labels are markdown, which reads model@branch.name as a mail address.
    return f"Folder of {needed.name.replace('@', ', branch ')}"


def _size(needed: Requirement) -> str:
    return f"about {needed.megabytes:,} MB" if needed.megabytes else "of a size that the hub states"


def _offer(method: LoadedMethod, missing: list[Requirement]) -> str:
    hub = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    origins = dict.fromkeys("the package index that pip uses" if r.from_index else hub for r in missing)
    items = (
        Html(
            f"{escape(r.name)}, {_size(r)}<br><span class='gs-sub'>revision {escape(r.revision)} · "
            f'<a href="{escape(r.page)}" target="_blank" rel="noreferrer">{"package" if r.from_index else "model card"}</a>'
            f"{' · a pickle, read without running code' if r.pickled else ''}</span>"
        )
        for r in missing
    )
    return (
        f"<p>From {escape(' and '.join(origins))}, once. Your cases are not sent.</p>{listed(items, 'gs-offer')}"
        f"<p>Licence: {escape(method.about.licence)}.</p>"
    )
