"""The results table of a run against counts by hand, and its latency: which results count, and what is said of them."""

import re
from dataclasses import replace

import numpy as np
import pytest

from groundscope.experiments.plan import Part
from groundscope.grounding.latency import latencies, papers_rows, timed
from groundscope.grounding.result_columns import drawn_words
from groundscope.grounding.results import judged_cells, results, rule_words, titles
from groundscope.grounding.rules.generalization import retuned
from groundscope.grounding.runs.arrays import PENDING, STATUSES, RunData
from groundscope.grounding.tables import caption
from groundscope.grounding.tuning import Rule, starting_rules, verdicts
from groundscope.statistics.bootstrap import resamples
from groundscope.statistics.metrics import NAMES, auroc, confusion, scores
from groundscope.types import Status
from tests.groundscope.grounding.runs import decided, made_cases, made_run, pending
from tests.loops import each


@pytest.fixture(scope="module")
def run() -> RunData:
    return made_run(made_cases(150), 3, invalid=0.1)


def measure(run: RunData, split: str | None = "test"):  # type: ignore[no-untyped-def]  # noqa: ANN201
    rules = starting_rules(run)
    return results(run, verdicts(run, rules), rules, run.rows(split), split)


def test_every_method_is_measured_on_the_rows_given(run: RunData) -> None:
    found = measure(run)
    rows = run.rows("test")
    said = verdicts(run, starting_rules(run))
    assert (found.responses, found.queries) == (len(rows), len(np.unique(run.groups[rows])))
    assert found.grounded + found.ungrounded == len(rows)
    assert found.grounded == (run.gold[rows] == 1).sum()
    assert (found.split_words, found.run, found.notes) == ("test", run.name, ())
    for i, method in enumerate(found.methods):
        assert method.scores == scores(confusion(run.gold[rows], said[i, rows]))
        assert method.auroc == pytest.approx(auroc(run.gold[rows], run.support[i, rows]))
        assert method.verdicts == (said[i, rows] >= 0).sum() == method.coverage.scored
        assert method.coverage.invalid == len(rows) - method.verdicts > 0
        assert method.responses == method.coverage.total == len(rows)
        assert method.coverage.truncated == ((run.context_seen[i, rows] < 1) & (said[i, rows] >= 0)).sum()
        for name in NAMES:
            ends, value = method.intervals[name], getattr(method.scores, name)
            assert ends.low <= value <= ends.high
        assert method.f1 == method.intervals["macro_f1"]
        assert (method.part.signature, method.note) == (run.methods[i].signature, "")


def test_latency_stands_for_the_rows_shown_and_for_dev(run: RunData) -> None:
    found = measure(run)
    dev, test = run.rows("dev"), run.rows("test")
    for i, method in enumerate(found.methods):
        for latency, rows in ((method.latency, test), (method.dev_latency, dev)):
            counted = rows[run.timed[i, rows]]
            assert (latency.responses, latency.timed) == (len(rows), len(counted))
            assert latency.mean == pytest.approx(run.seconds[i, counted].mean())
    assert all(m.dev_latency == m.latency for m in measure(run, "dev").methods)
    assert found.methods[0].cold_seconds == 1.5


def test_a_price_that_is_not_known_makes_no_cost(run: RunData) -> None:
    costs = run.cost.copy()
    costs[1, run.rows("test")[0]] = np.nan
    found = measure(replace(run, cost=costs)).methods
    assert found[0].cost == 0
    assert np.isnan(found[1].cost)
    assert found[2].cost == pytest.approx(0.002)


def test_what_is_not_judged_yet_is_neither_right_nor_wrong(run: RunData) -> None:
    rows = run.rows("test")
    waiting = pending(run, 0, rows[:40])
    found = measure(replace(waiting, support=np.where(waiting.status == PENDING, np.nan, run.support)))
    left = rows[40:]
    said = verdicts(run, starting_rules(run))
    assert found.methods[0].scores == scores(confusion(run.gold[left], said[0, left]))
    assert (found.methods[0].responses, found.methods[0].coverage.pending) == (len(left), 40)
    assert found.methods[1].responses == len(rows)
    assert "judged so far" in found.notes[0]
    nothing = replace(pending(run, 0, run.rows()), support=np.full_like(run.support, np.nan))
    method = measure(nothing).methods[0]
    assert np.isnan([method.scores.macro_f1, method.scores.accuracy, method.auroc, method.cost, method.latency.mean]).all()
    assert "not judged any" in method.note


def test_without_a_threshold_there_are_no_verdicts_but_an_auroc(run: RunData) -> None:
    methods = (replace(run.methods[0], threshold=None), *run.methods[1:])
    method = measure(replace(run, methods=methods)).methods[0]
    assert np.isnan([method.scores.macro_f1, method.scores.accuracy, method.f1.low]).all()
    assert (method.verdicts, method.rule) == (0, "")
    assert method.auroc > 0.4
    assert "no threshold" in method.note


@each(
    ("status", "words"),
    [(Status.INVALID, "not be read for 120 of 120"), (Status.FAILED, "not run for 120"), (Status.ABSTAINED, "abstained for 120")],
)
def test_no_verdict_at_all_counts_as_wrong_and_says_why(run: RunData, status: Status, words: str) -> None:
    states = np.full_like(run.status, STATUSES.index(status))
    method = measure(replace(run, status=states, support=np.full_like(run.support, np.nan))).methods[0]
    assert (method.scores.macro_f1, method.scores.coverage, method.verdicts) == (0, 0, 0)
    assert words in method.note


def test_one_class_nothing_labelled_and_nothing_timed_are_said(run: RunData) -> None:
    found = measure(replace(run, gold=np.where(run.gold == 1, 1, -1).astype(np.int8)))
    assert "labelled grounded" in found.notes[0]
    assert np.isnan([found.methods[0].scores.macro_f1, found.methods[0].auroc]).all()
    assert found.methods[0].scores.accuracy > 0
    empty = measure(replace(run, gold=np.full_like(run.gold, -1)))
    assert empty.responses == 0
    assert "No response here has a label" in empty.notes[0]
    cached = measure(replace(run, timed=np.zeros_like(run.timed)))
    assert "No result was timed" in cached.methods[0].note
    assert not np.isnan(cached.methods[0].scores.macro_f1)


def test_rows_without_a_split_and_all_rows_have_names(run: RunData) -> None:
    assert measure(run, None).split_words == "all labelled responses"
    assert measure(replace(run, splits=np.full_like(run.splits, "")), "").split_words == "responses without a split"


def test_methods_of_one_name_are_reported_apart_by_id(run: RunData) -> None:
    same = tuple(replace(m, title="Overlap") for m in run.methods[:2])
    assert titles(replace(run, methods=(*same, run.methods[2]))) == ["Overlap (method_0)", "Overlap (method_1)", "Method 2"]


METHOD = Part("overlap", "Overlap", "overlap")


def test_rules_are_said_in_words() -> None:
    assert "≥ 0.500 (the lowest sentence)" in rule_words(Rule("min", 0.5), METHOD)
    assert re.search(r"≥ 0\.750 .*not flagged.*below 0\.250", rule_words(Rule("share_below", 0.75, 0.25), METHOD))


def test_cells_are_zero_where_nothing_is_judged_or_there_is_no_rule(run: RunData) -> None:
    rules = starting_rules(run)
    others = {name: rule for name, rule in rules.items() if name != "method_0"}
    found = judged_cells(pending(run, 1, 5), verdicts(run, rules), others, run.rows())
    assert not found[0].any()
    assert not found[1, 5].any()
    assert (found[1].sum(axis=1) == 1).sum() == 149
    assert (found[2].sum(axis=1) == 1).all()


def test_f1_of_tuned_rules_has_the_interval_that_draws_their_tuning_set_too() -> None:
    run = made_run(made_cases(300), 3, seed=2)
    decision = decided(run)
    rules, again = decision.rules(run), retuned(run, decision)
    del again["method_2"]
    rows = run.rows("test")
    found = results(run, verdicts(run, rules), rules, rows, "test", again=again)
    draws = resamples(run.groups[rows])
    for method in found.methods[:2]:
        assert method.f1 == method.tuned_f1 == again[method.id].interval(run, rows, draws)
        assert method.f1 != method.intervals["macro_f1"]
    assert found.methods[2].f1 == found.methods[2].intervals["macro_f1"]
    assert ["given the rule" in drawn_words(m) for m in found.methods] == [False, False, True]
    assert "those of F1 of 2 methods" in caption(found)


def test_more_labelled_responses_than_are_tuned_again_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    few = made_run(made_cases(60), 2)
    monkeypatch.setattr("groundscope.grounding.results.MOST_RETUNED", 30)
    assert "intervals are given the rule" in " ".join(measure(few, None).notes)


@pytest.fixture(scope="module")
def clocked() -> RunData:
    """A run whose case n took n seconds."""
    found = made_run(made_cases(120), 2)
    return replace(found, timed=np.ones_like(found.timed), seconds=np.tile(np.arange(1.0, 121.0), (2, 1)))


def test_mean_median_and_tail_are_numpys(clocked: RunData) -> None:
    rows = clocked.rows("test")
    found = latencies(clocked, rows)[0]
    seconds = clocked.seconds[0, rows]
    assert (found.responses, found.timed) == (len(rows), len(rows))
    assert found.mean == pytest.approx(seconds.mean())
    assert (found.p50, found.p95) == pytest.approx(np.percentile(seconds, [50, 95]))
    assert found.interval.low < found.mean < found.interval.high


def test_what_was_kept_failed_or_is_still_to_come_does_not_count(clocked: RunData) -> None:
    rows = clocked.rows()
    status, clock, seconds = pending(clocked, 0, 2).status, clocked.timed.copy(), clocked.seconds.copy()
    clock[0, 0] = False
    status[0, 1] = STATUSES.index(Status.FAILED)
    seconds[0, 3] = np.nan
    # An answer that could not be read took its time all the same.
    status[0, 4] = STATUSES.index(Status.INVALID)
    found = latencies(replace(clocked, status=status, timed=clock, seconds=seconds), rows)
    assert found[0].timed == 116
    assert found[0].mean == pytest.approx(np.arange(5.0, 121.0).mean())
    assert found[1].timed == 120


def test_the_interval_draws_queries_and_not_responses(clocked: RunData) -> None:
    rows = clocked.rows()
    # One query took long on all its responses: by query that weighs three times as much as by response.
    seconds = np.ones_like(clocked.seconds)
    seconds[:, clocked.groups == 0] = 1_000.0
    alike = latencies(replace(clocked, seconds=seconds), rows)[0].interval
    apart = latencies(replace(clocked, seconds=seconds, groups=np.arange(120, dtype=np.int32)), rows)[0].interval
    assert alike.high > apart.high


def test_nothing_timed_gives_no_figure(clocked: RunData) -> None:
    found = latencies(replace(clocked, timed=np.zeros_like(clocked.timed)), clocked.rows())[0]
    assert found.timed == 0
    assert found.responses == 120
    assert np.isnan([found.mean, found.p50, found.p95, found.interval.low, found.interval.high]).all()
    assert latencies(clocked, clocked.rows()[:0])[0].responses == 0
    # One query says nothing of others.
    found = latencies(clocked, np.flatnonzero(clocked.groups == 0).astype(np.int32))[0]
    assert found.mean == pytest.approx(2.0)
    assert np.isnan(found.interval.low)


def test_the_papers_rows_are_all_of_dev_labelled_or_not(clocked: RunData) -> None:
    gold = clocked.gold.copy()
    gold[:10] = -1
    unlabelled = replace(clocked, gold=gold)
    assert (unlabelled.splits[papers_rows(unlabelled)] == "dev").all()
    assert len(papers_rows(unlabelled)) == len(clocked.rows("dev"))
    assert timed(unlabelled, papers_rows(unlabelled)).shape == (2, len(papers_rows(clocked)))
