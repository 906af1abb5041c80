"""B-SIM on a page: the choice of the similarity of claims, and its values, computed in another process and cached."""

import time
from collections.abc import Sequence
from math import nan
from typing import Any

import numpy as np
import streamlit as st

from components import shell, state
from components.chat.prompts import offered_prompts
from components.citations import messages
from components.controls import errors_shown
from components.experiments.panel import TaskPanel
from components.scoring import app_worker, asking
from components.scoring.session import this_session
from components.worker.job import Job
from groundscope.citations.similarity import (
    COMPARING,
    TASK,
    CachedSimilarity,
    RougeL,
    Similarity,
    asked,
    compared_in,
    entailment_case,
)
from groundscope.errors import DataError
from groundscope.experiments.forecast import CostEstimate
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import plan_of
from groundscope.text.humanize import plural
from groundscope.types import Judgement, Status

ROUGE, COSINE = "rouge", "cosine"
_ENTAILS = "entails:"
_KEPT = 200_000
"""Most cached values of one measure in a session."""
MOST = 100_000
"""Pairs of claims compared at a time."""
_PART, _AT_ONCE = 500, 8
"""Pairs that are compared between two looks at whether the user clicked: by ROUGE, and by a method."""


Pair = tuple[str, str]
PATIENCE = 600.0
"""Seconds without an answer before what the app's worker does is stopped."""
SLOW = "Stopped: no answer for 10 minutes. Choose fewer texts, or run `python -m groundscope citations FILE`."
_POLL = 0.1


def values_of(measure: str) -> dict[Pair, float]:
    """Cached similarities of a measure by pair of claims."""
    return state.own("cites_values", dict[str, dict[Pair, float]]()).setdefault(measure, {})


def stopped() -> set[str]:
    """Measures of a method whose comparison the user paused, until the user resumes it."""
    return state.own("cites_stopped", set())


def titles() -> dict[str, str]:
    """The measures that can be used here, by id."""
    measures = {ROUGE: "ROUGE-L", COSINE: "Embedding cosine (all-MiniLM-L6-v2)"}
    for m in this_session().ready:
        compares_words = m.id in ("overlap", "quip") or m.id.startswith("cos_sim")
        if not (compares_words or m.method.asks):
            measures[f"{_ENTAILS}{m.id}"] = f"Entailment by {m.about.title}"
    if line := asking.line():
        measures |= offered_prompts(TASK, f"chat:{line}", f"Chat model: {line}")
    return measures


def threshold_of(measure: str) -> float:
    """The default similarity from which two claims match."""
    if measure == COSINE:
        return 0.6
    if measure.startswith(_ENTAILS):
        threshold = this_session()[measure.removeprefix(_ENTAILS)].about.threshold
        return 0.5 if threshold is None else float(threshold)
    return RougeL().threshold if measure == ROUGE else 0.5


class PairCollector:
    """Collects the pairs that a score needs, and returns the values already known."""

    def __init__(self, measure: str, values: dict[Pair, float]) -> None:
        self.title, self.signature, self.threshold = measure, measure, 0.5
        self.values = values
        self.missing: dict[Pair, None] = {}

    def of(self, pairs: Sequence[Pair]) -> list[float]:
        """Known values; NaN for the others, which are collected."""
        self.missing |= {p: None for p in pairs if p not in self.values}
        return [self.values.get(p, nan) for p in pairs]


def similarity(measure: str, pairs: Sequence[Pair]) -> Similarity | None:
    """A similarity with the values of all these pairs; None if some are missing, with a notice on the page."""
    values = values_of(measure)
    distinct = list(dict.fromkeys(pairs))
    if len(values) > _KEPT:
        values.clear()
    missing = [p for p in distinct if p not in values]
    if len(missing) > MOST:
        shell.notice("info", messages.too_many(len(missing), MOST))
        return None
    if missing and not _worked_out(measure, missing):
        return None
    return CachedSimilarity(titles().get(measure, measure), measure, threshold_of(measure), values)


def _worked_out(measure: str, missing: list[Pair]) -> bool:
    with errors_shown():
        if measure == ROUGE:
            return _rouge(missing)
        if measure == COSINE:
            return _embedded(missing)
        if measure.startswith(_ENTAILS):
            return _entailed(measure, missing)
        _compare(measure, asked(measure).takes(missing), missing)
    return False


def _rouge(missing: list[Pair]) -> bool:
    """Compare in parts: each drawn step lets a click through, and finished values are cached."""
    values, place = values_of(ROUGE), st.empty()
    for at in range(0, len(missing), _PART):
        part = missing[at : at + _PART]
        values.update(zip(part, RougeL().of(part), strict=True))
        if len(missing) > _PART:
            done = min(len(missing), at + _PART)
            text = f"Comparing the claims, {done:,} of {len(missing):,} pairs"
            place.progress(done / len(missing), text=text)
    place.empty()
    return True


def _embedded(missing: list[Pair]) -> bool:
    texts = list(dict.fromkeys(t for pair in missing for t in pair if t.strip()))
    if texts:
        (vectors,) = _awaited([app_worker.embed(texts)], "Embedding the claims")
        if not isinstance(vectors, np.ndarray):
            shell.notice("bad", getattr(vectors, "note", "") or "The claims could not be embedded.")
            return False
        at = {t: vectors[i] for i, t in enumerate(texts)}
    values = values_of(COSINE)
    for a, b in missing:
        both = a.strip() and b.strip()
        values[a, b] = min(1.0, max(0.0, float(at[a] @ at[b]))) if both else nan
    return True


def _entailed(measure: str, missing: list[Pair]) -> bool:
    """Compare some pairs at a time, so that little is lost when the user leaves."""
    if _paused(measure):
        return False
    method, worker = this_session()[measure.removeprefix(_ENTAILS)], app_worker.worker()
    options = tuple(sorted(method.part.options.items()))
    for at in range(0, len(missing), _AT_ONCE):
        pairs = missing[at : at + _AT_ONCE]
        begun = [worker.submit(method.part.loads, entailment_case(*pair), options, session=state.user()) for pair in pairs]
        results = _awaited(begun, f"Comparing the claims, {at:,} of {len(missing):,} pairs", measure)
        for pair, result in zip(pairs, results, strict=True):
            if not isinstance(result, Judgement) or result.status is Status.FAILED:
                stopped().add(measure)
                shell.notice("bad", getattr(result, "note", "") or "The claims were not compared.")
                return False
            values_of(measure)[pair] = nan if result.support is None else result.support
    return True


def _paused(measure: str) -> bool:
    """Whether the user paused a measure; says so, with a button to go on."""
    if measure not in stopped():
        return False
    shell.notice("info", "Paused. Finished comparisons are saved.")
    st.button("Resume comparing", key=f"cites_on_{measure}", on_click=stopped().discard, args=(measure,))
    return True


def _awaited(jobs: Sequence[Job], doing: str, measure: str = "") -> list[Any]:
    """The results of jobs, with progress until all end, and a button to pause a measure; a click interrupts this and stops them.

    Raises a DataError after ten minutes without an answer.
    """
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, text=doing)
        if measure:
            st.button("Pause", key=f"cites_stop_{measure}_{doing}", on_click=stopped().add, args=(measure,))
    last, done = time.monotonic(), -1
    try:
        while not all(job.future.done() for job in jobs):
            for job in jobs:
                app_worker.watching(job)
            if (now := sum(job.done + job.future.done() for job in jobs)) != done:
                last, done = time.monotonic(), now
            if time.monotonic() - last > PATIENCE:
                stopped().update(filter(None, [measure]))
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


def _use_values(file: JobFile) -> None:
    values_of(plan_of(file).parts[0].id).update(compared_in(file))


COMPARISONS = TaskPanel(COMPARING.kind, "Its values and its copy of the claims", take=_use_values, taking="Use the values")


def _compare(measure: str, takes: CostEstimate, missing: Sequence[Pair]) -> None:
    """Offer a job in which a chat model compares pairs, unless one of this measure is under way."""
    if COMPARISONS.works_here(measure):
        return
    st.html(messages.offer(plural(len(missing), "pair of claims", "pairs of claims"), "compared", takes.leaves))
    if (limits := COMPARISONS.offer([takes], "cites_claims")) is not None:
        title = f"Claims compared by {takes.title}"
        COMPARISONS.start(COMPARING.create(title, {measure: takes.title}, missing, {}, limits, keeps=False))
