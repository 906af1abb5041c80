"""Work in other processes: claims are compared, a few pairs at a time, and a chat model splits texts into claims."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from math import nan
from typing import Any

import streamlit as st

from components import shell
from components.chat import budgets
from components.citations import messages, state
from components.controls import errors_shown, needs
from components.scoring import app_worker, asking
from components.worker.job import Job
from groundscope.chat.prompt_files import asked_chat
from groundscope.citations.decomposing import Decomposed, decomposer
from groundscope.errors import DataError
from groundscope.text.humanize import plural
from groundscope.types import Judgement

Pair = tuple[str, str]
PATIENCE = 600.0
"""Seconds without an answer before the comparison is stopped."""
SLOW = "Stopped: no answer for 10 minutes. Choose fewer texts, or run `python -m groundscope citations FILE`."
_AT_ONCE = 8
"""How many comparisons are under way; the rest waits here, so that few are left over when the user leaves."""
_POLL = 0.1


def stop(measure: str) -> None:
    """Pause: answers that came are cached, and only the user resumes."""
    for job in state.under_way(measure).values():
        app_worker.stop(job)
    state.under_way(measure).clear()
    state.agreed(measure).clear()
    state.stopped().add(measure)


def paused(measure: str) -> bool:
    """Whether the user paused a measure; says so, with a button to go on."""
    if measure not in state.stopped():
        return False
    shell.notice("info", "Paused. Finished comparisons are saved.")
    st.button("Resume comparing", key=f"cites_on_{measure}", on_click=state.stopped().discard, args=(measure,))
    return True


def answered(result: Any) -> float | str:
    """A job's result as the value of its pair, or why it could not be compared."""
    if isinstance(result, list) and result:
        return float(result[0])
    if not isinstance(result, Judgement):
        return "The claims were not compared."
    if result.status.value == "failed":
        return result.note or "The claims were not compared."
    return nan if result.support is None else float(result.support)


def gather(measure: str, begin: Callable[[Pair], Job], missing: Sequence[Pair], values: dict[Pair, float]) -> bool:
    """Compare the missing pairs of a measure, with progress and a pause button; return whether all are done.

    A click elsewhere on the page interrupts this; the next redraw continues from there.
    """
    jobs = state.under_way(measure)
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, text="Comparing the claims")
        st.button("Pause", key=f"cites_stop_{measure}_{hash(tuple(missing))}", on_click=stop, args=(measure,))
    waiting = deque(p for p in missing if p not in jobs)
    last, problem = time.monotonic(), ""
    while not problem and (waiting or jobs):
        while waiting and len(jobs) < _AT_ONCE:
            pair = waiting.popleft()
            jobs[pair] = begin(pair)
        for pair in [p for p, job in jobs.items() if job.future.done()]:
            problem = problem or _take(pair, jobs, values, waiting)
            last = time.monotonic()
        if time.monotonic() - last > PATIENCE:
            problem = SLOW
        for job in jobs.values():
            app_worker.watching(job)
        done = sum(p in values for p in missing)
        # Drawn each time: only a run that draws notices a click.
        bar.progress(done / len(missing), text=f"Comparing the claims, {done:,} of {len(missing):,} pairs")
        time.sleep(_POLL)
    place.empty()
    if problem:
        stop(measure)
        shell.notice("bad", problem)
    return not problem


def _take(pair: Pair, jobs: dict[Pair, Job], values: dict[Pair, float], waiting: deque[Pair]) -> str:
    """Store the result of a finished job; return what went wrong."""
    result = jobs[pair].future.result()
    if result is None:
        # The worker gave the job up, because no page asked for it for a while.
        waiting.append(pair)
    elif isinstance(answer := answered(result), str):
        return answer
    else:
        values[pair] = answer
    del jobs[pair]
    return ""


DecomposeRequest = tuple[tuple[str, ...], str, bool]
"""Texts, the chat model, and whether subsections are authorities of their own."""


def documents_by_model(texts: Sequence[str], line: str, *, subsections: bool) -> dict[str, Decomposed]:
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
    estimate = decomposer(line).estimate(list(texts))
    if not estimate.calls:
        _begin(request, asking.replay)
        _wait(request, state.taken_apart()[request])
        return
    host, what = asking.host(asked_chat(line).spec), plural(len(texts), "text")
    st.html(messages.offer(what, "split into claims", estimate, host, budgets.left()))
    sent = (request, asking.ask)
    st.button(messages.sending(what, host), key="cites_take_apart", on_click=_begin, args=sent, **needs(asking.ask))


def _begin(request: DecomposeRequest, ask: Callable[..., Job]) -> None:
    texts, line, subsections = request
    job = ask("decompose", list(texts), line, subsections)
    state.taken_apart()[request] = job


def _stop(request: DecomposeRequest) -> None:
    if job := state.taken_apart().pop(request, None):
        app_worker.stop(job)


def awaited(job: Job, doing: str, stop: Callable[[], None] | None = None) -> Any:
    """The result of a job, with progress until it ends, and a button to stop it where that can be; a click interrupts this.

    Raises a DataError after ten minutes without an answer.
    """
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, text=doing)
        if stop:
            st.button("Stop", key="cites_take_apart_stop", on_click=stop)
    last, done = time.monotonic(), -1
    while not job.future.done():
        app_worker.watching(job)
        if job.done != done:
            last, done = time.monotonic(), job.done
        if time.monotonic() - last > PATIENCE:
            if stop:
                stop()
            raise DataError(SLOW)
        # Drawn each time: only a run that draws notices a click.
        bar.progress(job.share, text=f"{doing}, {done:,} of {job.total:,}" if job.total else doing)
        time.sleep(_POLL)
    place.empty()
    return job.future.result()


def _wait(request: DecomposeRequest, job: Job) -> None:
    result = awaited(job, "Splitting the texts into claims", partial(_stop, request))
    state.taken_apart().pop(request, None)
    if not isinstance(result, list):
        shell.notice("bad", getattr(result, "note", "") or "The texts were not split into claims.")
        return
    texts, line, subsections = request
    state.decomposed().update({(text, line, subsections): one for text, one in zip(texts, result, strict=True)})
