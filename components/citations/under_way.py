"""Compare claims in another process: start a few at a time, wait, pause; cache each pair."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from math import nan
from typing import Any, TypeVar

import streamlit as st

from components import shell
from components.citations import state
from components.worker import scoring
from components.worker.job import Job
from groundscope.types import Judgement

Pair = tuple[str, str]
Portion = tuple[Pair, ...]
T = TypeVar("T")
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


def paused(measure: str) -> bool:
    """Whether the user paused a measure; says so, with a button to go on."""
    if measure not in state.stopped():
        return False
    shell.notice("info", "Paused. Finished comparisons are saved.")
    st.button("Resume comparing", key=f"cites_on_{measure}", on_click=state.stopped().discard, args=(measure,))
    return True


def answered(result: Any) -> tuple[list[Any], str]:
    """A job's result as (values of its pairs, reason): no value and a reason if they could not be compared."""
    if isinstance(result, list) and result:
        return result, ""
    if not isinstance(result, Judgement):
        return [], "The claims were not compared."
    if result.status.value == "failed":
        return [], result.note or "The claims were not compared."
    return [nan if result.support is None else float(result.support)], ""


def gather(
    measure: str,
    begin: Callable[[Portion], Job],
    cancel: Callable[[Job], None],
    missing: Sequence[Pair],
    values: dict[Pair, T],
    *,
    most: int = 1,
    doing: str = "Comparing the claims",
) -> bool:
    """Compare the missing pairs of a measure, with progress and a pause button; return whether all are done.

    A job compares at most so many pairs. A click elsewhere on the page interrupts this; the next redraw continues from there.
    """
    jobs = state.under_way(measure)
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, text=doing)
        st.button("Pause", key=f"cites_stop_{measure}_{hash(tuple(missing))}", on_click=stop, args=(measure, cancel))
    begun = {pair for portion in jobs for pair in portion}
    waiting = deque(p for p in missing if p not in begun)
    last, problem = time.monotonic(), ""
    while not problem and (waiting or jobs):
        while waiting and len(jobs) < _AT_ONCE:
            portion = tuple(waiting[i] for i in range(min(most, len(waiting))))
            jobs[portion] = begin(portion)
            for _ in portion:
                waiting.popleft()
        for portion in [p for p, job in jobs.items() if job.future.done()]:
            problem = problem or _take(portion, jobs, values, waiting)
            last = time.monotonic()
        if time.monotonic() - last > PATIENCE:
            problem = SLOW
        for job in jobs.values():
            scoring.watching(job)
        done = sum(p in values for p in missing)
        # Drawn each time: only a run that draws notices a click.
        bar.progress(done / len(missing), text=f"{doing}, {done:,} of {len(missing):,} pairs")
        time.sleep(_POLL)
    place.empty()
    if problem:
        stop(measure, cancel)
        shell.notice("bad", problem)
    return not problem


def _take(portion: Portion, jobs: dict[Portion, Job], values: dict[Pair, T], waiting: deque[Pair]) -> str:
    """Store the result of a finished job; return what went wrong."""
    result = jobs[portion].future.result()
    if result is None:
        # The worker gave the job up, because no page asked for it for a while.
        waiting.extend(portion)
        del jobs[portion]
        return ""
    answers, problem = answered(result)
    if not problem:
        values.update(zip(portion, answers, strict=True))
        del jobs[portion]
    return problem
