"""Which of a run's responses to read: filters over the methods' calls, and the order to read them in."""

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
    """What is looked for; an empty choice leaves everything.

    Attributes:
        kinds: error types, of `KINDS`; a response with one of them stays.
        methods: ids; `outcomes` and `distance` are looked for in these methods' calls alone, in one and the same call.
        outcomes: a response stays where one of these methods has one of them.
        distance: of the support from the rule's threshold, from and to, both included; a call without a verdict has none.
        caught: `nobody`: ungrounded responses that no method of the run catches; `only`: those that `catcher` alone catches.
    """

    kinds: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    outcomes: tuple[ConfusionCell, ...] = ()
    areas: tuple[str, ...] = ()
    splits: tuple[str, ...] = ()
    distance: tuple[float, float] | None = None
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
    found: Bools = np.logical_or.reduce(calls.kinds[:, [KINDS.index(kind) for kind in kinds]], axis=1)
    return found


def _of_values(column: Codes, wanted: tuple[str, ...]) -> Bools:
    """(k,) the responses that have one of some values in a column; names that the column lacks find nothing."""
    chosen = np.array([name in wanted for name in column.names], dtype=bool)
    found: Bools = chosen[column.codes]
    return found


def missed_by_all(calls: Calls) -> Bools:
    """Find the ungrounded responses that no method calls so; a method that has not judged one yet does not matter."""
    judged = (calls.outcomes != OUTCOMES.index(ConfusionCell.WAITING)).any(axis=0)
    found: Bools = ~calls.grounded & judged & (calls.verdicts != 0).all(axis=0)
    return found


def caught_only_by(calls: Calls, method_id: str) -> Bools:
    """Find the ungrounded responses that one method alone calls so."""
    caught = calls.verdicts == 0
    found: Bools = ~calls.grounded & caught[calls.method(method_id)] & (caught.sum(axis=0) == 1)
    return found


def cells(calls: Calls, wanted: CaseFilter) -> Bools:
    """Find the calls that have the methods, the outcomes and the distance looked for."""
    found = np.ones(calls.verdicts.shape, dtype=bool)
    if wanted.methods:
        found[[i for i, name in enumerate(calls.ids) if name not in wanted.methods]] = False
    if wanted.outcomes:
        found &= np.array([o in wanted.outcomes for o in OUTCOMES])[calls.outcomes]
    if wanted.distance is not None:
        away = np.abs(calls.margins)
        found &= (away >= wanted.distance[0]) & (away <= wanted.distance[1])
    return found


def mask(calls: Calls, wanted: CaseFilter) -> Bools:
    """Find the responses that have everything that is looked for."""
    for method_id in wanted.methods:
        calls.method(method_id)
    found = np.ones(len(calls.rows), dtype=bool)
    if wanted.kinds:
        found &= _of_kinds(calls, wanted.kinds)
    if wanted.areas:
        found &= _of_values(calls.areas, wanted.areas)
    if wanted.splits:
        found &= _of_values(calls.splits, wanted.splits)
    if wanted.outcomes or wanted.distance is not None:
        found &= cells(calls, wanted).any(axis=0)
    if wanted.caught == "nobody":
        found &= missed_by_all(calls)
    elif wanted.caught == "only":
        found &= caught_only_by(calls, wanted.catcher)
    return found


def disagreement(calls: Calls) -> Floats:
    """Measure how far methods disagree about each response."""
    grounded = (calls.verdicts == 1).sum(axis=0)
    ungrounded = (calls.verdicts == 0).sum(axis=0)
    known = grounded + ungrounded
    found: Floats = np.divide(np.minimum(grounded, ungrounded), known, out=np.zeros(len(known)), where=known > 0)
    return found


def distances(calls: Calls, wanted: CaseFilter) -> tuple[Floats, Floats]:
    """Measure how far the supports of the calls looked for lie from their thresholds.

    Args:
        calls: of k responses.
        wanted: says which calls count, as in `cells`.

    Returns:
        (k,) the least and (k,) the greatest distance of a response, in units of support; NaN where no call looked for has one.
    """
    away = np.where(cells(calls, wanted), np.abs(calls.margins), np.nan)
    # These two leave NaN out, as long as there is a number.
    return np.fmin.reduce(away, axis=0, initial=np.nan), np.fmax.reduce(away, axis=0, initial=np.nan)


def ordered(calls: Calls, wanted: CaseFilter, by: Order = "disagreement") -> Positions:
    """Put the responses that the filter leaves in the order to read them."""
    check_choice("by", by, get_args(Order))
    left = np.flatnonzero(mask(calls, wanted))
    if by == "case":
        return left
    if by == "disagreement":
        return left[np.argsort(-disagreement(calls)[left], kind="stable")]
    least, greatest = distances(calls, wanted)
    key = least if by == "nearest" else -greatest
    return left[np.argsort(key[left], kind="stable")]


def sentence_to_read(run: RunData, row: int, case: Case, method_id: str) -> int | None:
    """Choose which sentence of the response to look at first: the first one that annotators call wrong.

    Where they call none wrong it is the one that the method supports least: what a false alarm is about.
    """
    wrong = next((i for i, sentence in enumerate(gold_sentences(case)) if sentence.wrong), None)
    if wrong is not None:
        return wrong
    table = run.sentences(run.method(method_id), row)
    own = ~np.isnan(table.support)
    if not own.any():
        return None
    start = int(table.start[own][np.argmin(table.support[own])])
    return next((i for i, unit in enumerate(split(case.response)) if unit.start <= start < unit.end), None)
