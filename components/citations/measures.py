"""B-SIM on a page: the choice of the similarity of claims, and its values, cached; models and methods compare in a job."""

import json
import time
from collections.abc import Mapping, Sequence
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
from groundscope.citations.similarity import (
    COMPARING,
    TASK,
    CachedSimilarity,
    RougeL,
    Similarity,
    compared_in,
    model_similarity,
)
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import plan_of
from groundscope.text.humanize import plural

ROUGE, COSINE = "rouge", "cosine"
_ENTAILS = "entails:"
_KEPT = 200_000
"""Most cached values of one measure in a session."""
MOST = 100_000
"""Pairs of claims compared at a time."""
_PART, _POLL = 500, 0.1
"""Pairs that ROUGE compares, and seconds of embedding, between two looks at whether the user clicked."""
Pair = tuple[str, str]


def values_of(measure: str, options: Mapping[str, Any] | None = None) -> dict[Pair, float]:
    """Cached similarities of a measure by pair of claims, with these options of its method, or else with the session's."""
    key = measure, json.dumps(_options(measure) if options is None else options, sort_keys=True)
    return state.own("cites_values", dict[tuple[str, str], dict[Pair, float]]()).setdefault(key, {})


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
    return RougeL().threshold if measure == ROUGE else model_similarity(measure, _options(measure)).threshold


def _options(measure: str) -> dict[str, Any]:
    """The session's options of the method of a measure."""
    method = measure.removeprefix(_ENTAILS)
    return {} if method == measure else dict(this_session()[method].part.options)


class PairCollector:
    """Collects the pairs that a score needs."""

    title = signature = ""
    threshold = 0.5

    def __init__(self) -> None:
        self.missing: dict[Pair, None] = {}

    def of(self, pairs: Sequence[Pair]) -> list[float]:
        """No value is known."""
        self.missing |= dict.fromkeys(pairs)
        return [nan] * len(pairs)


def similarity(measure: str, pairs: Sequence[Pair]) -> Similarity | None:
    """A similarity with the values of all these pairs; None if some are missing, with a notice on the page."""
    values = values_of(measure)
    if len(values) > _KEPT:
        values.clear()
    missing = [p for p in dict.fromkeys(pairs) if p not in values]
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
        _compare(measure, missing)
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
        job, place = app_worker.embed(texts), st.empty()
        try:
            while not job.future.done():
                app_worker.watching(job)
                # Drawn each time: only a run that draws notices a click.
                place.progress(job.share, text="Embedding the claims")
                time.sleep(_POLL)
        finally:
            app_worker.stop(job)
        place.empty()
        vectors = job.future.result()
        if not isinstance(vectors, np.ndarray):
            shell.notice("bad", getattr(vectors, "note", "") or "The claims could not be embedded.")
            return False
        at = {t: vectors[i] for i, t in enumerate(texts)}
    values = values_of(COSINE)
    for a, b in missing:
        both = a.strip() and b.strip()
        values[a, b] = min(1.0, max(0.0, float(at[a] @ at[b]))) if both else nan
    return True


def _use_values(file: JobFile) -> None:
    plan = plan_of(file)
    values_of(plan.parts[0].id, plan.options).update(compared_in(file))


COMPARISONS = TaskPanel(COMPARING.kind, "Its values and its copy of the claims", take=_use_values, taking="Use the values")


def _compare(measure: str, missing: Sequence[Pair]) -> None:
    """Offer a job in which a method with the session's options, or a chat model, compares pairs, unless one is under way."""
    if COMPARISONS.works_here(measure):
        return
    options = _options(measure)
    takes = model_similarity(measure, options).takes(missing)
    pairs = plural(len(missing), "pair of claims", "pairs of claims")
    st.html(messages.offer(pairs, "compared", takes.leaves, sent=takes.unit == "call"))
    if (limits := COMPARISONS.offer([takes], "cites_claims")) is not None:
        title = f"Claims compared by {takes.title}"
        COMPARISONS.start(COMPARING.create(title, {measure: takes.title}, missing, options, limits, keeps=False))
