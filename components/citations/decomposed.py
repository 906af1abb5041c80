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

DecomposeRequest = tuple[tuple[str, ...], str, bool]
"""Texts, the chat model, and whether subsections are authorities of their own."""
_POLL = 0.1


def documents(texts: Sequence[str], line: str, *, subsections: bool) -> dict[str, Decomposed]:
    """What a model makes of each text; empty, with an offer, progress or a notice on the page, while some are missing."""
    replies = state.decomposed()
    missing = tuple(t for t in texts if (t, line, subsections) not in replies)
    if missing:
        with errors_shown():
            _ask((missing, line, subsections))
    if any((t, line, subsections) not in replies for t in texts):
        return {}
    return {t: replies[t, line, subsections] for t in texts}


def _ask(request: DecomposeRequest) -> None:
    job = state.taken_apart().get(request)
    if job is not None:
        _wait(request, job)
        return
    texts, line, _ = request
    estimate = Decomposer(registry.chat(line)).estimate(list(texts))
    if not estimate.calls:
        _begin(request, sends=False)
        _wait(request, state.taken_apart()[request])
        return
    host, what = methods.host(line), plural(len(texts), "text")
    st.html(messages.offer(what, "taken apart", estimate, host, budgets.left()))
    st.button(messages.sending(what, host), key="cites_take_apart", on_click=_begin, args=(request,), **needs(Role.REVIEWER))


def _begin(request: DecomposeRequest, *, sends: bool = True) -> None:
    texts, line, subsections = request
    job = methods.ask("decompose", list(texts), line, subsections, sends=sends)
    state.taken_apart()[request] = job


def _stop(request: DecomposeRequest) -> None:
    if job := state.taken_apart().pop(request, None):
        methods.worker().cancel(job)


def _wait(request: DecomposeRequest, job: Job) -> None:
    """Show progress until the job ends; a click elsewhere interrupts this, and the next redraw goes on."""
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, text="Taking the texts apart")
        st.button("Stop", key="cites_take_apart_stop", on_click=_stop, args=(request,))
    last, done = time.monotonic(), -1
    while not job.future.done():
        scoring.watching(job)
        if job.done != done:
            last, done = time.monotonic(), job.done
        if time.monotonic() - last > under_way.PATIENCE:
            _stop(request)
            shell.notice("bad", under_way.SLOW)
            return
        # Drawn each time: only a run that draws notices a click.
        bar.progress(job.share, text=f"Taking the texts apart, {max(0, done):,} of {len(request[0]):,}")
        time.sleep(_POLL)
    place.empty()
    state.taken_apart().pop(request, None)
    result = job.future.result()
    if not isinstance(result, list):
        shell.notice("bad", getattr(result, "note", "") or "The texts were not taken apart.")
        return
    texts, line, subsections = request
    state.decomposed().update({(text, line, subsections): one for text, one in zip(texts, result, strict=True)})
