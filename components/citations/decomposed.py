"""Texts that a chat model takes apart into claims: what would be sent, progress with a way to stop, and what came of it."""

import time
from collections.abc import Sequence

import streamlit as st

from components import shell
from components.chat import budgets, methods
from components.citations import messages, state, under_way
from components.controls import errors_shown, needs
from components.worker import scoring
from components.worker.job import Job
from groundscope.citations.decomposing import Decomposed, Decomposer
from groundscope.methods import registry
from groundscope.storage.team.roles import Role
from groundscope.text.humanize import plural

Wanted = tuple[tuple[str, ...], str, bool]
"""Texts, the chat model, and whether subsections are authorities of their own."""
_POLL = 0.1


def documents(texts: Sequence[str], line: str, *, subsections: bool) -> dict[str, Decomposed]:
    """What a model makes of each text; empty, with an offer, progress or a notice on the page, while some are missing."""
    kept = state.decomposed()
    missing = tuple(t for t in texts if (t, line, subsections) not in kept)
    if missing:
        with errors_shown():
            _ask((missing, line, subsections))
    if any((t, line, subsections) not in kept for t in texts):
        return {}
    return {t: kept[t, line, subsections] for t in texts}


def _ask(wanted: Wanted) -> None:
    job = state.taken_apart().get(wanted)
    if job is not None:
        _wait(wanted, job)
        return
    texts, line, _ = wanted
    estimate = Decomposer(registry.chat(line)).estimate(list(texts))
    if not estimate.calls:
        _begin(wanted, sends=False)
        _wait(wanted, state.taken_apart()[wanted])
        return
    host, what = methods.host(line), plural(len(texts), "text")
    st.html(messages.offer(what, "taken apart", estimate, host, budgets.left()))
    st.button(messages.sending(what, host), key="cites_take_apart", on_click=_begin, args=(wanted,), **needs(Role.REVIEWER))


def _begin(wanted: Wanted, *, sends: bool = True) -> None:
    texts, line, subsections = wanted
    job = methods.ask("decompose", list(texts), line, subsections, sends=sends)
    state.taken_apart()[wanted] = job


def _stop(wanted: Wanted) -> None:
    if job := state.taken_apart().pop(wanted, None):
        methods.worker().cancel(job)


def _wait(wanted: Wanted, job: Job) -> None:
    """Show progress until the job ends; a click elsewhere interrupts this, and the next redraw goes on."""
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, text="Taking the texts apart")
        st.button("Stop", key="cites_take_apart_stop", on_click=_stop, args=(wanted,))
    last, done = time.monotonic(), -1
    while not job.future.done():
        scoring.watching(job)
        if job.done != done:
            last, done = time.monotonic(), job.done
        if time.monotonic() - last > under_way.PATIENCE:
            _stop(wanted)
            shell.notice("bad", under_way.SLOW)
            return
        # Drawn each time: only a run that draws notices a click.
        bar.progress(job.share, text=f"Taking the texts apart, {max(0, done):,} of {len(wanted[0]):,}")
        time.sleep(_POLL)
    place.empty()
    state.taken_apart().pop(wanted, None)
    result = job.future.result()
    if not isinstance(result, list):
        shell.notice("bad", getattr(result, "note", "") or "The texts were not taken apart.")
        return
    texts, line, subsections = wanted
    state.decomposed().update({(text, line, subsections): one for text, one in zip(texts, result, strict=True)})
