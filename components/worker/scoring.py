"""Scoring for pages: one worker for all sessions, of one process or several; results kept per session.

What the methods page does with a method (options, weights) is in `catalogue.py`, which asks here.
"""

import gc
import math
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import wait
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module

from components import case_sets, state
from components.chat import methods as asking
from components.heatmap import frozen_rules
from components.worker.job import ABANDONED, Job
from components.worker.process import Worker
from components.worker.scoring_process import processes
from groundscope.drawing.board import MethodRow
from groundscope.errors import GroundscopeError
from groundscope.findings.listing import MethodReading
from groundscope.methods import About, Method, Unloadable, defaults, registry
from groundscope.methods.recommendation import Recommendation, eligible, recommended
from groundscope.text.differences import items
from groundscope.types import Case, Judgement, Status

_FIRST_PAGE = 4.0
_cold: set[str] = set()
_LOADING = "Loading the model"
_MORE = 20
"""Modules by which the imported ones must have grown before objects are frozen again: garbage of that moment is frozen too."""
_imported = 0
_STATISTICS = ("sklearn.metrics", "sklearn.isotonic", "scipy.stats")


@dataclass(frozen=True, slots=True)
class LoadedMethod:
    """A method as the pages show it; `missing` is why it cannot run and what to do, or empty."""

    id: str
    about: About
    missing: str
    on_request: bool = False


@lru_cache(maxsize=1)
def worker() -> Worker:
    """The app's worker; all sessions share it, in turn. Raises GroundscopeError if its size in the environment is no size."""
    return Worker(processes=processes())


def loaded(method: str) -> Method:
    """The method, or part of a run, with this session's options; one that says why it cannot run where it cannot be built.

    Not cached: the user may have changed the options.
    """
    try:
        return registry.load(asking.loads(method), **asking.parameters(method))
    except (GroundscopeError, ValueError) as error:
        return Unloadable(method, str(error))


def signature(method: str) -> str:
    """The method's signature with this session's options."""
    return loaded(method).signature


def methods() -> tuple[LoadedMethod, ...]:
    """Every method, the ready ones first, and of them the recommended one, with which pages open."""
    built = {name: loaded(name) for name in registry.names()}
    first_ones = (_recommended(built).method, defaults.QUICK)
    listed = [LoadedMethod(name, method.about, method.unavailable(), method.on_request) for name, method in built.items()]
    return tuple(sorted(listed, key=lambda m: (bool(m.missing), *(m.id != first for first in first_ones))))


def recommendation() -> Recommendation:
    """The method that is recommended with this session's options, and why."""
    return _recommended({name: loaded(name) for name in registry.names()})


def _recommended(methods: Mapping[str, Method]) -> Recommendation:
    return recommended(eligible(methods), {name: method.signature for name, method in methods.items()})


def lacks(method: LoadedMethod) -> str:
    """What a method lacks, in a few words; empty where it can run."""
    if not method.missing:
        return ""
    scorer = loaded(method.id)
    if any(r.missing for part in (scorer, *map(loaded, scorer.methods)) for r in part.requirements()):
        return "Weights not here"
    return "Model not ready" if scorer.asks else "Cannot be loaded"


def shown() -> tuple[LoadedMethod, ...]:
    """Every method, then the parts of runs that this session opened in the heatmap."""
    of_runs = []
    for name, part in state.parts().items():
        scorer = loaded(name)
        of_runs.append(LoadedMethod(name, replace(scorer.about, title=part.titled(scorer.about.title)), scorer.unavailable()))
    return (*methods(), *of_runs)


def freeze_imports() -> None:
    """Exclude what exists now from garbage collection, if many modules were imported since the last time.

    Streamlit collects all garbage after every run of a page. Going through all classes and functions of a hundred packages takes
    0.15 s each time, in which no other session is served.
    """
    global _imported
    if len(sys.modules) < _imported + _MORE:
        return
    _imported = len(sys.modules)
    # Streamlit has just collected what was garbage.
    gc.freeze()


@lru_cache(maxsize=1)
def warm() -> Job:
    """Start the worker, once a process, and load models there and the citation finder here, in the background.

    The job is that of the quick method, whose row is there at once; the recommended one is loaded last: it takes longest.
    """
    threading.Thread(target=_import_ahead, name="warming", daemon=True).start()
    slow = registry.ready(dict.fromkeys((defaults.EMBEDDER, recommended().method)))
    later = [name for name in slow if name != defaults.QUICK]
    _cold.update(later)
    job = worker().prepare(defaults.QUICK)
    threading.Thread(target=_load_ahead, args=(job, later), name="loading", daemon=True).start()
    return job


def _load_ahead(job: Job, methods: Sequence[str]) -> None:
    job.future.result()
    for name in methods:
        try:
            worker().prepare(name).future.result()
        finally:
            _cold.discard(name)


def cold(method: str) -> bool:
    """Whether a method's model is still being loaded ahead: its scores are asked for later, so that they hold up no others."""
    return asking.loads(method) in _cold


def _import_ahead() -> None:
    items("29 U.S.C. § 1")
    # What the pages of runs take seconds to import; the first page comes before it.
    time.sleep(_FIRST_PAGE)
    for module in _STATISTICS:
        import_module(module)


def rows(case: Case, chosen: Sequence[str], patience: float = 0.0) -> list[MethodRow]:
    """One row a method: its judgement, or how far it is. Starts what is missing; waits so many seconds at most for quick ones."""
    frozen_rules.begin(signature)
    ready = {m.id: m for m in shown()}
    for name in _turns(case, chosen):
        if name in ready and not ready[name].missing:
            _start(case, name)
    if patience:
        quick = [name for name in chosen if name == next(iter(ready)) or _quick(name)]
        wait([job.future for name in quick if (job := _job(case, name))], timeout=patience)
    _collect(case, chosen)
    return [_row(case, ready[name]) for name in chosen if name in ready]


def _turns(case: Case, chosen: Sequence[str]) -> list[str]:
    """The methods in the order in which they score: the quick ones first, so that something stands on the page at once."""
    first = case_sets.original(case)
    if first is None:
        # What needs no download comes before what does; of the others the small ones.
        return sorted(chosen, key=_weight)
    taken = {name: judged.seconds for name in chosen if (judged := state.judgements().get(_key(first, name)))}
    return sorted(chosen, key=lambda name: taken.get(name, math.inf))


def _weight(name: str) -> int:
    """Megabytes of a method's weights, -1 where it has none; what weighs other methods comes after them and finds theirs."""
    scorer = loaded(name)
    if scorer.methods:
        return 1 + max(_weight(m) for m in scorer.methods)
    needed = scorer.requirements()
    return sum(r.megabytes for r in needed) if needed else -1


def _quick(name: str) -> bool:
    """Whether a method scores a case in tenths of a second: it has no model, or the small one of the bundled embedder."""
    return _weight(name) <= 0


def _key(case: Case, name: str) -> tuple[str, Case]:
    return loaded(name).signature, case


def _job(case: Case, name: str) -> Job | None:
    job: Job | None = state.jobs().get(_key(case, name))
    return job


def _start(case: Case, name: str) -> None:
    key, scorer_ = _key(case, name), loaded(name)
    if key in state.judgements() or key in state.jobs() or key in state.cancelled() or not asking.may_send(scorer_, case):
        return
    if cold(name):
        return
    keep = case_sets.may_keep(case)
    options = tuple(sorted(asking.parameters(name).items()))
    place, allowance = (asking.worker(), asking.allowance()) if scorer_.asks else (worker(), None)
    again = case_sets.edited(case)
    # In a line of their own, slow methods do not hold up the quick ones of the case that is opened next.
    line = state.user() if scorer_.asks or _quick(name) else f"{state.user()} slow"
    state.jobs()[key] = place.submit(
        asking.loads(name), case, options, keep=keep, allowance=allowance, session=line, again=again, quick=_quick(name)
    )


def interval() -> float:
    """Seconds between two looks of a page at its scores: the more wait, the rarer, or looking would take what judging needs."""
    return min(2.0, max(0.3, 0.06 * worker().waiting))


def _collect(case: Case, chosen: Sequence[str]) -> None:
    for name in chosen:
        job = _job(case, name)
        if job is None:
            continue
        if job.future.done():
            key = _key(case, name)
            judgement = job.future.result()
            state.jobs().pop(key)
            if judgement is None:
                # Given up since no page asked: it is asked for again.
                if job.unwatched(ABANDONED):
                    continue
                state.cancelled().add(key)
            else:
                state.judge(key, judgement)
        job.watched = time.monotonic()


def _row(case: Case, method: LoadedMethod) -> MethodRow:
    threshold = state.thresholds().get(method.id, method.about.threshold)
    source = frozen_rules.source(method.id)
    if source or threshold != method.about.threshold:
        # Where a threshold comes from is not said of the one that the user set in its place.
        method = replace(method, about=replace(method.about, threshold_source=source))
    if method.missing:
        # Not cached: the method scores as soon as its weights are installed.
        failed = Judgement(Status.FAILED, note=method.missing, context_seen=0.0)
        return MethodRow(method.id, method.about, failed, threshold)
    key = _key(case, method.id)
    job = _job(case, method.id)
    words = job.words if job else "Cancelled" if key in state.cancelled() else ""
    waits = _waits(case, method.id)
    if not words and key not in state.judgements():
        words = _LOADING if waits else "Not sent yet: confirm below"
    return MethodRow(method.id, method.about, state.judgements().get(key), threshold, words, waits or job is not None)


def _waits(case: Case, name: str) -> bool:
    """Whether the score of a method is asked for as soon as its model is loaded."""
    key = _key(case, name)
    return cold(name) and key not in state.judgements() and key not in state.cancelled() and key not in state.jobs()


def gone(chosen: Sequence[str]) -> bool:
    """Whether one of these methods no longer exists: a deleted model."""
    return not {asking.loads(name) for name in chosen} <= set(registry.names())


def cancel(case: Case, chosen: Sequence[str]) -> None:
    """Stop what runs for this case at its next batch."""
    for name in chosen:
        if job := _job(case, name):
            stop(job)
            if not job.future.done():
                # It may go on for another reader.
                state.jobs().pop(_key(case, name))
                state.cancelled().add(_key(case, name))
        elif _waits(case, name):
            state.cancelled().add(_key(case, name))


def again(case: Case, chosen: Sequence[str]) -> None:
    """Forget that these were cancelled, so that they start again."""
    for name in chosen:
        state.cancelled().discard(_key(case, name))


def waiting_offers(case: Case, chosen: Sequence[str]) -> list[asking.SendingOffer]:
    """The offers that need consent before this case goes to a model elsewhere."""
    ready = {m.id: m for m in shown()}
    unscored = [
        name for name in chosen if name in ready and not ready[name].missing and _key(case, name) not in state.judgements()
    ]
    return asking.offers(case, [(ready[name].about.title, loaded(name)) for name in unscored])


def forget_failures(method: str) -> None:
    """Score again what a method failed on in this session: its weights are other ones now."""
    for key, judgement in list(state.judgements().items()):
        if judgement.status is Status.FAILED and key[0].startswith(method.partition(":")[0]):
            del state.judgements()[key]


def results(rows_: Sequence[MethodRow]) -> list[MethodReading]:
    """What there is to export."""
    return [MethodReading(r.id, loaded(r.id).signature, r.judgement, r.threshold) for r in rows_ if r.judgement]


def running(case: Case, chosen: Sequence[str]) -> list[str]:
    """Methods that are still at work on this case, or wait for their model."""
    return [name for name in chosen if _job(case, name) or _waits(case, name)]


def share_done(case: Case, chosen: Sequence[str]) -> float:
    """How much of all chosen methods is finished, 0..1."""
    shares = [job.share if (job := _job(case, name)) else 1.0 - _waits(case, name) for name in chosen]
    return min(1.0, sum(shares) / len(shares)) if shares else 1.0


def embed(texts: list[str]) -> Job:
    """Start to embed texts with the bundled model in the worker; the job gives vectors, a failed judgement or None."""
    return worker().embed(defaults.EMBEDDER, texts, session=state.user())


def watching(job: Job) -> None:
    """Mark a job as still awaited; the worker gives up jobs that no page awaits."""
    job.watched = time.monotonic()


def stop(job: Job) -> None:
    """Stop a job of this worker, or of the one that asks models, at its next batch."""
    (asking.worker() if job.remote else worker()).cancel(job)
