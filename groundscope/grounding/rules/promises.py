"""Promises about misses from a run's labelled sentences: fitted on dev, verified on test, checked for distribution shift.

`groundscope.statistics.risk` says exactly what is promised, and what it rests on.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.grounding.level_results import gold_of, known_sentences
from groundscope.grounding.levels import GoldTable
from groundscope.grounding.rules.frozen_rules import Decision
from groundscope.grounding.rules.generalization import table_at
from groundscope.grounding.runs.arrays import Floats, Integers, RunData
from groundscope.grounding.tuning import Rule, Tuned, tuning_split
from groundscope.statistics.bootstrap import by_group
from groundscope.statistics.exchangeability import Likeness, likeness
from groundscope.statistics.metrics import scores
from groundscope.statistics.risk import MissControl, MissLimit, MissRate, Promise, control_misses, miss_rate, percent_up
from groundscope.text.humanize import plural

MEANING = (
    "Missed is the mean, over queries with a wrong sentence, of the share of these sentences that is not flagged; where labels "
    "are of whole answers, of wrong answers without a flagged sentence. A promise is for queries drawn from where those came "
    "from that it was found on, and for its method alone: the best of several methods, or of several limits, may owe it to "
    "chance. So choose both before looking."
)
"""What a promise is worth, for people."""


_MOST_KEPT = 2_000
"""Queries whose figures are kept with a promise: enough for every comparison, and less than 100 kilobytes a method."""


class SoughtPromise(NamedTuple):
    """A method's search for a promise."""

    split: str
    control: MissControl


class KeptPromise(NamedTuple):
    """What became of a promise on other responses than it was found on."""

    promise: Promise
    seen: MissRate | None
    likeness: Likeness

    @property
    def words(self) -> str:
        """Whether it held."""
        if self.seen is None:
            return f"not known: no {self.promise.limit.of.removesuffix('s')} is labelled wrong"
        if self.seen.rate <= self.promise.limit.most:
            return "held here"
        return "broken, more than chance" if self.seen.interval.low > self.promise.limit.most else "missed more; may be chance"


def why_none(control: MissControl, limit: MissLimit) -> str:
    """Explain why no threshold carries a promise."""
    if control.least is None:
        return "No threshold can promise this, nor anything less: too much that is wrong has no support, so none flags it."
    seen, wrong = control.least.seen, control.least.limit.wrong
    if seen.queries < limit.fewest:
        queries = plural(seen.queries, "query", "queries")
        why = f"{queries} with a {wrong.removesuffix('s')} are too few; it takes {limit.fewest:,} or more"
    else:
        why = f"{seen.missed:,} of the {wrong} have no support, so no threshold flags them"
    return f"No threshold can promise this: {why}."


def what_instead(control: MissControl) -> str:
    """Describe the smallest promise that could be made instead."""
    if control.least is None:
        return ""
    limit, seen = control.least.limit, control.least.seen
    return (
        f"The smallest that can be promised with {limit.confidence * 100:g} % confidence is {percent_up(limit.most)}, "
        f"from {control.least.threshold:.4f} on, which flags {seen.alarms:,} of {seen.sound:,} sound {limit.of}."
    )


def seek_promises(run: RunData, limit: MissLimit, split: str | None = None) -> tuple[dict[str, SoughtPromise], dict[str, str]]:
    """Search every method's thresholds for one that carries a promise. Reads and cuts texts: slow on large sets."""
    sought: dict[str, SoughtPromise] = {}
    failed: dict[str, str] = {}
    labels: dict[str, GoldTable] = {}
    for i, method in enumerate(run.methods):
        try:
            tuned_on = tuning_split(run, i, split)
            rows = run.rows(tuned_on)
            gold = labels.get(tuned_on) or labels.setdefault(tuned_on, gold_of(run, rows))
            sought[method.id] = SoughtPromise(tuned_on, _search(run, i, gold, rows, limit))
        except ValueError as error:
            failed[method.id] = str(error)
    return sought, failed


def _search(run: RunData, method: int, gold: GoldTable, rows: Integers, limit: MissLimit) -> MissControl:
    counted = _Labelled.of(run, method, gold, rows, "sentences")
    if not counted.wrong:
        limit = replace(limit, of="answers")
        counted = _Labelled.of(run, method, gold, rows, "answers")
    if not counted.wrong:
        raise ValueError("No answer here is labelled ungrounded, so there is no miss to count.")
    if np.isnan(counted.supports).all():
        raise ValueError("It gives no sentence a support: it judges the response as a whole.")
    figures = query_figures(run, method, rows)
    reference = tuple(map(tuple, figures[:: max(1, math.ceil(len(figures) / _MOST_KEPT))].tolist()))
    return control_misses(*counted, limit, reference)


class _Labelled(NamedTuple):
    """Sentences with a known label, or whole answers, each with the support of its lowest sentence."""

    supports: Floats
    sound: NDArray[np.bool_]
    queries: Integers

    @classmethod
    def of(cls, run: RunData, method: int, gold: GoldTable, rows: Integers, what: str) -> "_Labelled":
        if what == "answers":
            return cls(run.lowest[method, rows], run.gold[rows] == 1, run.groups[rows])
        sentences = known_sentences(run, method, gold, rows)
        return cls(sentences.supports, sentences.labels == 1, sentences.queries)

    @property
    def wrong(self) -> bool:
        """Whether anything is labelled wrong."""
        return not self.sound.all()


def query_figures(run: RunData, method: int, rows: Integers) -> Floats:
    """Make the figures by which queries are compared: of the lowest and of the mean sentence support the mean over responses.

    (queries, 2), 0 to 1, for the queries with a response that has supports; labels do not matter.
    """
    table = np.stack([run.lowest[method, rows], run.mean[method, rows], np.ones(len(rows))], axis=1)
    there = ~np.isnan(table).any(axis=1)
    sums = by_group(table[there], run.groups[rows][there])
    return np.round(sums[:, :2] / sums[:, 2:], 6)


def promised_rules(run: RunData, sought_promises: Mapping[str, SoughtPromise]) -> tuple[dict[str, Tuned], dict[str, Promise]]:
    """Make rules of the promises that were found, to be frozen with them."""
    promises = {name: sought.control.promise for name, sought in sought_promises.items() if sought.control.promise is not None}
    tuned = {}
    for name, promise in promises.items():
        rule, split = Rule("min", promise.threshold), sought_promises[name].split
        there = Tuned(rule, split, 0.0, len(run.rows(split)))
        value = scores(table_at(run, run.method(name), there, rule.threshold)).macro_f1
        tuned[name] = Tuned(rule, split, value, there.responses)
    return tuned, promises


def other_cases(run: RunData, decision: Decision) -> bool:
    """Say whether a run has other cases than those that rules were made on."""
    return decision.data_hash != run.data_hash


def made_here(run: RunData, decision: Decision, split: str | None) -> bool:
    """Say whether a split has responses that a promise was found on, so that it says nothing of the promise."""
    return not other_cases(run, decision) and (split is None or any(decision.tuned[m].split == split for m in decision.promises))


def keep_promises(run: RunData, decision: Decision, split: str | None) -> dict[str, KeptPromise]:
    """Read promises on other responses than they were found on. Reads and cuts texts: slow on large sets."""
    rows = run.rows(split)
    gold = gold_of(run, rows)
    # Labels are not needed to compare supports.
    there = np.flatnonzero(run.splits == split).astype(np.int32) if split is not None else np.arange(len(run.ids), dtype=np.int32)
    checked = {}
    for name in decision.rules(run):
        if promise := decision.promises.get(name):
            place = run.method(name)
            counted = _Labelled.of(run, place, gold, rows, promise.limit.of)
            seen = miss_rate(*counted, promise.threshold) if counted.wrong else None
            checked[name] = KeptPromise(promise, seen, likeness(promise.reference, query_figures(run, place, there)))
    return checked
