"""Plan a run: its cases, its methods, and an estimate of calls, cost and time."""

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing

import numpy as np

from groundscope.cases.dataset import to_row
from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.errors import DataError, GroundscopeError
from groundscope.experiments.forecast import CostEstimate
from groundscope.experiments.plan import Content, Part, Stored
from groundscope.experiments.steps import LANES
from groundscope.files.fields import clean, cleaned
from groundscope.grounding.imported.scores import ImportedMethod
from groundscope.grounding.runs.folder import rows_hash
from groundscope.grounding.runs.listing import entries, read
from groundscope.grounding.runs.store import FOLDER, RunPlan, create
from groundscope.methods import Method
from groundscope.types import Case

_ESTIMATED = 200
"""Cases whose calls are counted; with more of them the counts are scaled up."""


def chosen(cases: Sequence[Case], split: str = "", limit: int | None = None) -> tuple[Case, ...]:
    """Choose the cases of a run."""
    in_split = [c for c in cases if not split or (c.split or "none") == split]
    if not in_split:
        if not cases:
            raise DataError("There is no case to judge; choose files that hold some.")
        there = ", ".join(sorted({c.split or "none" for c in cases}))
        raise DataError(f"No case has the split {split}; there are {there}.")
    return tuple(in_split[:limit])


def _rows(cases: Sequence[Case]) -> list[Content]:
    return [cleaned(to_row(case)) for case in cases]


def hash_of(cases: Sequence[Case]) -> str:
    """Hash cases as the plan of a run states them."""
    return rows_hash(_rows(cases))


def begin(
    name: str,
    source: str,
    cases: Sequence[Case],
    methods: Sequence[Part],
    attached: Sequence[ImportedMethod] = (),
    *,
    keeps_replies: bool = True,
    timed: bool = True,
    limits: Limits = NO_LIMITS,
    afresh: bool = False,
    wordings: Sequence[int] = (),
    again: Mapping[int, Iterable[Stored]] | None = None,
) -> str:
    """Make a run of methods over cases, with the scores of other tools as its last methods.

    `again` has, by place of the method, its results in an earlier run over the same cases.
    """
    # Names of a shell or a file system, and cases made in Python, may hold characters which no file takes.
    names = [" ".join(clean(text).split()) for text in (name, source)]
    rows = _rows(cases)
    whole = (*methods, *(a.method for a in attached))
    plan = RunPlan(
        names[0] or names[1], names[1], rows_hash(rows), len(rows), whole, keeps_replies, timed, afresh, tuple(wordings)
    )
    run = create(plan, rows, {m: found.judgements for m, found in enumerate(attached, len(methods))}, limits, again)
    if not methods:
        with closing(FOLDER.open(run)) as file:
            file.finish()
    return run


def forecast(
    cases: Sequence[Case],
    parts: Sequence[tuple[Part, Method]],
    seconds_each: Mapping[str, float],
    wordings: Sequence[int] = (),
    *,
    size: float = 1.0,
) -> dict[str, CostEstimate]:
    """Estimate what each part takes; `size` is the length of a response beside those that the seconds are of."""
    by: dict[int, list[Case]] = {}
    for case, number in zip(cases, wordings or [0] * len(cases), strict=True):
        by.setdefault(number, []).append(case)
    return {part.id: _one(part.title, method, by, seconds_each, size) for part, method in parts}


def _one(
    title: str, method: Method, by: Mapping[int, Sequence[Case]], seconds_each: Mapping[str, float], size: float
) -> CostEstimate:
    asked = [(made, cases) for number, cases in by.items() if (made := method.reworded(number) if number else method)]
    missing, each = method.unavailable(), seconds_each.get(method.signature)
    number = sum(len(cases) for _, cases in asked)
    # A call takes its time, however short the text.
    seconds = None if each is None else each * number * (1 / LANES if method.asks else size)
    if missing or not method.asks:
        return CostEstimate(title, missing=missing, seconds=seconds)
    calls, again, tokens, dollars = 0.0, 0.0, 0.0, 0.0
    try:
        for reworded, cases in asked:
            counted = cases[:: max(1, len(cases) // _ESTIMATED)]
            scale = len(cases) / max(1, len(counted))
            for cost in map(reworded.estimate, counted):
                calls += scale * cost.calls
                again += scale * cost.again
                tokens += scale * (cost.input + cost.output)
                # A price that is not known makes the sum one that is not.
                dollars += scale * (math.nan if cost.dollars is None else cost.dollars)
    except GroundscopeError as error:
        return CostEstimate(title, missing=str(error))
    return CostEstimate(
        title,
        calls=round(calls),
        again=round(again),
        dollars=None if math.isnan(dollars) else dollars,
        address=method.address,
        tokens=round(tokens),
        seconds=seconds,
    )


_LATEST = 5
"""Runs that expected times are taken from."""


def known_seconds() -> Mapping[str, float]:
    """Find the seconds a response that methods took in the latest runs and the samples; later runs win, unless much smaller."""
    per_response: dict[str, float] = {}
    sizes: dict[str, int] = {}
    there = [e for e in entries()[0] if e.finished]
    for entry in reversed([*there[:_LATEST], *[e for e in there[_LATEST:] if e.comes_with_app]]):
        try:
            run = read(entry)
        except GroundscopeError:
            continue
        for m, method in enumerate(run.methods):
            # What a local method uses again it will use again then, too; a kept reply says nothing of the next call.
            counted = run.timed[m] if method.asks else run.support[m] >= 0
            seconds = run.seconds[m][counted | run.timed[m]]
            # A handful of small cases says little of a whole set.
            if run.timed[m].any() and 2 * len(seconds) >= sizes.get(method.signature, 0):
                per_response[method.signature], sizes[method.signature] = float(np.mean(seconds)), len(seconds)
    return per_response
