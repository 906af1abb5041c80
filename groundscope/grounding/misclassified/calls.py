"""Outcomes of a run's methods on labelled responses, filters over them, and the order in which responses are read."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from groundscope.cases.gold import gold_sentences
from groundscope.grounding.runs.arrays import PENDING, TYPES, Bools, Bytes, Floats, Integers, RunData, Texts
from groundscope.grounding.tuning import Rule, supports
from groundscope.text.sentences import split
from groundscope.types import Case

UNTYPED = "untyped"
KINDS = (*(t.value for t in TYPES), UNTYPED)
"""The columns of `Calls.kinds`: the six error types, and ungrounded responses that have none."""


class ConfusionCell(StrEnum):
    """What came of one method on one labelled response; `WAITING` where the method has not judged it yet."""

    MISSED = "missed"
    ALARM = "alarm"
    NONE = "none"
    RIGHT = "right"
    WAITING = "waiting"


OUTCOMES = tuple(ConfusionCell)
"""An outcome's code is its place here."""


class Codes(NamedTuple):
    """A column of few values: `names[codes[i]]` is the value of entry i."""

    codes: NDArray[np.intp]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Calls:
    """What the methods of a run that have a rule made of k labelled responses.

    Attributes:
        verdicts: (j, k) 1 called grounded, 0 called ungrounded, -1 no verdict.
        margins: (j, k) support minus the rule's threshold; NaN without a verdict.
        kinds: (k, 7) columns of `KINDS`; all False for a grounded response.
    """

    rows: Integers
    ids: tuple[str, ...]
    verdicts: Bytes
    outcomes: Bytes
    margins: Floats
    grounded: Bools
    kinds: Bools
    areas: Codes
    splits: Codes


def calls(run: RunData, rules: Mapping[str, Rule], verdicts: Bytes, rows: Integers) -> Calls:
    """Gather what the matrix, the filters and the list are made of, of labelled rows and the methods that have a rule.

    `verdicts` are (m, n) as `groundscope.grounding.tuning.verdicts` has them.
    """
    places = [i for i, m in enumerate(run.methods) if m.id in rules]
    chosen = verdicts[places][:, rows]
    waiting: Bools = run.status[places][:, rows] == PENDING
    margins = np.empty(chosen.shape)
    for line, i in enumerate(places):
        rule = rules[run.methods[i].id]
        margins[line] = supports(run, i, rule)[rows] - rule.threshold
    margins[chosen < 0] = np.nan
    grounded: Bools = run.gold[rows] == 1
    typed = (run.types[rows] > 0) & ~grounded[:, None]
    kinds = np.column_stack((typed, ~typed.any(axis=1) & ~grounded))
    return Calls(
        rows,
        tuple(run.methods[i].id for i in places),
        chosen,
        _outcomes(chosen, grounded, waiting),
        margins,
        grounded,
        kinds,
        _areas(run.areas[rows]),
        _codes(run.splits[rows]),
    )


def _outcomes(verdicts: Bytes, grounded: Bools, waiting: Bools) -> Bytes:
    # By verdict, label and whether it waits, 4 + 2 + 1; method by method, which needs little memory.
    table = np.array([_outcome(*at) for at in product((-1, 0, 1), (False, True), (False, True))], dtype=np.int8)
    outcomes = np.empty(verdicts.shape, dtype=np.int8)
    label = grounded.astype(np.int8) * np.int8(2)
    for line, verdict, unjudged in zip(outcomes, verdicts, waiting, strict=True):
        table.take((verdict + np.int8(1)) * np.int8(4) + label + unjudged, out=line)
    return outcomes


def _outcome(verdict: int, grounded: bool, waiting: bool) -> int:
    if verdict < 0:
        return OUTCOMES.index(ConfusionCell.WAITING if waiting else ConfusionCell.NONE)
    wrong = ConfusionCell.ALARM if grounded else ConfusionCell.MISSED
    return OUTCOMES.index(ConfusionCell.RIGHT if verdict == grounded else wrong)


def _codes(values: Texts) -> Codes:
    codes, names = pd.factorize(values, sort=True)
    return Codes(codes, tuple(str(n) for n in names))


def _areas(values: Texts) -> Codes:
    """Areas of law without the jurisdiction ("Evidence" of "Evidence · Federal Rules"), unless all would be the same."""
    whole = _codes(values)
    short = [name.split(" · ")[0] for name in whole.names]
    names = tuple(sorted(set(short)))
    if len(names) < 2:
        return whole
    places = np.array([names.index(s) for s in short], dtype=np.intp)
    return Codes(places[whole.codes], names)


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
    matches = np.ones(len(calls.rows), dtype=bool)
    if case_filter.kinds:
        matches &= calls.kinds[:, [KINDS.index(kind) for kind in case_filter.kinds]].any(axis=1)
    if case_filter.areas:
        matches &= _of_values(calls.areas, case_filter.areas)
    if case_filter.splits:
        matches &= _of_values(calls.splits, case_filter.splits)
    if case_filter.outcomes:
        matches &= cells(calls, case_filter).any(axis=0)
    if case_filter.caught == "nobody":
        matches &= missed_by_all(calls)
    elif case_filter.caught == "only":
        caught = calls.verdicts == 0
        matches &= ~calls.grounded & caught[calls.ids.index(case_filter.catcher)] & (caught.sum(axis=0) == 1)
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
