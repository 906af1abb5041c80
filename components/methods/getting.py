"""Weights of a method: the offer to download them, a folder copied by hand, progress, and how it ended."""

import os
from collections.abc import Iterable, Sequence
from html import escape

import streamlit as st

from components import shell, state
from components.controls import needs, progress
from components.methods import weights
from components.worker import scoring
from components.worker.scoring import LoadedMethod
from groundscope.drawing.html import Html, listed
from groundscope.methods import Requirement, download_size
from groundscope.storage.team.roles import Role

_POLL = 0.5
_FAILED = {"fetch": "Download failed", "accept": "Folder refused"}


def settle(methods: Iterable[LoadedMethod]) -> None:
    """Take note of what is under way, also from other sessions, and of what has ended, whichever card is open."""
    for method in methods:
        if task := weights.task(method.id):
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


def show(method: LoadedMethod, needed: Sequence[Requirement]) -> None:
    """How the last try ended, and progress or the ways to get weights; `needed` are those that a user can supply."""
    _ended(method)
    if weights.task(method.id):
        st.fragment(_progress, run_every=_POLL)(method.id)
    elif needed:
        _ways(method, needed)


def _place(method: str) -> str:
    return f"weights_{method}"


def _watched() -> dict[str, weights.Task]:
    """Tasks that this session started or watched, whose result it must show; by method id."""
    tasks: dict[str, weights.Task] = st.session_state.setdefault("weights_watched", {})
    return tasks


def _begin(method: str, word: str, *arguments: str) -> None:
    _watched()[method] = weights.begin(method, word, *arguments)


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
    task = weights.task(method)
    if task is None:
        st.rerun()
    progress(min(1.0, task.job.share), task.words, f"cancel_{method}", weights.cancel, method, role=Role.LEAD)


def _ways(method: LoadedMethod, needed: Sequence[Requirement]) -> None:
    missing = [r for r in needed if r.missing and r.page]
    with st.container(horizontal=True, vertical_alignment="center"):
        if missing:
            with st.popover("Get weights"):
                st.html(_offer(method, missing))
                size = download_size(missing)
                label = f"Download {size:,} MB" if size else "Download"
                st.button(
                    label, key=f"get_{method.id}", type="primary", on_click=_begin, args=(method.id, "fetch"), **needs(Role.LEAD)
                )
        with st.popover("Use a folder"):
            st.html(
                "<p class='gs-sub'>Weights copied by hand, for machines without a network: enter the folder that contains their "
                "config.json. They are loaded and checked before use. Leave the path empty to use the default places "
                "again.</p>"
            )
            for r in needed:
                _folder(method.id, r)


def _folder(method: str, needed: Requirement) -> None:
    key = f"path_{method}_{needed.name}"
    allowed = needs(Role.LEAD)
    # Not a plain button: it would get the path from before the user typed.
    with st.form(f"folder_{method}_{needed.name}", border=False):
        st.text_input(_field(needed), key=key, placeholder=needed.where or "/path/to/folder", persist_state="session")
        st.form_submit_button(
            "Check and use", key=f"use_{method}_{needed.name}", on_click=_use, args=(method, needed.name, key), **allowed
        )


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
    address = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    items = (
        Html(
            f"{escape(r.name)}, {_size(r)}<br><span class='gs-sub'>revision {escape(r.revision)} · "
            f'<a href="{escape(r.page)}" target="_blank" rel="noreferrer">model card</a>'
            f"{' · a pickle, read without running code' if r.pickled else ''}</span>"
        )
        for r in missing
    )
    return (
        f"<p>From {escape(address)}, once. Your cases are not sent.</p>{listed(items, 'gs-offer')}"
        f"<p>Licence: {escape(method.about.licence)}.</p>"
    )
