"""Scoring for pages: one worker for the whole process, results kept per session. Knows both streamlit and scorers."""

import logging
import threading
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache

import streamlit as st

import scorers
from components import state
from components.board import Row
from evaluation.errors import Cancelled, GroundscopeError
from evaluation.export import Result
from evaluation.progress import listening
from evaluation.types import About, Case, Judgement, Scorer, Status

DEFAULT = "cos_sim:minilm"
_ABANDONED = 60.0
"""Seconds without anybody looking, after which a score is given up."""

_log = logging.getLogger("groundscope")


@dataclass(frozen=True, slots=True)
class Method:
    """A method as the pages show it; `missing` says with the mend why it cannot run."""

    id: str
    about: About
    missing: str


class Job:
    """One score under way."""

    def __init__(self, scorer: Scorer, case: Case) -> None:
        """Start on the process-wide worker, after what waits there already."""
        self.done, self.total, self.started = 0, 0, False
        self.cancelled = False
        self.watched = time.monotonic()
        self.future: Future[Judgement | None] = _worker().submit(self._run, scorer, case)

    def _run(self, scorer: Scorer, case: Case) -> Judgement | None:
        self.started = True
        try:
            self._heard(0, 0)
            with listening(self._heard):
                return scorer.score(case)
        except Cancelled:
            return None
        except GroundscopeError as error:
            return Judgement(Status.FAILED, note=str(error), context_seen=0.0)
        except Exception as error:  # noqa: BLE001 - one method's bug must not take the others down
            # Frames only: an exception's message may quote the case.
            frames = "".join(traceback.format_tb(error.__traceback__))
            _log.error("scoring stopped with %s\n%s", type(error).__name__, frames)
            note = f"The method stopped with {type(error).__name__} on this case; the other methods go on."
            return Judgement(Status.FAILED, note=note, context_seen=0.0)

    def _heard(self, done: int, total: int) -> None:
        self.done, self.total = done, total
        if self.cancelled or time.monotonic() - self.watched > _ABANDONED:
            raise Cancelled("the user cancelled")

    @property
    def words(self) -> str:
        """How far it is, for people."""
        if not self.started:
            return "waiting for its turn"
        return f"scoring, {100 * self.done // self.total} %" if self.total else "loading the model"


@st.cache_resource(show_spinner=False)
def _worker() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="scoring")


@lru_cache(maxsize=64)
def _scorer(method: str) -> Scorer:
    return scorers.load(method)


def methods() -> tuple[Method, ...]:
    """Every method, the ready ones first."""
    found = []
    for name in scorers.names():
        try:
            scorer = _scorer(name)
        except GroundscopeError as error:
            found.append(Method(name, About(title=name, measures=""), str(error)))
            continue
        about = getattr(scorer, "about", None) or About(title=name, measures=(scorer.__doc__ or "").split("\n")[0])
        missing = scorer.unavailable() if hasattr(scorer, "unavailable") else ""
        found.append(Method(name, about, missing))
    return tuple(sorted(found, key=lambda m: (bool(m.missing), m.id != DEFAULT)))


def warm() -> None:
    """Load the opening method's model in the background, once a process."""
    _warming()


@lru_cache(maxsize=1)
def _warming() -> threading.Thread:
    thread = threading.Thread(target=_warm, name="warming", daemon=True)
    thread.start()
    return thread


def _warm() -> None:
    try:
        prepare = getattr(_scorer(DEFAULT), "prepare", None)
        if prepare:
            prepare()
        import eyecite  # noqa: F401 - a third of a second that the first case need not wait for
    except GroundscopeError as error:
        _log.warning("%s", error)


def rows(case: Case, chosen: Sequence[str], patience: float = 0.0) -> list[Row]:
    """One row a method: its judgement, or how far it is. Starts what is missing.

    Args:
        case: the case to judge.
        chosen: method ids in the order to show.
        patience: seconds to wait for results before answering.
    """
    ready = {m.id: m for m in methods()}
    deadline = time.monotonic() + patience
    # What needs no model goes first, so that something stands on the page at once.
    for name in sorted(chosen, key=lambda n: n.startswith("cos_sim")):
        _start(case, name)
    while time.monotonic() < deadline and any(_job(case, n) for n in chosen):
        _collect(case, chosen)
        time.sleep(0.01)
    _collect(case, chosen)
    return [_row(case, ready[name]) for name in chosen if name in ready]


def _key(case: Case, name: str) -> tuple[str, Case]:
    return _scorer(name).signature, case


def _job(case: Case, name: str) -> Job | None:
    job: Job | None = state.jobs().get(_key(case, name))
    return job


def _start(case: Case, name: str) -> None:
    key = _key(case, name)
    if key not in state.judgements() and key not in state.jobs() and key not in state.cancelled():
        state.jobs()[key] = Job(_scorer(name), case)


def _collect(case: Case, chosen: Sequence[str]) -> None:
    for name in chosen:
        job = _job(case, name)
        if job is None:
            continue
        job.watched = time.monotonic()
        if job.future.done():
            key = _key(case, name)
            judgement = job.future.result()
            state.jobs().pop(key)
            if judgement is None:
                state.cancelled().add(key)
            else:
                state.judgements()[key] = judgement


def _row(case: Case, method: Method) -> Row:
    key = _key(case, method.id)
    job = _job(case, method.id)
    words = job.words if job else "cancelled" if key in state.cancelled() else ""
    threshold = state.thresholds().get(method.id, method.about.threshold)
    return Row(method.id, method.about, state.judgements().get(key), threshold, words)


def cancel(case: Case, chosen: Sequence[str]) -> None:
    """Stop what runs for this case at its next batch."""
    for name in chosen:
        if job := _job(case, name):
            job.cancelled = True


def again(case: Case, chosen: Sequence[str]) -> None:
    """Forget that these were cancelled, so that they start again."""
    for name in chosen:
        state.cancelled().discard(_key(case, name))


def results(rows_: Sequence[Row]) -> list[Result]:
    """What there is to export."""
    return [Result(r.id, _scorer(r.id).signature, r.judgement, r.threshold) for r in rows_ if r.judgement]


def running(case: Case, chosen: Sequence[str]) -> list[str]:
    """Methods that are still at work on this case."""
    return [name for name in chosen if _job(case, name)]


def share_done(case: Case, chosen: Sequence[str]) -> float:
    """How much of all chosen methods is finished, 0..1."""
    shares = []
    for name in chosen:
        job = _job(case, name)
        shares.append(1.0 if job is None else job.done / job.total if job.total else 0.0)
    return min(1.0, sum(shares) / len(shares)) if shares else 1.0
