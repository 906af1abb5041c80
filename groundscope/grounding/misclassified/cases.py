"""Choosing responses to read: filters over the methods' verdicts, and the reading order."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from groundscope.cases.gold import gold_sentences
from groundscope.grounding.misclassified.calls import KINDS, OUTCOMES, Calls, Codes, ConfusionCell
from groundscope.grounding.runs.arrays import Bools, Floats, RunData
from groundscope.statistics.decision import check_choice
from groundscope.text.sentences import split
from groundscope.types import Case

Order = Literal["disagreement", "furthest", "nearest", "case"]
Caught = Literal["any", "nobody", "only"]
Positions = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class CaseFilter:
    """A filter for responses; an empty choice leaves everything.

    Attributes:
        kinds: error types, of `KINDS`; a response with one of them stays.
        methods: ids; `outcomes` are looked for in these methods' calls alone.
        outcomes: a response stays where one of these methods has one of them.
        caught: `nobody`: ungrounded responses that no method of the run catches; `only`: those that `catcher` alone catches.
    """

    kinds: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    outcomes: tuple[ConfusionCell, ...] = ()
    areas: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    caught: Caught = "any"
    catcher: str = ""

    def __post_init__(self) -> None:
        for kind in self.kinds:
            check_choice("an error type", kind, KINDS)
        check_choice("caught", self.caught, get_args(Caught))
        if (self.caught == "only") != bool(self.catcher):
            raise ValueError(f"a catcher goes with 'only' alone, got {self.caught!r} and {self.catcher!r}")


def _of_kinds(calls: Calls, kinds: tuple[str, ...]) -> Bools:
    """(k,) the responses that have one of some error types; no grounded one has."""
    matches: Bools = np.logical_or.reduce(calls.kinds[:, [KINDS.index(kind) for kind in kinds]], axis=1)
    return matches


def _of_values(column: Codes, values: tuple[str, ...]) -> Bools:
    """(k,) the responses that have one of some values in a column; names that the column lacks find nothing."""
    chosen = np.array([name in values for name in column.names], dtype=bool)
    matches: Bools = chosen[column.codes]
    return matches


def missed_by_all(calls: Calls) -> Bools:
    """Find the ungrounded responses that no method calls so; a method that has not judged one yet does not matter."""
    judged = (calls.outcomes != OUTCOMES.index(ConfusionCell.WAITING)).any(axis=0)
    missed: Bools = ~calls.grounded & judged & (calls.verdicts != 0).all(axis=0)
    return missed


def caught_only_by(calls: Calls, method_id: str) -> Bools:
    """Find the ungrounded responses that one method alone calls so."""
    caught = calls.verdicts == 0
    caught_alone: Bools = ~calls.grounded & caught[calls.method(method_id)] & (caught.sum(axis=0) == 1)
    return caught_alone


def cells(calls: Calls, case_filter: CaseFilter) -> Bools:
    """Find the calls that have the methods and the outcomes of the filter."""
    matches = np.ones(calls.verdicts.shape, dtype=bool)
    if case_filter.methods:
        matches[[i for i, name in enumerate(calls.ids) if name not in case_filter.methods]] = False
    if case_filter.outcomes:
        matches &= np.array([o in case_filter.outcomes for o in OUTCOMES])[calls.outcomes]
    return matches


def mask(calls: Calls, case_filter: CaseFilter) -> Bools:
    """Find the responses that match the whole filter."""
    for method_id in case_filter.methods:
        calls.method(method_id)
    matches = np.ones(len(calls.rows), dtype=bool)
    if case_filter.kinds:
        matches &= _of_kinds(calls, case_filter.kinds)
    if case_filter.areas:
        matches &= _of_values(calls.areas, case_filter.areas)
    if case_filter.splits:
        matches &= _of_values(calls.splits, case_filter.splits)
    if case_filter.outcomes:
        matches &= cells(calls, case_filter).any(axis=0)
    if case_filter.caught == "nobody":
        matches &= missed_by_all(calls)
    elif case_filter.caught == "only":
        matches &= caught_only_by(calls, case_filter.catcher)
    return matches


def disagreement(calls: Calls) -> Floats:
    """Measure how far methods disagree about each response."""
    grounded = (calls.verdicts == 1).sum(axis=0)
    ungrounded = (calls.verdicts == 0).sum(axis=0)
    verdicts = grounded + ungrounded
    minority: Floats = np.divide(np.minimum(grounded, ungrounded), verdicts, out=np.zeros(len(verdicts)), where=verdicts > 0)
    return minority


def distances(calls: Calls, case_filter: CaseFilter) -> tuple[Floats, Floats]:
    """Measure the least and greatest distance, (k,) each, of the filtered calls from their thresholds; NaN without any."""
    away = np.where(cells(calls, case_filter), np.abs(calls.margins), np.nan)
    # These two leave NaN out, as long as there is a number.
    return np.fmin.reduce(away, axis=0, initial=np.nan), np.fmax.reduce(away, axis=0, initial=np.nan)


def ordered(calls: Calls, case_filter: CaseFilter, by: Order = "disagreement") -> Positions:
    """Sort the responses that pass the filter."""
    check_choice("by", by, get_args(Order))
    left = np.flatnonzero(mask(calls, case_filter))
    if by == "case":
        return left
    if by == "disagreement":
        return left[np.argsort(-disagreement(calls)[left], kind="stable")]
    least, greatest = distances(calls, case_filter)
    key = least if by == "nearest" else -greatest
    return left[np.argsort(key[left], kind="stable")]


def sentence_to_read(run: RunData, row: int, case: Case, method_id: str) -> int | None:
    """Choose the sentence of the response to read first: the first one that annotators call wrong.

    Where they call none wrong it is the one that the method supports least: what a false alarm is about.
    """
    wrong = next((i for i, sentence in enumerate(gold_sentences(case)) if sentence.wrong), None)
    if wrong is not None:
        return wrong
    table = run.sentences(run.method(method_id), row)
    assessed = ~np.isnan(table.support)
    if not assessed.any():
        return None
    start = int(table.start[assessed][np.argmin(table.support[assessed])])
    return next((i for i, unit in enumerate(split(case.response)) if unit.start <= start < unit.end), None)
