"""The judgements of a case by the session's methods: what is asked of the worker, how far it is, and what came of it."""

import math
import time
from collections.abc import Sequence
from concurrent.futures import wait
from dataclasses import replace

from components import case_sets, state
from components.scoring import app_worker, asking, rules_in_use
from components.scoring.session import LoadedMethod
from components.worker.job import ABANDONED, Job
from groundscope.drawing.board import MethodRow
from groundscope.findings.listing import MethodReading
from groundscope.types import Case, Judgement, Status

_LOADING = "Loading the model"


def rows(case: Case, methods: Sequence[LoadedMethod], patience: float = 0.0, awaited: str = "") -> list[MethodRow]:
    """One row a method: its judgement, or how far it is. Starts what is missing.

    Waits so many seconds at most for quick methods, and for the one that is `awaited` by id.
    """
    rules_in_use.begin()
    for method in _turns(case, methods):
        if not method.missing:
            _start(case, method)
    if patience:
        quick = [method for method in methods if method.id == awaited or method.quick]
        wait([job.future for method in quick if (job := _job(case, method))], timeout=patience)
    _collect(case, methods)
    return [_row(case, method) for method in methods]


def _turns(case: Case, methods: Sequence[LoadedMethod]) -> list[LoadedMethod]:
    """The methods in the order in which they score: the quick ones first, so that something stands on the page at once."""
    first = case_sets.original(case)
    if first is None:
        # What needs no download comes before what does; of the others the small ones.
        return sorted(methods, key=lambda m: m.megabytes)
    taken = {m.id: judged.seconds for m in methods if (judged := state.judgements().get(_key(first, m)))}
    return sorted(methods, key=lambda m: taken.get(m.id, math.inf))


def _key(case: Case, method: LoadedMethod) -> tuple[str, Case]:
    return method.signature, case


def _job(case: Case, method: LoadedMethod) -> Job | None:
    return state.jobs().get(_key(case, method))


def _start(case: Case, method: LoadedMethod) -> None:
    key, asks = _key(case, method), method.method.asks
    if key in state.judgements() or key in state.jobs() or key in state.cancelled():
        return
    if app_worker.cold(method.part.loads) or not asking.may_send(method.method, case):
        return
    place, allowance = (asking.worker(), asking.allowance()) if asks else (app_worker.worker(), None)
    # In a line of their own, slow methods do not hold up the quick ones of the case that is opened next.
    line = state.user() if asks or method.quick else f"{state.user()} slow"
    state.jobs()[key] = place.submit(
        method.part.loads,
        case,
        tuple(sorted(method.part.options.items())),
        keep=case_sets.may_keep(case),
        allowance=allowance,
        session=line,
        again=case_sets.edited(case),
        quick=method.quick,
    )


def _collect(case: Case, methods: Sequence[LoadedMethod]) -> None:
    for method in methods:
        job = _job(case, method)
        if job is None:
            continue
        if job.future.done():
            key = _key(case, method)
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
    about = method.about
    threshold, source = state.thresholds().get(method.id, about.threshold), rules_in_use.source(method.id)
    if source or threshold != about.threshold:
        # Where a threshold comes from is not said of the one that the user set in its place.
        about = replace(about, threshold_source=source)
    if method.missing:
        # Not cached: the method scores as soon as its weights are installed.
        failed = Judgement(Status.FAILED, note=method.missing, context_seen=0.0)
        return MethodRow(method.id, about, failed, threshold, signature=method.signature)
    key, job, waits = _key(case, method), _job(case, method), _waits(case, method)
    words = job.words if job else "Cancelled" if key in state.cancelled() else ""
    if not words and key not in state.judgements():
        words = _LOADING if waits else "Not sent yet: confirm below"
    judgement = state.judgements().get(key)
    return MethodRow(method.id, about, judgement, threshold, words, waits or job is not None, method.signature)


def _waits(case: Case, method: LoadedMethod) -> bool:
    """Whether the score of a method is asked for as soon as its model is loaded."""
    key = _key(case, method)
    settled = key in state.judgements() or key in state.cancelled() or key in state.jobs()
    return app_worker.cold(method.part.loads) and not settled


def cancel(case: Case, methods: Sequence[LoadedMethod]) -> None:
    """Stop what runs for this case at its next batch."""
    for method in methods:
        if job := _job(case, method):
            app_worker.stop(job)
            if not job.future.done():
                # It may go on for another reader.
                state.jobs().pop(_key(case, method))
                state.cancelled().add(_key(case, method))
        elif _waits(case, method):
            state.cancelled().add(_key(case, method))


def again(case: Case, methods: Sequence[LoadedMethod]) -> None:
    """Forget that these were cancelled, so that they start again."""
    state.cancelled().difference_update([_key(case, method) for method in methods])


def waiting_offers(case: Case, methods: Sequence[LoadedMethod]) -> list[asking.SendingOffer]:
    """The offers that need consent before this case goes to a model elsewhere."""
    unscored = [m for m in methods if not m.missing and _key(case, m) not in state.judgements()]
    return asking.offers(case, [(m.about.title, m.method) for m in unscored])


def forget_failures(method: str) -> None:
    """Score again what a method failed on in this session: its weights are other ones now."""
    for key, judgement in list(state.judgements().items()):
        if judgement.status is Status.FAILED and key[0].startswith(method.partition(":")[0]):
            del state.judgements()[key]


def readings(drawn: Sequence[MethodRow]) -> list[MethodReading]:
    """What there is to export."""
    return [MethodReading(r.id, r.signature, r.judgement, r.threshold) for r in drawn if r.judgement]


def running(case: Case, methods: Sequence[LoadedMethod]) -> list[LoadedMethod]:
    """Methods that are still at work on this case, or wait for their model."""
    return [method for method in methods if _job(case, method) or _waits(case, method)]


def share_done(case: Case, methods: Sequence[LoadedMethod]) -> float:
    """How much of all these methods is finished, 0..1."""
    shares = [job.share if (job := _job(case, method)) else 1.0 - _waits(case, method) for method in methods]
    return min(1.0, sum(shares) / len(shares)) if shares else 1.0
