"""B-SIM on a page: the choice of the similarity of claims, and its values, computed in another process and cached."""

from collections.abc import Sequence
from math import nan

import numpy as np
import streamlit as st

from components import shell
from components import state as session
from components.chat import budgets
from components.chat.prompts import offered_prompts
from components.citations import jobs, messages, state
from components.citations.jobs import Pair
from components.controls import errors_shown, needs
from components.scoring import app_worker, asking
from components.scoring.methods import session_methods
from components.worker.job import Job
from groundscope.chat.prompt_files import asked_chat
from groundscope.citations.similarity import TASK, CachedSimilarity, RougeL, Similarity, asked, entailment_case
from groundscope.text.humanize import plural

ROUGE, COSINE = "rouge", "cosine"
_ENTAILS = "entails:"
_KEPT = 200_000
"""Most cached values of one measure in a session."""
MOST = 100_000
"""Pairs of claims compared at a time."""
_PART = 500


def titles() -> dict[str, str]:
    """The measures that can be used here, by id."""
    measures = {ROUGE: "ROUGE-L", COSINE: "Embedding cosine (all-MiniLM-L6-v2)"}
    for m in session_methods().ready:
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
        threshold = session_methods()[measure.removeprefix(_ENTAILS)].about.threshold
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
    values = state.values(measure)
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
        return _asked(measure, missing)
    return False


def _rouge(missing: list[Pair]) -> bool:
    """Compare in parts: each drawn step lets a click through, and finished values are cached."""
    values, place = state.values(ROUGE), st.empty()
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
        vectors = _vectors(texts)
        if not isinstance(vectors, np.ndarray):
            shell.notice("bad", getattr(vectors, "note", "") or "The claims could not be embedded.")
            return False
        at = {t: vectors[i] for i, t in enumerate(texts)}
    values = state.values(COSINE)
    for a, b in missing:
        both = a.strip() and b.strip()
        values[a, b] = min(1.0, max(0.0, float(at[a] @ at[b]))) if both else nan
    return True


def _vectors(texts: list[str]) -> object:
    """Vectors, or the result that came instead."""
    job = app_worker.embed(texts)
    try:
        vectors: object = jobs.awaited(job, "Embedding the claims")
    finally:
        # A click also ends this run here: stop the work that no page waits for.
        if not job.future.done():
            app_worker.stop(job)
    return vectors


def _entailed(measure: str, missing: list[Pair]) -> bool:
    method = session_methods()[measure.removeprefix(_ENTAILS)]
    options = tuple(sorted(method.part.options.items()))

    def begin(pair: Pair) -> Job:
        return app_worker.worker().submit(method.part.loads, entailment_case(*pair), options, session=session.user())

    return not jobs.paused(measure) and jobs.gather(measure, begin, missing, state.values(measure))


def _asked(measure: str, missing: list[Pair]) -> bool:
    """Send claims to a model, only after a click below a sentence that names the host and the cost."""
    agreed = state.agreed(measure)
    unsent = [p for p in missing if p not in agreed]
    if unsent:
        host = asking.host(asked_chat(measure).spec)
        estimate = asked(measure).estimate(unsent)
        what = plural(len(unsent), "pair of claims", "pairs of claims")
        st.html(messages.offer(what, "compared", estimate, host, budgets.left()))
        st.button(messages.sending(what, host), key="cites_send", on_click=agreed.update, args=(unsent,), **needs(asking.ask))
        return False

    return jobs.gather(measure, lambda pair: asking.ask("claims", [pair], measure), missing, state.values(measure))
