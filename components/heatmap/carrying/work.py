"""What carries sentences as this session has found it, and the jobs that find it."""

from typing import Any, NamedTuple

from components import case_sets, state
from components.chat import methods as asking
from components.worker import scoring
from components.worker.job import Job
from groundscope.grounding.sensitivity.carriers import Carried
from groundscope.grounding.sensitivity.leave_one_out import WHOLE, LeaveOneOut
from groundscope.types import Case, Judgement

_MOST = 60


class CarrierSearch(NamedTuple):
    """What carries a sentence of a case under a method with its settings, at a threshold; `sentences`: of the sources, too."""

    method: str
    signature: str
    case: Case
    sentence: int
    threshold: float | None
    sentences: bool = True


def _answers() -> dict[CarrierSearch, Carried | str]:
    return state.last_few(state.own("carrying_answers", {}), _MOST)


def _jobs() -> dict[CarrierSearch, Job]:
    return state.own("carrying_jobs", {})


def question(method: str, case: Case, sentence: int, threshold: float | None, *, sentences: bool = True) -> CarrierSearch:
    """What to find out; by a method that asks a chat model nothing that depends on the sentence or the threshold.

    Only of such a method it makes a difference whether `sentences` of the sources are left out, too: others always do.
    """
    made = scoring.loaded(method)
    if made.asks:
        return CarrierSearch(method, made.signature, case, WHOLE, None, sentences)
    return CarrierSearch(method, made.signature, case, sentence, threshold)


def answer(asked: CarrierSearch) -> Carried | str | None:
    """What was found, or why nothing was; None where it is not known yet."""
    job = _jobs().get(asked)
    if job is not None and job.future.done():
        _jobs().pop(asked)
        found = job.future.result()
        _answers()[asked] = found if isinstance(found, Carried) else _why(found)
    return _answers().get(asked)


def _why(found: Any) -> str:
    return found.note if isinstance(found, Judgement) else "Cancelled."


def running(asked: CarrierSearch) -> Job | None:
    """The job that looks for it."""
    job = _jobs().get(asked)
    if job is not None:
        scoring.watching(job)
    return job


def start(asked: CarrierSearch, first: Judgement) -> None:
    """Look for it; `first` is the judgement of the case that is shown."""
    _answers().pop(asked, None)
    if asked in _jobs():
        return
    # What is still looked for is of a sentence that is no longer shown.
    for other in _jobs():
        cancel(other)
    method = scoring.loaded(asked.method)
    place, allowance = (asking.worker(), asking.allowance()) if method.asks else (scoring.worker(), None)
    # The other methods score again: their first support then comes from the same batch as all others.
    load = (asked.case, asked.sentence, asked.threshold, first if method.asks else None, _known(asked), asked.sentences)
    _jobs()[asked] = place.apply(
        "carriers",
        asking.loads(asked.method),
        *load,
        options=tuple(sorted(asking.parameters(asked.method).items())),
        keep=case_sets.may_keep(asked.case),
        allowance=allowance,
        session=state.user(),
    )


def _known(asked: CarrierSearch) -> LeaveOneOut | None:
    """What was found for another sentence, if all of it holds for this one, too."""
    wanted = asked.signature, asked.case, asked.sentences
    others = (a for q, a in _answers().items() if (q.signature, q.case, q.sentences) == wanted)
    return next((a.found for a in others if isinstance(a, Carried) and not a.found.notes), None)


def cancel(asked: CarrierSearch) -> None:
    """Stop looking for it."""
    if job := _jobs().get(asked):
        (asking.worker() if job.remote else scoring.worker()).cancel(job)
