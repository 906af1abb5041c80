"""How well frozen thresholds generalize, the gap between dev and test; and what moving a threshold changes.

A rule is chosen because it does well on dev, and so looks better there than it is. The gap's interval says how much of it chance
could make: queries of both splits are drawn again, each on its own, because no query is in both (paper, section 4.3). Other
queries in dev would also have given another rule: `retuned` finds those of all draws of dev.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.grounding.rules.frozen_rules import Decision
from groundscope.grounding.runs.arrays import PENDING, Bools, Bytes, Floats, Integers, RunData
from groundscope.grounding.tuning import How, Objective, Rule, Tuned, candidates, open_ways, supports, tune_method, verdicts
from groundscope.statistics.bootstrap import (
    Counts,
    Draws,
    Interval,
    NormalDraws,
    drawn_queries,
    limits,
    resampled_scores,
    resamples,
    score_queries,
    widened,
)
from groundscope.statistics.curves import Curve
from groundscope.statistics.metrics import CELLS, NAMES, Confusion, Scores, called, cells, confusion, score_arrays, scores
from groundscope.statistics.tuned import Choices, Labelled, choices, nested_interval, nested_scores

MOST_RETUNED = 100_000
"""Labelled responses of a run whose methods are tuned again on draws; with more it would take hours."""
_F1, _RECALL = NAMES.index("macro_f1"), NAMES.index("error_recall")


@dataclass(frozen=True, slots=True)
class SplitGap:
    """One method under its frozen rule.

    Attributes:
        tuned: its rule, and what it was worth where it was tuned.
        dev: macro-F1 on the split that it was tuned on; NaN where that split is not in this run.
        interval: of macro-F1 on test, by the bootstrap over queries, under the rules that draws of the tuning split choose; where
            tuning cannot be repeated, it is `given`.
        given: of macro-F1 on test under this rule, by the bootstrap over queries.
        gap: macro-F1 on the tuning split less that on test; above 0 = worse on test.
        gap_interval: of the gap; where it holds 0, chance could have made the gap.
        cost: mean cost a response on test, where the thresholds were tuned by cost; else NaN.
    """

    method: int
    tuned: Tuned
    dev: float
    test: Scores
    table: Confusion
    interval: Interval
    given: Interval
    error_interval: Interval
    gap: float
    gap_interval: Interval
    cost: float


@dataclass(frozen=True, slots=True)
class _Reading:
    """m methods on one split: (m, 6) counts, (m, 7) scores, (m, count, 7) of resamples; queries in all and by score."""

    counts: Floats
    values: Floats
    drawn: Floats
    queries: int
    score_queries: NDArray[np.int64]


def gaps(run: RunData, decision: Decision, split: str = "test") -> list[SplitGap]:
    """Read a frozen decision on a split that it was not tuned on."""
    rules = decision.rules(run)
    places = [i for i, m in enumerate(run.methods) if m.id in rules]
    calls = verdicts(run, rules)[places]
    test = _read(run, calls, split, seed=0)
    if test is None:
        raise ValueError(f"The run has no labelled response in {split or 'no split'}.")
    tuned = [decision.tuned[run.methods[i].id] for i in places]
    # A rule that was tuned on other cases has no tuning split here, even where this run has one of the same name.
    splits = {t.split for t in tuned} if decision.data_hash == run.data_hash else set()
    before = {name: _read(run, calls, name, seed=1) for name in splits}
    again = retuned(run, decision)
    rows = run.rows(split)
    drawn = drawn_queries(run.groups[rows])
    nested = [other.interval(run, rows, drawn) if (other := again.get(run.methods[i].id)) else None for i in places]
    missed = decision.objective.missed
    return [_gap(k, place, tuned[k], before.get(tuned[k].split), test, missed, nested[k]) for k, place in enumerate(places)]


def _read(run: RunData, calls: Bytes, split: str, *, seed: int) -> _Reading | None:
    rows = run.rows(split)
    if not len(rows):
        return None
    tables = np.stack([cells(run.gold[rows], line[rows]) for line in calls]) if len(calls) else np.empty((0, len(rows), CELLS))
    groups = run.groups[rows]
    draws = drawn_queries(groups, seed=seed)
    counts = tables.sum(axis=1, dtype=np.float64)
    drawn = resampled_scores(tables, groups, draws)
    return _Reading(counts, score_arrays(counts), drawn, draws.shape[1], score_queries(tables, groups))


def _gap(
    k: int, place: int, tuned: Tuned, dev: _Reading | None, test: _Reading, missed: float | None, nested: Interval | None
) -> SplitGap:
    table = Confusion(*map(int, test.counts[k]))
    ends = widened(limits(test.drawn[k], test.queries), test.score_queries[k])
    value = float(dev.values[k, _F1]) if dev else float("nan")
    spread = limits(dev.drawn[k, :, _F1] - test.drawn[k, :, _F1], min(dev.queries, test.queries)) if dev else np.full(2, np.nan)
    return SplitGap(
        place,
        tuned,
        value,
        scores(table),
        table,
        nested or Interval.of(ends[_F1]),
        Interval.of(ends[_F1]),
        Interval.of(ends[_RECALL]),
        value - float(test.values[k, _F1]),
        Interval.of(spread),
        cost(table, missed) if missed is not None else float("nan"),
    )


@dataclass(frozen=True, slots=True)
class Retuned:
    """What other tuning sets would have made of a method's rule: those that the draws of its tuning split choose.

    Attributes:
        ways: w rules without their thresholds: those of what tuning tried that a draw chose; of a sweep those of all its parts.
        supports: (w, n) the supports that they make of the whole run, 0 to 1; NaN = no verdict.
        chosen: the rule of each draw, as rows of `ways` and thresholds.
        whole: whether every way is of the method itself, and none of another part of its sweep.
    """

    ways: tuple[Rule, ...]
    supports: Floats = field(repr=False)
    chosen: Choices = field(repr=False)
    queries: NDArray[np.integer] = field(repr=False)
    whole: bool

    def interval(self, run: RunData, rows: Integers, draws: Draws) -> Interval | None:
        """The interval of macro-F1 over all pairs of a draw of the tuning split and a draw of other responses."""
        labelled = self._labelled(run, rows, draws)
        return None if labelled is None else nested_interval(self.chosen, labelled)

    def scores(self, run: RunData, rows: Integers, draws: Draws) -> Floats | None:
        """Macro-F1 of each draw of responses under the rule of one draw of the tuning split; see `nested_scores`."""
        labelled = self._labelled(run, rows, draws)
        return None if labelled is None else nested_scores(self.chosen, labelled)

    def apart(self, run: RunData, rows: Integers) -> bool:
        """Whether no query of some responses was tuned on."""
        return not np.isin(run.groups[rows], self.queries).any()

    def _labelled(self, run: RunData, rows: Integers, draws: Draws) -> Labelled | None:
        if isinstance(draws, NormalDraws) or not self.apart(run, rows):
            return None
        return Labelled(self.supports[:, rows], run.gold[rows] == 1, run.groups[rows], draws)


def retuned(run: RunData, decision: Decision, count: int = 2_000) -> dict[str, Retuned]:
    """Tune every method again on draws of the queries that a decision was tuned on."""
    if decision.data_hash != run.data_hash or len(run.rows()) > MOST_RETUNED:
        return {}
    retuned_methods: dict[str, Retuned] = {}
    drawn: dict[str, Counts] = {}
    for name in decision.rules(run):
        split = decision.tuned[name].split
        rows = run.rows(split)
        parts = _parts(run, name, decision)
        ways = open_ways(run.methods[run.method(name)], decision.ways or (decision.tuned[name].rule.how,), decision.beyond)
        if not len(rows) or not parts or not ways or (run.status[parts][:, run.rows(None)] == PENDING).any():
            continue
        if not _found(run, name, decision, ways):
            continue
        draws = drawn.setdefault(split, resamples(run.groups[rows], count, seed=1))
        options = [(part, rule) for part in parts for rule, _ in candidates(run, part, rows, ways)]
        option_supports = np.stack([supports(run, part, rule) for part, rule in options])
        chosen = choices(
            Labelled(option_supports[:, rows], run.gold[rows] == 1, run.groups[rows], draws), decision.objective.values
        )
        if len(chosen.way):
            used, way = np.unique(chosen.way, return_inverse=True)
            ways_used = tuple(options[i][1] for i in used.tolist())
            queries = np.unique(run.groups[rows])
            retuned_methods[name] = Retuned(
                ways_used, option_supports[used], replace(chosen, way=way), queries, whole=len(parts) == 1
            )
    return retuned_methods


def tuned_queries(run: RunData, decision: Decision | None) -> dict[str, Integers]:
    """Find the queries that each method's rule was tuned on, by method id; none where that was on other cases."""
    if decision is None or decision.data_hash != run.data_hash:
        return {}
    return {name: np.unique(run.groups[run.rows(decision.tuned[name].split)]) for name in decision.rules(run)}


def _parts(run: RunData, name: str, decision: Decision) -> list[int]:
    """Places of the parts among which tuning chose this one: itself, or all that were tuned of its sweep.

    None where the run does not have them all.
    """
    place = run.method(name)
    sweep = run.methods[place].sweep
    if not sweep or not decision.rejected:
        return [place]
    if not {m.id for m in run.methods} >= {*decision.rejected}:
        return []
    return [i for i, m in enumerate(run.methods) if m.sweep == sweep and m.id in decision.tuned]


def _found(run: RunData, name: str, decision: Decision, ways: tuple[How, ...]) -> bool:
    """Whether tuning finds this very rule, which one that was set by hand is not, and which a promise did not choose."""
    frozen = decision.tuned[name]
    if name in decision.promises:
        return False
    try:
        rule = tune_method(run, run.method(name), frozen.split, decision.objective, ways, decision.beyond).rule
    except ValueError:
        return False
    return rule.how == frozen.rule.how and abs(rule.threshold - frozen.rule.threshold) < 1e-9


def cost(table: Confusion, missed: float) -> float:
    """Compute the mean cost a response, in false alarms; no verdict costs as the wrong one. NaN without a response."""
    alarms = table.grounded_wrong + table.grounded_none
    misses = table.ungrounded_wrong + table.ungrounded_none
    return (alarms + missed * misses) / sum(table) if sum(table) else float("nan")


STEPS = (-10, -5, -2, -1, 0, 1, 2, 5, 10)


class FlippedVerdicts(NamedTuple):
    """Responses that are called otherwise after a move than before it.

    `before`: (k,) 1 called grounded, 0 called ungrounded, -1 no verdict.
    """

    rows: Integers
    before: Bytes
    after: Bytes
    right: Bools


class TradeOff(NamedTuple):
    """A threshold beside another one; `caught`: how many errors more are caught there; below 0: fewer."""

    threshold: float
    caught: int
    alarms: int


def flips(before: Bytes, after: Bytes, gold: Bytes, rows: Integers) -> FlippedVerdicts:
    """Compare two calls of every response."""
    changed = rows[before[rows] != after[rows]]
    return FlippedVerdicts(changed, before[changed], after[changed], after[changed] == gold[changed])


def table_at(run: RunData, method: int, tuned: Tuned, threshold: float) -> Confusion:
    """Count what a method's rule makes of its tuning split at a threshold of one's own."""
    rows = run.rows(tuned.split)
    return confusion(run.gold[rows], called(supports(run, method, tuned.rule), threshold)[rows])


def by_hand(run: RunData, method: int, tuned: Tuned, threshold: float, objective: Objective) -> Tuned:
    """Put a threshold that was set by hand into the rule that tuning had found, with its value on the tuning split.

    The value is macro-F1, NaN where a class is not there, or the mean cost a response in false alarms, as the objective says; a
    warning names the threshold that tuning had found.
    """
    table = table_at(run, method, tuned, threshold)
    value = scores(table).macro_f1 if objective.missed is None else cost(table, objective.missed)
    words = f"Set by hand; tuning had found {tuned.rule.threshold:.4f}."
    rule = replace(tuned.rule, threshold=threshold)
    return replace(tuned, rule=rule, value=value, warning=f"{words} {tuned.warning}".strip())


def trade_offs(curve: Curve, caught: int, alarms: int, steps: Sequence[int] = STEPS) -> list[TradeOff]:
    """What it takes to catch some more errors than now, or saves to catch some fewer.

    A higher threshold flags more: it catches more errors and raises more false alarms. A trade catches at least what its step
    asks for, at the fewest false alarms that do, and all errors that these false alarms can catch. Steps that come to the same
    threshold give one trade; those that no threshold can give, or that change nothing, give none.
    """
    catches = np.array(
        sorted(caught + step for step in steps if 0 <= caught + step <= curve.ungrounded_right[-1]), dtype=np.int64
    )
    fewest = curve.grounded_wrong[np.searchsorted(curve.ungrounded_right, catches)]
    places = np.unique(np.searchsorted(curve.grounded_wrong, fewest, side="right") - 1)
    thresholds = curve.thresholds[places].tolist()
    more = (curve.ungrounded_right[places] - caught).tolist()
    false = (curve.grounded_wrong[places] - alarms).tolist()
    return [TradeOff(t, c, a) for t, c, a in zip(thresholds, more, false, strict=True) if c or a]
