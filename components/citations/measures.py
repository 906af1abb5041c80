"""B-SIM on a page: which similarity of claims is used, and its values: worked out beside the page, kept in the session."""

import time
from collections.abc import Sequence
from math import nan

import numpy as np
import streamlit as st

from components import asking, scoring, shell
from components.citations import state
from evaluation.citations.similarity import Kept, RougeL, Similarity, entailment_case
from evaluation.errors import GroundscopeError
from evaluation.types import Judgement

ROUGE, COSINE = "rouge", "cosine"
_ENTAILS, _CHAT = "entails:", "chat:"
_PATIENCE = 600.0
_KEPT = 200_000
"""Values of one measure that a session keeps."""
Pair = tuple[str, str]


def titles() -> dict[str, str]:
    """The measures that can be used here, by id."""
    found = {ROUGE: "ROUGE-L", COSINE: "Embedding cosine (all-MiniLM-L6-v2)"}
    for m in scoring.methods():
        compares_words = m.id in ("overlap", "quip") or m.id.startswith("cos_sim")
        if not m.missing and not compares_words and not asking.asks(scoring.loaded(m.id)):
            found[f"{_ENTAILS}{m.id}"] = f"Entailment by {m.about.title}"
    if line := asking.line():
        found[f"{_CHAT}{line}"] = f"Asked: {line}"
    return found


def threshold_of(measure: str) -> float:
    """From which similarity on two claims count as the same, to begin with."""
    if measure == COSINE:
        return 0.6
    if measure.startswith(_ENTAILS):
        found = getattr(getattr(scoring.loaded(measure.removeprefix(_ENTAILS)), "about", None), "threshold", None)
        return 0.5 if found is None else float(found)
    return RougeL().threshold if measure == ROUGE else 0.5


class Wanted:
    """Collects the pairs that a score needs, and gives the values that are known already."""

    def __init__(self, measure: str, known: dict[Pair, float]) -> None:
        """Take what is known."""
        self.title, self.signature, self.threshold = measure, measure, 0.5
        self.known = known
        self.missing: dict[Pair, None] = {}

    def of(self, pairs: Sequence[Pair]) -> list[float]:
        """Known values; NaN for the others, which are noted."""
        self.missing |= {p: None for p in pairs if p not in self.known}
        return [self.known.get(p, nan) for p in pairs]


def known(measure: str) -> dict[Pair, float]:
    """Values of this session."""
    return state.values().setdefault(measure, {})


def similarity(measure: str, pairs: Sequence[Pair]) -> Similarity | None:
    """A similarity that has the values of all these pairs; None where they are not there, and why is said."""
    values = known(measure)
    if len(values) > _KEPT:
        values.clear()
    missing = [p for p in dict.fromkeys(pairs) if p not in values]
    if missing and not _worked_out(measure, missing):
        return None
    return Kept(titles().get(measure, measure), measure, threshold_of(measure), values)


def _worked_out(measure: str, missing: list[Pair]) -> bool:
    try:
        if measure == ROUGE:
            known(ROUGE).update(zip(missing, RougeL().of(missing), strict=True))
            return True
        if measure == COSINE:
            return _embedded(missing)
        if measure.startswith(_ENTAILS):
            return _entailed(measure, missing)
        return _asked(measure, missing)
    except GroundscopeError as error:
        shell.notice("bad", str(error))
        return False


def _embedded(missing: list[Pair]) -> bool:
    texts = list(dict.fromkeys(t for pair in missing for t in pair if t.strip()))
    if texts:
        job = scoring.embed(texts)
        with st.spinner("Embedding the claims"):
            found = job.future.result(timeout=_PATIENCE)
        if not isinstance(found, np.ndarray):
            shell.notice("bad", getattr(found, "note", "") or "The claims could not be embedded.")
            return False
        at = {t: found[i] for i, t in enumerate(texts)}
    for a, b in missing:
        both = a.strip() and b.strip()
        known(COSINE)[a, b] = min(1.0, max(0.0, float(at[a] @ at[b]))) if both else nan
    return True


def _entailed(measure: str, missing: list[Pair]) -> bool:
    method = measure.removeprefix(_ENTAILS)
    options = tuple(sorted(asking.parameters(method).items()))
    jobs = [scoring.worker().submit(method, entailment_case(*pair), options) for pair in missing]
    bar = st.progress(0.0, text="Comparing the claims")
    for i, (pair, job) in enumerate(zip(missing, jobs, strict=True)):
        began = time.monotonic()
        while not job.future.done() and time.monotonic() - began < _PATIENCE:
            for waiting in jobs[i:]:
                scoring.watching(waiting)
            time.sleep(0.05)
        found = job.future.result(timeout=0.1)
        if isinstance(found, Judgement) and found.status.value == "failed":
            bar.empty()
            shell.notice("bad", found.note)
            for other in jobs[i + 1 :]:
                scoring.stop(other)
            return False
        known(measure)[pair] = nan if not isinstance(found, Judgement) or found.support is None else found.support
        bar.progress((i + 1) / len(jobs), text="Comparing the claims")
    bar.empty()
    return True


def _asked(measure: str, missing: list[Pair]) -> bool:
    """Texts go to a model only after a click on a button that names the host."""
    line = measure.removeprefix(_CHAT)
    host = asking.host(line)
    where = f"to {host}" if host else "to a model on this machine"
    label = f"Send {len(missing):,} pairs of claims {where}"
    if not st.button(label, key="cites_send"):
        shell.notice("info", "The model has not been asked about these claims yet.")
        return False
    job = asking.worker().ask("claims", missing, line, keep=False, allowance=asking.allowance())
    with st.spinner("Asking"):
        found = job.future.result(timeout=_PATIENCE)
    if not isinstance(found, list):
        shell.notice("bad", getattr(found, "note", "") or "The model was not asked.")
        return False
    known(measure).update(zip(missing, found, strict=True))
    return True
