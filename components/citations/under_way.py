"""Compare claims in another process: start a few at a time, wait, pause; cache each pair."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from math import nan
from typing import Any

import streamlit as st

from components import shell
from components.citations import state
from components.worker import scoring
from components.worker.process import Job
from groundscope.types import Judgement

Pair = tuple[str, str]
PATIENCE = 600.0
"""Seconds without an answer before the comparison is stopped."""
SLOW = "Stopped: no answer for 10 minutes. Choose fewer texts, or run `python -m groundscope citations FILE`."
_AT_ONCE = 8
"""How many comparisons are under way; the rest waits here, so that few are left over when the user leaves."""
_POLL = 0.1


def stop(measure: str, cancel: Callable[[Job], None]) -> None:
    """Pause: answers that came are cached, and only the user resumes."""
    for job in state.under_way(measure).values():
        cancel(job)
    state.under_way(measure).clear()
    state.agreed(measure).clear()
    state.stopped().add(measure)


def answered(result: Any) -> tuple[float, str]:
    """A job's result as (similarity, reason): NaN and a reason if the claims could not be compared."""
    if isinstance(result, list) and result:
        return float(result[0]), ""
    if not isinstance(result, Judgement):
        return nan, "The claims were not compared."
    if result.status.value == "failed":
        return nan, result.note or "The claims were not compared."
    return (nan if result.support is None else float(result.support)), ""


def gather(
    measure: str,
    begin: Callable[[Pair], Job],
    cancel: Callable[[Job], None],
    missing: Sequence[Pair],
    values: dict[Pair, float],
) -> bool:
    """Compare the missing pairs of a measure, with progress and a pause button; return whether all are done.

    A click elsewhere on the page interrupts this; the next redraw continues from there.
    """
    jobs = state.under_way(measure)
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, text="Comparing the claims")
        st.button("Pause", key=f"cites_stop_{measure}_{hash(tuple(missing))}", on_click=stop, args=(measure, cancel))
    waiting = deque(p for p in missing if p not in jobs)
    last, problem = time.monotonic(), ""
    while not problem and (waiting or jobs):
        while waiting and len(jobs) < _AT_ONCE:
            jobs.setdefault(waiting[0], begin(waiting[0]))
            waiting.popleft()
        for pair in [p for p, job in jobs.items() if job.future.done()]:
            problem = problem or _take(pair, jobs, values, waiting)
            last = time.monotonic()
        if time.monotonic() - last > PATIENCE:
            problem = SLOW
        for job in jobs.values():
            scoring.watching(job)
        done = sum(p in values for p in missing)
        # Drawn each time: only a run that draws notices a click.
        bar.progress(done / len(missing), text=f"Comparing the claims, {done:,} of {len(missing):,} pairs")
        time.sleep(_POLL)
    place.empty()
    if problem:
        stop(measure, cancel)
        shell.notice("bad", problem)
    return not problem


def _take(pair: Pair, jobs: dict[Pair, Job], values: dict[Pair, float], waiting: deque[Pair]) -> str:
    """Store the result of a finished job; return what went wrong."""
    result = jobs[pair].future.result()
    if result is None:
        # The worker gave the job up, because no page asked for it for a while.
        waiting.append(pair)
        del jobs[pair]
        return ""
    value, problem = answered(result)
    if not problem:
        values[pair] = value
        del jobs[pair]
    return problem
