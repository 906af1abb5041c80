"""A run's results: the columns of the paper's table 3 for each method, with the counts and intervals behind every figure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from groundscope.cases.set_counts import ONE_QUERY
from groundscope.experiments.plan import Part
from groundscope.grounding.latency import PAPERS_SPLIT, Latency, latencies, papers_rows
from groundscope.grounding.rules.generalization import MOST_RETUNED, Retuned
from groundscope.grounding.runs.arrays import PENDING, Bytes, Floats, Integers, RunData
from groundscope.grounding.tuning import HOW_WORDS, Rule, goes_beyond, supports
from groundscope.statistics.bootstrap import MOST_DRAWN, Draws, Interval, drawn_queries, intervals_of_many, named_intervals
from groundscope.statistics.metrics import Coverage, Scores, auroc, cells, coverage, score_arrays
from groundscope.text.humanize import plural
from groundscope.types import Status

NAN = float("nan")


@dataclass(frozen=True, slots=True)
class MethodResult:
    """One method on the responses shown.

    Attributes:
        part: what judged, with a title that no other method of the run has.
        rule: in words, how supports become verdicts; empty where no threshold is known.
        scores: NaN where there is no rule, nothing is judged, or a class is not there.
        intervals: 95 %, by the bootstrap over queries, by score, given the rule; as `groundscope.statistics.metrics.NAMES`.
        cost: US dollars a response, mean; NaN = the price is not known.
        tuned_f1: 95 % of the macro-F1 where the rule was tuned on other queries of this run, drawn as well; else None.
        promise: what its threshold promises about misses, in a phrase; empty where it promises nothing.
    """

    part: Part
    rule: str
    responses: int
    verdicts: int
    scores: Scores
    intervals: Mapping[str, Interval] = field(hash=False)
    auroc: float
    coverage: Coverage
    latency: Latency
    dev_latency: Latency
    cost: float
    note: str
    tuned_f1: Interval | None = None
    promise: str = ""

    @property
    def id(self) -> str:
        """Of the method in the run."""
        return self.part.id

    @property
    def title(self) -> str:
        """For people."""
        return self.part.title

    @property
    def cold_seconds(self) -> float:
        """Loading and the first score; NaN = not measured."""
        return NAN if self.part.cold_seconds is None else self.part.cold_seconds

    @property
    def f1(self) -> Interval:
        """The interval of the macro-F1, with the uncertainty of tuning where it is known."""
        return self.tuned_f1 or self.intervals["macro_f1"]


@dataclass(frozen=True, slots=True)
class RunResults:
    """All methods of a run on some of its responses.

    `split`: the split shown; None = all labelled responses, empty = those without a split.
    """

    run: str
    split: str | None
    responses: int
    queries: int
    grounded: int
    machine: tuple[str, ...]
    methods: tuple[MethodResult, ...]
    notes: tuple[str, ...]

    @property
    def ungrounded(self) -> int:
        """How many are labelled ungrounded."""
        return self.responses - self.grounded

    @property
    def split_words(self) -> str:
        """The split for people."""
        if self.split is None:
            return "all labelled responses"
        return self.split or "responses without a split"


def rule_words(rule: Rule | None, method: Part, digits: int = 3) -> str:
    """Say for people how supports become verdicts, and where that is not as the method's paper has it."""
    if rule is None:
        return ""
    beyond = BEYOND if goes_beyond(method, rule) else ""
    flagged = "" if rule.sentence_threshold is None else f", flagged below {rule.sentence_threshold:.{digits}f}"
    return f"support ≥ {rule.threshold:.{digits}f} ({HOW_WORDS[rule.how]}{flagged}){beyond}"


BEYOND = ", beyond the paper"


def beyond_words(run: RunData, rules: Mapping[str, Rule]) -> str:
    """Name the methods whose rules are not as their papers have them; empty without any."""
    beyond = [m.title for m in run.methods if m.id in rules and goes_beyond(m, rules[m.id])]
    return f"Beyond the paper: the rules of {', '.join(beyond)}." if beyond else ""


def titles(run: RunData) -> list[str]:
    """Name the methods of a run for people."""
    names = [m.title for m in run.methods]
    return [m.title if names.count(m.title) == 1 else f"{m.title} ({m.id})" for m in run.methods]


def judged_cells(run: RunData, verdicts: Bytes, rules: Mapping[str, Rule], rows: Integers) -> Bytes:
    """Put each judged response into its cell of the confusion table: (m, k, 6) int8, cells in the order of `Confusion`.

    All are 0 where a method has not judged a response yet, or has no rule: it counts neither as right nor as wrong. One that is
    judged and has no verdict counts as wrong in recall.
    """
    tables = np.stack([cells(run.gold[rows], said) for said in verdicts[:, rows]])
    tables[run.status[:, rows] == PENDING] = 0
    tables[[m.id not in rules for m in run.methods]] = 0
    return tables


def results(
    run: RunData,
    verdicts: Bytes,
    rules: Mapping[str, Rule],
    rows: Integers,
    split: str | None = None,
    draws: Draws | None = None,
    again: Mapping[str, Retuned] | None = None,
    promised: Mapping[str, str] | None = None,
    tuned_on: Mapping[str, Integers] | None = None,
) -> RunResults:
    """Measure every method, in the order of the run, on the labelled rows; with notes where figures mean little.

    `verdicts` are (m, n) as `groundscope.grounding.tuning.verdicts` makes them of the rules, `draws` those of `resamples` for the
    queries of these rows, made here without any. `again` and `tuned_on` come from `retuned` and `tuned_queries` of
    `groundscope.grounding.rules.generalization`; without them intervals are given the rules. `promised` has, by method id, what
    thresholds promise about misses.
    """
    groups = run.groups[rows]
    draws = drawn_queries(groups) if draws is None else draws
    tables = judged_cells(run, verdicts, rules, rows)
    scores = score_arrays(tables.sum(axis=1))
    ends = intervals_of_many(tables, groups, draws)
    shown = latencies(run, rows, draws)
    dev = shown if split == PAPERS_SPLIT else latencies(run, papers_rows(run))
    methods = tuple(
        _method(run, i, rules, rows, Scores(*map(float, scores[i])), ends[i], shown[i], dev[i]) for i in range(len(run.methods))
    )
    tuned_f1 = {} if again is None else {name: one.interval(run, rows, draws) for name, one in again.items()}
    promises = {m: words for m, words in (promised or {}).items() if m in rules}
    methods = tuple(replace(m, tuned_f1=tuned_f1.get(m.id), promise=promises.get(m.id, "")) for m in methods)
    grounded = int((run.gold[rows] == 1).sum())
    queries = len(np.unique(groups))
    leaks = leak_notes(run, verdicts, rules, rows, again or {}, tuned_on or {}) or split_leaks(run, split)
    notes = (*_notes(rows, queries, grounded, methods), *leaks)
    return RunResults(run.name, split, len(rows), queries, grounded, run.machine, methods, notes)


def leak_notes(
    run: RunData,
    verdicts: Bytes,
    rules: Mapping[str, Rule],
    rows: Integers,
    again: Mapping[str, Retuned],
    tuned_on: Mapping[str, Integers],
) -> list[str]:
    """Say which queries are also among those that thresholds were tuned on, and what F1 is over the others."""
    members: dict[bytes, list[int]] = {}
    for i, method in enumerate(run.methods):
        if method.id in tuned_on:
            members.setdefault(tuned_on[method.id].tobytes(), []).append(i)
    groups, notes = run.groups[rows], []
    for places in members.values():
        shared = np.isin(groups, tuned_on[run.methods[places[0]].id])
        number, queries = len(np.unique(groups[shared])), len(np.unique(groups))
        if number in (0, queries):
            continue
        apart = rows[~shared]
        draws = drawn_queries(run.groups[apart])
        tables = judged_cells(run, verdicts, rules, apart)
        values, ends = score_arrays(tables.sum(axis=1)), intervals_of_many(tables, run.groups[apart], draws)
        figures = []
        for i in places:
            retuned = again.get(run.methods[i].id)
            nested = retuned.interval(run, apart, draws) if retuned else None
            interval = nested or named_intervals(ends[i])["macro_f1"]
            ends_words = "" if np.isnan(interval.low) else f" ({interval.low:.3f} to {interval.high:.3f})"
            figures.append(f"{titles(run)[i]} {Scores(*map(float, values[i])).macro_f1:.3f}{ends_words}")
        notes.append(
            f"{number:,} of the {queries:,} queries here are also among those that thresholds were tuned on. So F1 may be better "
            "than on new queries, and its interval is given the rule: the tuning is not drawn. Over the "
            f"{len(apart):,} responses to the other {plural(queries - number, 'query', 'queries')}, F1 is {'; '.join(figures)}."
        )
    return notes


def split_leaks(run: RunData, split: str | None) -> list[str]:
    """Say how many queries of a split are in other labelled splits, too."""
    if not split:
        return []
    queries = np.unique(run.groups[run.rows(split)])
    leaks = []
    for other in run.labelled_splits():
        shared = int(np.isin(queries, run.groups[run.rows(other)]).sum()) if other and other != split else 0
        if shared:
            leaks.append(f"{shared:,} of the {len(queries):,} queries of {split} are also in {other}: the splits leak.")
    return leaks


def _method(
    run: RunData, i: int, rules: Mapping[str, Rule], rows: Integers, scores: Scores, ends: Floats, shown: Latency, dev: Latency
) -> MethodResult:
    method, rule = run.methods[i], rules.get(run.methods[i].id)
    states = run.status[i, rows]
    values = supports(run, i, rule or Rule("own", 0.0))[rows]
    judged = states != PENDING
    covered = coverage(states, np.nan_to_num(run.context_seen[i, rows], nan=1.0))
    with_verdict = 0 if rule is None else int((~np.isnan(values) & judged).sum())
    costs = run.cost[i, rows][judged]
    return MethodResult(
        part=replace(method, title=titles(run)[i]),
        rule=rule_words(rule, method),
        responses=int(judged.sum()),
        verdicts=with_verdict,
        scores=scores,
        intervals=named_intervals(ends),
        auroc=auroc(run.gold[rows], values),
        coverage=covered,
        latency=shown,
        dev_latency=dev,
        cost=float(costs.mean()) if costs.size else NAN,
        note=_note(covered, with_verdict, rule, shown, recorded=method.recorded),
    )


_WHY = {
    Status.INVALID: "gave answers that could not be read",
    Status.ABSTAINED: "abstained",
    Status.NOT_ASSESSABLE: "found nothing to assess",
    Status.FAILED: "could not run",
}


def _note(covered: Coverage, verdicts: int, rule: Rule | None, latency: Latency, *, recorded: bool) -> str:
    judged = covered.total - covered.pending
    if covered.total and not judged:
        return "It has not judged any of these responses yet: resume the run."
    if rule is None:
        return "It has no threshold, and so no verdicts: tune one on the Thresholds page."
    if judged and not verdicts:
        counts = {status: int(getattr(covered, status.value)) for status in _WHY}
        most = max(counts, key=lambda s: counts[s])
        why = f"it {_WHY[most]} for {counts[most]:,} of {judged:,}" if counts[most] else "no response has a support"
        return f"It has no verdict on any response ({why}); all count as wrong."
    if recorded:
        if latency.timed:
            return "Its seconds and its cost are those that the tool exported, measured where the tool ran."
        return "The tool's export has no seconds, so its speed is not known."
    if judged and not latency.timed:
        return "No result was timed in this run (all were reused or only warmed up): run it afresh to measure its speed."
    return ""


def _notes(rows: Integers, queries: int, grounded: int, methods: tuple[MethodResult, ...]) -> tuple[str, ...]:
    if not len(rows):
        return ("No response here has a label, so nothing can be measured. Choose another split, or label some responses.",)
    notes = []
    if queries == 1:
        notes.append(ONE_QUERY)
    if grounded in (0, len(rows)):
        label = "grounded" if grounded else "ungrounded"
        notes.append(
            f"All {len(rows):,} responses here are labelled {label}: precision, recall, F1 and AUROC need both labels. "
            "Choose a split that has both."
        )
    if queries > MOST_DRAWN:
        notes.append(
            f"{queries:,} queries are too many to resample 2,000 times. Intervals use 2,000 draws of their sums instead, from "
            "the normal distribution that sums of so many have: an end differs by some 0.0002, as from one set of draws "
            "to the next. They are given the rule: the responses that a threshold was tuned on are not drawn."
        )
    elif len(rows) > MOST_RETUNED:
        notes.append(
            f"More than {MOST_RETUNED:,} responses are labelled, so thresholds are not tuned again on each resample: intervals "
            "are given the rule."
        )
    if any(m.coverage.pending for m in methods):
        notes.append("Each method's figures are of the responses that it has judged so far: resume the run before you compare.")
    return tuple(notes)
