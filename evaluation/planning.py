"""Before a run: which cases, which methods, and what it will take in calls, money and time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation._fields import clean
from evaluation.about import About
from evaluation.benchmark import LANES
from evaluation.errors import DataError, GroundscopeError
from evaluation.plans import Plan
from evaluation.recorded_methods import Attached
from evaluation.run_data import MethodRun
from evaluation.run_folder import data_hash
from evaluation.store import Store
from evaluation.types import Case, Scorer

_ESTIMATED = 200
"""Cases whose calls are counted; with more of them the counts are scaled up."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a method will take for a set of cases.

    Attributes:
        method: its id.
        title: for people.
        missing: one sentence with the mend where it cannot run here.
        calls: of a chat model.
        tokens: of these calls, read and at most written.
        dollars: at most; None = the model's price is not known.
        address: the host that texts go to; empty = they stay here.
        seconds: expected, from runs of the same method; None = not known.
    """

    method: str
    title: str
    missing: str = ""
    calls: int = 0
    tokens: int = 0
    dollars: float | None = 0.0
    address: str = ""
    seconds: float | None = None


def chosen(cases: Sequence[Case], split: str = "", limit: int | None = None) -> tuple[Case, ...]:
    """The cases of a split (empty = all), at most `limit` of them.

    Raises:
        DataError: there is none; the message names the splits that there are.
    """
    found = [c for c in cases if not split or (c.split or "none") == split]
    if not found:
        if not cases:
            raise DataError("There is no case to judge; choose files that hold some.")
        there = ", ".join(sorted({c.split or "none" for c in cases}))
        raise DataError(f"No case has the split {split}; there are {there}.")
    return tuple(found[:limit])


def method_run(method: str, scorer: Scorer, options: Mapping[str, Any]) -> MethodRun:
    """How a run names a method."""
    about: About = getattr(scorer, "about", None) or About(title=method, measures="")
    return MethodRun(
        id=method,
        signature=scorer.signature,
        title=about.title,
        threshold=about.threshold,
        options=dict(options),
        tuned_on=about.tuned_on,
        asks=hasattr(scorer, "estimate"),
    )


def plan(
    name: str,
    source: str,
    cases: Sequence[Case],
    methods: Sequence[MethodRun],
    *,
    keeps_replies: bool = True,
    calls: int | None = None,
    dollars: float | None = None,
) -> Plan:
    """A run of methods over cases."""
    # A name may come from a shell or a file system that knows characters which no other file takes.
    names = [" ".join(clean(text).split()) for text in (name, source)]
    return Plan(names[0] or names[1], names[1], data_hash(cases), len(cases), tuple(methods), keeps_replies, calls, dollars)


def begin(store: Store, made: Plan, cases: Sequence[Case], attached: Sequence[Attached] = ()) -> str:
    """Put a run into the store, with the scores of other tools as its last methods; gives its id.

    Raises:
        StoreError: it cannot be written.
    """
    first = len(made.methods)
    whole = replace(made, methods=(*made.methods, *(a.method for a in attached)))
    return store.create(whole, cases, {place: found.judgements for place, found in enumerate(attached, first)})


def forecast(cases: Sequence[Case], scorers: Mapping[str, Scorer], known: Mapping[str, float]) -> list[Forecast]:
    """What each method will take.

    Args:
        cases: what is to be judged.
        scorers: by method id.
        known: mean seconds a response from earlier runs, by signature.
    """
    return [_one(method, scorer, cases, known) for method, scorer in scorers.items()]


def _one(method: str, scorer: Any, cases: Sequence[Case], known: Mapping[str, float]) -> Forecast:
    about: About = getattr(scorer, "about", None) or About(title=method, measures="")
    missing = scorer.unavailable() if hasattr(scorer, "unavailable") else ""
    each = known.get(scorer.signature)
    asks = hasattr(scorer, "estimate")
    seconds = None if each is None else each * len(cases) / (LANES if asks else 1)
    if missing or not asks:
        return Forecast(method, about.title, missing, seconds=seconds)
    step = max(1, len(cases) // _ESTIMATED)
    counted = cases[::step]
    try:
        found = [scorer.estimate(case) for case in counted]
    except GroundscopeError as error:
        return Forecast(method, about.title, str(error))
    scale = len(cases) / max(1, len(counted))
    costs = [e.dollars for e in found]
    return Forecast(
        method,
        about.title,
        calls=round(scale * sum(e.calls for e in found)),
        tokens=round(scale * sum(e.input + e.output for e in found)),
        dollars=None if None in costs else scale * sum(c for c in costs if c is not None),
        address=str(getattr(scorer, "address", "")),
        seconds=seconds,
    )
