"""Work in other processes: jobs in which chat models compare claims or split texts into claims, and the app's own worker."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from components import shell
from components.citations import messages, state
from components.experiments.panel import TaskPanel, offer
from components.scoring import app_worker
from components.worker.job import Job
from groundscope.citations.decomposing import DECOMPOSING, Decomposed, decomposed, decomposer
from groundscope.citations.similarity import COMPARING, compared_in
from groundscope.errors import DataError
from groundscope.experiments.forecast import CostEstimate
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import plan_of
from groundscope.files.sandbox import CITING, sandboxed
from groundscope.text.humanize import plural

Pair = tuple[str, str]
PATIENCE = 600.0
"""Seconds without an answer before what the app's worker does is stopped."""
SLOW = "Stopped: no answer for 10 minutes. Choose fewer texts, or run `python -m groundscope citations FILE`."
_POLL = 0.1


def _use_values(file: JobFile) -> None:
    state.values(plan_of(file).parts[0].id).update(compared_in(file))


def _use_claims(file: JobFile) -> None:
    (part,), subsections = plan_of(file).parts, plan_of(file).options["subsections"]
    for text, content in DECOMPOSING.by_item(file).items():
        document = sandboxed(CITING, decomposed, text, content, subsections=subsections)
        state.decomposed()[text, part.id, subsections] = document


_COMPARISONS = TaskPanel(COMPARING.kind, "Its values and its copy of the claims", take=_use_values, taking="Use the values")
_SPLITTINGS = TaskPanel(DECOMPOSING.kind, "Its claims and its copy of the texts", take=_use_claims, taking="Use the claims")


def show() -> None:
    """Jobs that are not finished, or whose result this session has not taken over."""
    for panel in (_COMPARISONS, _SPLITTINGS):
        panel.show()


def compare(measure: str, takes: CostEstimate, missing: Sequence[Pair]) -> None:
    """Offer a job in which a chat model compares pairs, unless one of this measure is under way."""
    if _COMPARISONS.works_here(measure):
        return
    st.html(messages.offer(plural(len(missing), "pair of claims", "pairs of claims"), "compared", takes.leaves))
    if (limits := offer([takes], "cites_claims")) is not None:
        title = f"Claims compared by {takes.title}"
        _COMPARISONS.start(COMPARING.create(title, {measure: takes.title}, missing, {}, limits, keeps=False))


def documents_by_model(texts: Sequence[str], line: str, *, subsections: bool) -> Mapping[str, Decomposed]:
    """What a model makes of each text; empty, with an offer on the page, while some are missing."""
    replies = state.decomposed()
    if missing := [t for t in texts if (t, line, subsections) not in replies]:
        takes = decomposer(line).takes(missing)
        if takes.calls:
            _split(missing, line, takes, subsections=subsections)
            return {}
        # None of them cites anything.
        replies.update({(t, line, subsections): decomposed(t, {"claims": []}) for t in missing})
    return {t: replies[t, line, subsections] for t in texts}


def _split(texts: Sequence[str], line: str, takes: CostEstimate, *, subsections: bool) -> None:
    if _SPLITTINGS.works_here(line):
        return
    st.html(messages.offer(plural(len(texts), "text"), "split into claims", takes.leaves))
    if (limits := offer([takes], "cites_texts")) is not None:
        title, chosen = f"Claims of {plural(len(texts), 'text')}", {"subsections": subsections}
        _SPLITTINGS.start(DECOMPOSING.create(title, {line: takes.title}, texts, chosen, limits, keeps=False))


def paused(measure: str) -> bool:
    """Whether the user paused a measure; says so, with a button to go on."""
    if measure not in state.stopped():
        return False
    shell.notice("info", "Paused. Finished comparisons are saved.")
    st.button("Resume comparing", key=f"cites_on_{measure}", on_click=state.stopped().discard, args=(measure,))
    return True


def awaited(jobs: Sequence[Job], doing: str, measure: str = "") -> list[Any]:
    """The results of jobs, with progress until all end, and a button to pause a measure; a click interrupts this and stops them.

    Raises a DataError after ten minutes without an answer.
    """
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, text=doing)
        if measure:
            st.button("Pause", key=f"cites_stop_{measure}_{doing}", on_click=state.stopped().add, args=(measure,))
    last, done = time.monotonic(), -1
    try:
        while not all(job.future.done() for job in jobs):
            for job in jobs:
                app_worker.watching(job)
            if (now := sum(job.done + job.future.done() for job in jobs)) != done:
                last, done = time.monotonic(), now
            if time.monotonic() - last > PATIENCE:
                state.stopped().update(filter(None, [measure]))
                raise DataError(SLOW)
            # Drawn each time: only a run that draws notices a click.
            bar.progress(sum(job.share for job in jobs) / len(jobs), text=doing)
            time.sleep(_POLL)
    finally:
        for job in jobs:
            if not job.future.done():
                app_worker.stop(job)
    place.empty()
    return [job.future.result() for job in jobs]
