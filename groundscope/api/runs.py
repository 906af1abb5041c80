"""Runs from Python: resumable, on disk, as those of the app and of the shell."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

import numpy as np

from groundscope.api.inputs import CaseData, cases_of
from groundscope.cases.dataset import Rejected
from groundscope.chat.budget import Limits
from groundscope.errors import DataError
from groundscope.experiments.work import STOPPED, work
from groundscope.grounding import tables
from groundscope.grounding.comparing.two_runs import sides_of, two_runs
from groundscope.grounding.parts import parts_here
from groundscope.grounding.rules.run_with_rules import read_by
from groundscope.grounding.runs import listing, planning
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.store import FOLDER
from groundscope.grounding.runs.work import Judging, methods_here
from groundscope.methods import Method
from groundscope.methods.functions import AnyMethod
from groundscope.text.humanize import plural
from groundscope.types import Case

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run that was worked on.

    Attributes:
        id: names it in the app, in the shell and in `resume`.
        finished: whether every response is judged.
        why: what stopped it; empty if it is finished.
        rejected: the rows that could not be used, by number, with the reason.
    """

    id: str
    finished: bool
    why: str
    rejected: tuple[tuple[int, str], ...] = ()

    @property
    def data(self) -> RunData:
        """Its results as arrays; see `groundscope.grounding.runs.arrays`."""
        return listing.find(self.id)


def load(data: CaseData, mapping: str | None = None) -> list[Case]:
    """Read cases.

    Args:
        data: a path or several, a table, a data set, dicts.
        mapping: which field is what; None = fields are recognised.

    Returns:
        The cases in their order.

    Raises:
        DataError: nothing can be read, or a row cannot be used; the message names up to five reasons. `score` and `run` keep the
            good rows.
    """
    cases: list[Case] = []
    left_out: dict[str, list[str]] = {}
    for number, row in cases_of(data, mapping):
        if isinstance(row, Case):
            cases.append(row)
            continue
        place = f"{row.file}, row {row.row}" if row.file else f"row {number}"
        left_out.setdefault(row.reason.removeprefix(f"{place}: "), []).append(place)
    if left_out:
        some = [f"{places[0]}{f' and {len(places) - 1:,} more' * (len(places) > 1)}: {why}" for why, places in left_out.items()]
        rows = plural(sum(map(len, left_out.values())), "row")
        raise DataError(f"{rows} cannot be used: {'; '.join(some[:5])}")
    return cases


def run(
    data: CaseData,
    methods: AnyMethod | Sequence[AnyMethod] | None = None,
    *,
    name: str = "From Python",
    mapping: str | None = None,
    settings: Sequence[str] = (),
    model: str | None = None,
    calls: int | None = None,
    dollars: float | None = None,
    timed: bool = True,
    batches: bool = False,
    stop: Event | None = None,
) -> JudgedRun:
    """Judge cases by methods and keep every result as it comes, so that `resume` continues after a stop.

    Args:
        data: as in `groundscope.score`.
        methods: as in `groundscope.score`.
        name: of the run, for people.
        mapping: as in `groundscope.score`.
        settings: as in `groundscope.score`.
        model: as in `groundscope.score`.
        calls: the most calls of chat models; None = no limit.
        dollars: the most that they may cost; None = no limit.
        timed: whether latency is measured; without it local methods judge many cases at once, which takes half of the time.
        batches: ask chat models through their batches: half the price, within a day, no latency.
        stop: set it to pause the run.

    Returns:
        The run, finished or paused. Its texts stay in the data folder until the run is deleted.

    Raises:
        DataError: no row can be used.
        StoreError: the run cannot be written.
        ValueError: a method or a parameter means nothing.
    """
    cases, rejected = _read(data, mapping)
    if not cases:
        raise DataError(f"No row can be used; the first: {rejected[0][1]}" if rejected else "There are no rows.")
    parts = parts_here(methods, settings, (), model)
    planned = [part for part, _ in parts]
    file = planning.begin(name, "Python", cases, planned, timed=timed, limits=Limits(calls, dollars))
    return _worked(file, stop, rejected, {part.id: method for part, method in parts}, batches=batches)


def resume(
    run: str, methods: AnyMethod | Sequence[AnyMethod] = (), *, batches: bool = False, stop: Event | None = None
) -> JudgedRun:
    """Resume a run that was paused.

    Args:
        run: its id.
        methods: those of the run that are objects, classes or functions; named ones are found by their names.
        batches: as in `run`.
        stop: set it to pause the run again.

    Returns:
        The run, finished or paused.

    Raises:
        StoreError: there is no such run, or a method was changed since.
    """
    return _worked(run, stop, (), {part.id: method for part, method in parts_here(methods)}, batches=batches)


def report(run: "str | JudgedRun", rules: str | None = None, split: str | None = None) -> "pd.DataFrame":
    """Measure every method of a run against the labels.

    Args:
        run: a run, its id, the name of one that comes with the app, or the folder of an exported one.
        rules: name of frozen thresholds, or `starting`: those that methods start with; None = the newest frozen ones that hold
            for all methods of the run, if any.
        split: only its responses; empty = those without a split, None = all.

    Returns:
        A row a method with precision, recall, F1, AUROC, their 95 % intervals, latency and cost; NaN where there is no figure.

    Raises:
        DataError: no such run, rules or labelled responses.
        StoreError: the run cannot be read.
    """
    named = _id(run)
    view, _ = read_by(listing.find(named), rules, named)
    return tables.frame(view.results(split))


def compare(
    run: "str | JudgedRun", other: "str | JudgedRun", rules: str | None = None, split: str | None = None
) -> "pd.DataFrame":
    """Compare two runs of the same responses, method by method.

    Args:
        run: the first; as in `report`, or with one of its methods: `RUN:METHOD`, such as `nightly:quip:n=9`.
        other: the second; two methods that are named are compared whatever their parameters, also of one run.
        rules: as in `report`, of the first run; by default methods of the second that these do not fit have its own.
        split: only its responses; None = all.

    Returns:
        A row a method that both have: `f1_first`, `f1_second`, their `difference` with `low` and `high` (95 %, paired bootstrap
        over queries), `adjusted_p` (by the same draws, over all methods), `responses`, and whether the parameters are the same.

    Raises:
        DataError: the runs judged other responses, or have no method in common, or none of that name.
        StoreError: there is no such run, or it cannot be read.
    """
    import pandas as pd

    comparison = two_runs(*sides_of((_id(run), _id(other)), rules, split, lambda *which: read_by(*which)[0]))
    if comparison.note and all(np.isnan(m.difference) for m in comparison.methods):
        raise DataError(comparison.note)
    rows = [
        {
            "method": m.title,
            "f1_first": m.f1[0],
            "f1_second": m.f1[1],
            "difference": m.difference,
            "low": m.interval.low,
            "high": m.interval.high,
            "adjusted_p": m.adjusted_p,
            "responses": m.shared,
            "same_parameters": m.same_signature,
        }
        for m in comparison.methods
    ]
    return pd.DataFrame(rows)


def _id(run: "str | JudgedRun") -> str:
    return run.id if isinstance(run, JudgedRun) else str(run)


def _read(data: CaseData, mapping: str | None) -> tuple[list[Case], list[tuple[int, str]]]:
    cases: list[Case] = []
    rejected: list[tuple[int, str]] = []
    for number, row in cases_of(data, mapping):
        if isinstance(row, Rejected):
            rejected.append((number, row.reason))
        else:
            cases.append(row)
    return cases, rejected


def _worked(
    run: str, stop: Event | None, rejected: Sequence[tuple[int, str]], brought: Mapping[str, Method], *, batches: bool
) -> JudgedRun:
    with closing(FOLDER.open(run)) as file:
        ended = work(file, Judging(file, {**methods_here(file), **brought}), stop=stop, batches=batches)
    return JudgedRun(run, ended.finished, STOPPED if ended.paused else ended.why, tuple(rejected))
