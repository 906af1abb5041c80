"""Two runs side by side: the methods that both have, joined by id, and their differences where both judged the same responses.

A side is a run, or one method of it: `RUN:METHOD`, so that `A:quip` and `B:quip:n=9` are compared.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from groundscope.errors import DataError, GroundscopeError
from groundscope.experiments.plan import Part
from groundscope.grounding.latency import timed
from groundscope.grounding.results import titles
from groundscope.grounding.rules.run_with_rules import RunWithRules
from groundscope.grounding.runs import listing
from groundscope.grounding.runs.arrays import PENDING, Bytes, Integers, RunData
from groundscope.grounding.tuning import Rule, verdicts
from groundscope.methods.defaults import EARLIER
from groundscope.statistics.bootstrap import Interval, drawn_queries, limits, resampled_scores
from groundscope.statistics.metrics import NAMES, cells, score_arrays
from groundscope.statistics.significance import chances

_F1 = NAMES.index("macro_f1")


@dataclass(frozen=True, slots=True)
class RunSide:
    """A run and how its judgements are read; `part` = the id of the only method that is compared, empty = all."""

    run: RunData
    verdicts: Bytes
    rules: Mapping[str, Rule]
    rows: Integers
    part: str = ""

    @classmethod
    def of(cls, read: RunWithRules, split: str | None, part: str) -> "RunSide":
        """Take the responses of a split, None = all; raises `DataError` where the run has no such method."""
        there = [m.id for m in read.run.methods]
        if part and part not in there:
            raise DataError(f"{read.run.name} has no method {part!r}; there are {', '.join(there)}.")
        return cls(read.run, verdicts(read.run, read.rules), read.rules, read.run.rows(split), part)

    @property
    def compared(self) -> list[int]:
        """The places of its methods that are compared."""
        return [i for i, m in enumerate(self.run.methods) if self.part in ("", m.id)]


def side_named(named: str) -> tuple[RunData, str, str]:
    """Read `RUN` or `RUN:METHOD`: the run, its name, and the method or nothing."""
    try:
        return listing.find(named), named, ""
    except GroundscopeError:
        if ":" not in named:
            raise
    # Neither an id nor most folders hold a colon, and names of methods do.
    ends = [i for i, sign in enumerate(named) if sign == ":"]
    for end in ends[1:]:
        with suppress(GroundscopeError):
            return listing.find(named[:end]), named[:end], named[end + 1 :]
    return listing.find(named[: ends[0]]), named[: ends[0]], named[ends[0] + 1 :]


def sides_of(
    named: tuple[str, str], rules: str | None, split: str | None, read: Callable[..., RunWithRules]
) -> tuple[RunSide, RunSide]:
    """Read two runs, each named as in `side_named`, by the same rules; by default what these do not fit by its own default.

    `read` takes a run, the name of rules, and the names of the runs that may bring them.
    """
    (run, name, method), (other, other_name, other_method) = side_named(named[0]), side_named(named[1])
    ruled = read(run, rules, name, other_name)
    same = rules or (ruled.name if ruled.decision is None or ruled.decision.covers(other) else None)
    ruled_other = read(other, same, other_name, name)
    both = ruled.decision.rules(ruled_other.run) if ruled.decision else {}
    ruled_other = ruled_other._replace(rules=ruled_other.rules | both)
    return RunSide.of(ruled, split, method), RunSide.of(ruled_other, split, other_method)


@dataclass(frozen=True, slots=True)
class ComparedMethod:
    """One method in both runs; NaN where there is no figure.

    `difference`: the second's F1 less the first's, on the responses that both have judged.
    """

    id: str
    other_id: str
    title: str
    same_signature: bool
    f1: tuple[float, float]
    responses: tuple[int, int]
    seconds: tuple[float, float]
    difference: float
    interval: Interval
    shared: int
    adjusted_p: float


@dataclass(frozen=True, slots=True)
class TwoRuns:
    """Both runs."""

    methods: tuple[ComparedMethod, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    note: str


def two_runs(first: RunSide, second: RunSide) -> TwoRuns:
    """Compare two runs."""
    same = first.run.data_hash == second.run.data_hash
    pairs = _pairs(first, second)
    rows = _shared_rows(first, second) if same else (first.rows[:0], second.rows[:0])
    changes = _changes(first, second, pairs, rows)
    names, others = titles(first.run), titles(second.run)
    before, after = _figures(first, [i for i, _ in pairs]), _figures(second, [j for _, j in pairs])
    compared = tuple(
        ComparedMethod(
            id=first.run.methods[i].id,
            other_id=second.run.methods[j].id,
            title=names[i] if names[i] == others[j] or not (first.part or second.part) else f"{names[i]} / {others[j]}",
            same_signature=first.run.methods[i].signature == second.run.methods[j].signature,
            f1=(a.f1, b.f1),
            responses=(a.responses, b.responses),
            seconds=(a.seconds, b.seconds),
            **change._asdict(),
        )
        for (i, j), a, b, change in zip(pairs, before, after, changes, strict=True)
    )
    return TwoRuns(
        compared,
        () if first.part else tuple(title for i, title in enumerate(names) if i not in {i for i, _ in pairs}),
        () if second.part else tuple(title for j, title in enumerate(others) if j not in {j for _, j in pairs}),
        _note(same, len(rows[0]), () if compared else (first, second)),
    )


def _pairs(first: RunSide, second: RunSide) -> list[tuple[int, int]]:
    """The places of the methods that are compared: two that were named, or those that both have."""
    if first.part and second.part:
        return list(zip(first.compared, second.compared, strict=True))
    partners = [(i, _partner(first.run.methods[i], second.run.methods)) for i in first.compared]
    return [(i, j) for i, j in partners if j in second.compared]


def _partner(method: Part, others: Sequence[Part]) -> int | None:
    """The place of the same method in another run: of the same id, unless another model has come under this id since."""
    places = [j for j, m in enumerate(others) if _today(m) == _today(method) and not _another_model(m, method)]
    return next((j for j in places if others[j].id == method.id), next(iter(places), None))


def _today(method: Part) -> str:
    return EARLIER.get(method.id, method.id)


def _another_model(a: Part, b: Part) -> bool:
    """Whether two parts of equal options ran on the weights of different models: it was no choice of the user's."""
    models = [m.signature.split("|")[1].partition("@") for m in (a, b) if m.signature.count("|")]
    return a.options == b.options and len(models) == 2 and all(at for _, at, _ in models) and models[0][0] != models[1][0]


def _note(same: bool, shared: int, apart: Sequence[RunSide]) -> str:
    if not same:
        return (
            "The two runs judged different responses, so their figures cannot be compared: a difference may come from the "
            "responses as well as from the methods. To compare methods, run them over the same set of cases. To compare two "
            "versions of a system by its traces or answers: groundscope check FILE --baseline FOLDER."
        )
    if apart:
        there = "; ".join(f"{s.run.name} has {', '.join(s.run.methods[i].id for i in s.compared)}" for s in apart)
        return (
            f"The two runs have no method in common. {there}. Choose another run, run one method in both, or name the two "
            "methods to compare: groundscope compare A:quip B:quip:n=9."
        )
    return "" if shared else "No labelled response of this split is in both runs. Choose another split."


def _shared_rows(first: RunSide, second: RunSide) -> tuple[Integers, Integers]:
    import pandas as pd

    places = pd.Index(second.run.ids[second.rows]).get_indexer(pd.Index(first.run.ids[first.rows]))
    return first.rows[places >= 0], second.rows[places[places >= 0]]


class _Change(NamedTuple):
    """The last attributes of `ComparedMethod`."""

    difference: float
    interval: Interval
    shared: int
    adjusted_p: float


def _changes(first: RunSide, second: RunSide, pairs: Sequence[tuple[int, int]], rows: tuple[Integers, Integers]) -> list[_Change]:
    """What became of each pair of methods on the responses that both have judged."""
    none = _Change(float("nan"), Interval(float("nan"), float("nan")), 0, float("nan"))
    able = [first.run.methods[i].id in first.rules and second.run.methods[j].id in second.rules for i, j in pairs]
    if not len(rows[0]) or not any(able):
        return [none] * len(pairs)
    mine, theirs = [i for i, _ in pairs], [j for _, j in pairs]
    gold, groups = first.run.gold[rows[0]], first.run.groups[rows[0]]
    judged = (first.run.status[mine][:, rows[0]] != PENDING) & (second.run.status[theirs][:, rows[1]] != PENDING)
    calls = first.verdicts[mine][:, rows[0]], second.verdicts[theirs][:, rows[1]]
    # What one of the two has not judged counts in neither; so all pairs can share the resamples.
    tables = np.stack([cells(gold, v) * there[:, None] for side in calls for v, there in zip(side, judged, strict=True)])
    draws = drawn_queries(groups)
    drawn = resampled_scores(tables, groups, draws)[:, :, _F1]
    whole = score_arrays(tables.sum(axis=1))[:, _F1]
    count = len(pairs)
    differences, apart = whole[count:] - whole[:count], (drawn[count:] - drawn[:count]).T
    ends, compared = limits(apart, draws.shape[1]), np.flatnonzero(able)
    _, adjusted = chances(differences[compared], apart[:, compared], draws.shape[1])
    changes = [none] * count
    for k, p in zip(compared.tolist(), adjusted.tolist(), strict=True):
        changes[k] = _Change(float(differences[k]), Interval.of(ends[k]), int(judged[k].sum()), p)
    return changes


class _Figure(NamedTuple):
    """A method in one run: macro-F1, the responses it is of, mean seconds of the timed ones."""

    f1: float
    responses: int
    seconds: float


def _figures(side: RunSide, methods: Sequence[int]) -> list[_Figure]:
    run, counts, figures = side.run, timed(side.run, side.rows), list[_Figure]()
    for i in methods:
        rows, f1 = side.rows[run.status[i, side.rows] != PENDING], float("nan")
        if run.methods[i].id in side.rules and len(rows):
            f1 = float(score_arrays(cells(run.gold[rows], side.verdicts[i, rows]).sum(axis=0)[None, :])[0, _F1])
        seconds = float(run.seconds[i, side.rows][counts[i]].mean()) if counts[i].any() else float("nan")
        figures.append(_Figure(f1, len(rows), seconds))
    return figures
