"""What frozen thresholds are worth on responses that they were not tuned on: the gap between dev and test.

A rule is chosen because it does well on dev, and so looks better there than it is. The gap's interval says how much of it chance
could make: queries of both splits are drawn again, each on its own, because no query is in both (paper, section 4).
"""

from dataclasses import dataclass

import numpy as np

from groundscope.grounding.frozen_rules import Decision
from groundscope.grounding.runs.arrays import Bytes, Floats, RunData
from groundscope.grounding.tuning import Tuned, verdicts
from groundscope.statistics.bootstrap import Interval, limits, resampled_scores, resamples
from groundscope.statistics.metrics import CELLS, NAMES, Confusion, Scores, cells, score_arrays, scores

_F1, _RECALL = NAMES.index("macro_f1"), NAMES.index("error_recall")


@dataclass(frozen=True, slots=True)
class Gap:
    """One method under its frozen rule.

    Attributes:
        method: its place in the run.
        tuned: its rule, and what it was worth where it was tuned.
        dev: macro-F1 on the split that it was tuned on; NaN where that split is not in this run.
        test: all scores on test.
        table: the counts they are made of.
        interval: of macro-F1 on test, by the bootstrap over queries.
        error_interval: of the recall of ungrounded responses on test, likewise.
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
    error_interval: Interval
    gap: float
    gap_interval: Interval
    cost: float


@dataclass(frozen=True, slots=True)
class _Reading:
    """m methods on one split: (m, 6) counts, (m, 7) scores, (m, count, 7) scores of resamples, and how many queries it has."""

    counts: Floats
    values: Floats
    drawn: Floats
    queries: int


def gaps(run: RunData, decision: Decision, split: str = "test", count: int = 2_000, seed: int = 0) -> list[Gap]:
    """Read a frozen decision on a split that it was not tuned on.

    Args:
        run: methods with other parameters than they were tuned with are left out, as `Decision.rules` does.
        decision: the frozen rules.
        split: the one to read them on.
        count: resamples.
        seed: of the resamples.

    Returns:
        One entry a method that the decision has a rule for, in the order of the run.

    Raises:
        ValueError: the split has no labelled response.
        DataError: a rule needs sentences, and the exported run cannot be read any more.
    """
    rules = decision.rules(run)
    places = [i for i, m in enumerate(run.methods) if m.id in rules]
    said = verdicts(run, rules)[places]
    test = _read(run, said, split, count, seed)
    if test is None:
        raise ValueError(f"The run has no labelled response in {split or 'no split'}.")
    tuned = [decision.tuned[run.methods[i].id] for i in places]
    # A rule that was tuned on other cases has no tuning split here, even where this run has one of the same name.
    splits = {t.split for t in tuned} if decision.data_hash == run.data_hash else set()
    before = {name: _read(run, said, name, count, seed + 1) for name in splits}
    return [
        _gap(k, place, tuned[k], before.get(tuned[k].split), test, decision.objective.missed) for k, place in enumerate(places)
    ]


def _read(run: RunData, said: Bytes, split: str, count: int, seed: int) -> _Reading | None:
    rows = run.rows(split)
    if not len(rows):
        return None
    tables = np.stack([cells(run.gold[rows], line[rows]) for line in said]) if len(said) else np.empty((0, len(rows), CELLS))
    groups = run.groups[rows]
    draws = resamples(groups, count, seed)
    counts = tables.sum(axis=1, dtype=np.float64)
    return _Reading(counts, score_arrays(counts), resampled_scores(tables, groups, draws), draws.shape[1])


def _gap(k: int, place: int, tuned: Tuned, dev: _Reading | None, test: _Reading, missed: float | None) -> Gap:
    table = Confusion(*map(int, test.counts[k]))
    ends = limits(test.drawn[k], test.queries)
    value = float(dev.values[k, _F1]) if dev else float("nan")
    spread = limits(dev.drawn[k, :, _F1] - test.drawn[k, :, _F1], min(dev.queries, test.queries)) if dev else np.full(2, np.nan)
    return Gap(
        place,
        tuned,
        value,
        scores(table),
        table,
        Interval.of(ends[_F1]),
        Interval.of(ends[_RECALL]),
        value - float(test.values[k, _F1]),
        Interval.of(spread),
        cost(table, missed) if missed is not None else float("nan"),
    )


def cost(table: Confusion, missed: float) -> float:
    """Compute the mean cost a response; no verdict costs as the wrong one.

    Args:
        table: responses by label and call.
        missed: cost of a missed error, where a false alarm costs 1; above 0.

    Returns:
        The mean cost in false alarms, 0 or more; NaN without a response.
    """
    alarms = table.grounded_wrong + table.grounded_none
    misses = table.ungrounded_wrong + table.ungrounded_none
    return (alarms + missed * misses) / sum(table) if sum(table) else float("nan")
