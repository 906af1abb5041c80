"""Frozen thresholds on test: the figures of the metrics, and a gap whose interval knows both splits."""

import math
from dataclasses import replace

import numpy as np
import pytest

from groundscope.grounding.rules.generalization import cost, gaps, retuned
from groundscope.grounding.rules.run_with_rules import RunWithRules
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import Objective, Rule, Tuned, starting_rules, verdicts, without
from groundscope.statistics.bootstrap import intervals_of_many, named_intervals, resamples
from groundscope.statistics.metrics import Confusion, cells, confusion, scores
from tests.groundscope.grounding.runs import decided, made_cases, made_run, pending


@pytest.fixture(scope="module")
def run() -> RunData:
    return made_run(made_cases(600), 4)


def test_the_figures_on_test_are_those_of_the_metrics(run: RunData) -> None:
    decision = decided(run)
    rows = run.rows("test")
    said = verdicts(run, decision.rules(run))
    draws = resamples(run.groups[rows])
    for i, found in enumerate(gaps(run, decision)):
        assert found.method == i
        assert found.table == confusion(run.gold[rows], said[i, rows])
        assert found.test == scores(found.table)
        alone = named_intervals(intervals_of_many(cells(run.gold[rows], said[i, rows])[None], run.groups[rows], draws)[0])
        assert found.given == alone["macro_f1"]
        assert found.error_interval == alone["error_recall"]


def test_the_gap_is_dev_less_test_and_dev_is_what_tuning_reached(run: RunData) -> None:
    decision = decided(run)
    for found in gaps(run, decision):
        assert found.dev == pytest.approx(found.tuned.value)
        assert found.gap == pytest.approx(found.dev - found.test.macro_f1)
        assert found.gap_interval.low < found.gap < found.gap_interval.high
        # Both splits vary, so the gap is less sure than the figure on test alone.
        width = found.gap_interval.high - found.gap_interval.low
        assert width > found.given.high - found.given.low
        assert found.interval != found.given


def test_a_rule_that_fits_dev_by_chance_alone_shows_its_gap() -> None:
    run = made_run(made_cases(600), 1)
    dev, support = run.splits == "dev", np.full((1, 600), 0.75)
    support[0, dev & (run.gold == 0)] = 0.25
    support[0, ~dev & (np.arange(600) % 2 == 0)] = 0.25
    found = gaps(replace(run, support=support, lowest=support, mean=support), decided(replace(run, support=support)))[0]
    assert found.dev == 1.0
    assert found.test.macro_f1 < 0.6
    assert found.gap_interval.low > 0.3


def test_queries_that_were_tuned_on_are_named_and_f1_is_given_over_the_others(run: RunData) -> None:
    test, dev = run.rows("test"), run.rows("dev")
    queries, there = np.unique(run.groups[test]), np.unique(run.groups[dev])
    # Some queries of test become queries of dev.
    shared = queries[: len(there)]
    groups = run.groups.copy()
    for query, other in zip(shared, there, strict=True):
        groups[(run.groups == query) & (run.splits == "test")] = other
    leaky = replace(run, groups=groups)
    decision = decided(leaky)
    ruled = RunWithRules(leaky, decision.rules(leaky), decision, leaky)
    (note,) = (note for note in ruled.results("test").notes if "tuned on" in note)
    apart = test[~np.isin(run.groups[test], shared)]
    assert note.startswith(
        f"{len(shared)} of the {len(queries)} queries here are also among those that thresholds were tuned on."
    )
    assert "its interval is given the rule" in note
    assert f"Over the {len(apart)} responses to the other {len(queries) - len(shared)} queries" in note
    calls = verdicts(leaky, decision.rules(leaky))
    for i in range(4):
        assert f" {scores(confusion(run.gold[apart], calls[i, apart])).macro_f1:.3f} (" in note
    # Without rules that were tuned the leak is still said, and a run without one says nothing.
    bare = RunWithRules(leaky, starting_rules(leaky), None, leaky).results("test").notes
    assert f"{len(shared)} of the {len(queries)} queries of test are also in dev: the splits leak." in bare
    assert RunWithRules(run, decision.rules(run), decision, run).results("test").notes == ()


def test_one_query_for_all_says_why_there_are_no_intervals(run: RunData) -> None:
    alone = replace(run, groups=np.zeros_like(run.groups))
    notes = RunWithRules(alone, starting_rules(alone), None, alone).results(None).notes
    assert any("to one query, so there are no intervals" in note for note in notes)


def test_a_method_that_changed_since_is_left_out(run: RunData) -> None:
    decision = decided(run)
    decision = replace(decision, signatures={**decision.signatures, "method_1": "other parameters"})
    assert [g.method for g in gaps(run, decision)] == [0, 2, 3]
    assert gaps(run, replace(decision, tuned={}, signatures={})) == []


def test_on_other_cases_and_without_the_tuning_split_there_is_no_gap_to_show(run: RunData) -> None:
    decision = decided(run)
    found = gaps(run, replace(decision, data_hash="other cases"))[0]
    assert np.isnan([found.dev, found.gap, found.gap_interval.low]).all()
    assert 0 < found.interval.low < found.test.macro_f1 < found.interval.high
    tuned = {**decision.tuned, "method_0": replace(decision.tuned["method_0"], split="train")}
    first, second, *_ = gaps(run, replace(decision, tuned=tuned))
    assert math.isnan(first.gap)
    assert not math.isnan(second.gap)


def test_without_a_test_split_it_is_refused_and_one_class_has_no_macro_f1(run: RunData) -> None:
    only_dev = replace(run, splits=np.full(600, "dev", dtype=object))
    with pytest.raises(ValueError, match="no labelled response in test"):
        gaps(only_dev, decided(run))
    gold = np.where(run.splits == "test", 1, run.gold).astype(np.int8)
    found = gaps(replace(run, gold=gold), decided(run))[0]
    assert math.isnan(found.test.macro_f1)
    assert math.isnan(found.interval.low)
    assert found.table.ungrounded_right == 0


def test_tuned_by_cost_the_cost_stands_beside_the_macro_f1(run: RunData) -> None:
    found = gaps(run, decided(run, Objective(3.0)))[3]
    _, *alarms, _, missed, unread = found.table
    assert found.cost == pytest.approx((sum(alarms) + 3 * (missed + unread)) / len(run.rows("test")))
    assert found.dev != pytest.approx(found.tuned.value)
    assert math.isnan(gaps(run, decided(run))[3].cost)
    assert math.isnan(cost(Confusion(0, 0, 0, 0, 0, 0), 2.0))


def test_a_share_of_sentences_is_read_on_test_as_it_was_tuned(run: RunData) -> None:
    decision = decided(run)
    tuned = {"method_3": Tuned(Rule("share_below", 0.9, 0.45), "dev", 0.5, 120)}
    rows, table = run.rows("test"), run.read_sentences(3)
    lowest = np.array([table.support[table.case == row].min(initial=2.0) for row in rows])
    found = gaps(run, replace(decision, tuned=tuned))[0]
    # At 0.9 one flagged sentence of four is enough: as the lowest at 0.45.
    said = np.where(lowest > 1, -1, lowest >= 0.45).astype(np.int8)
    assert found.table == confusion(run.gold[rows], said)


def test_tuning_again_on_the_split_itself_finds_the_frozen_rule_and_on_draws_others(run: RunData) -> None:
    decision = decided(run)
    again = retuned(run, decision, count=300)
    assert list(again) == [m.id for m in run.methods]
    for name, found in again.items():
        rule = decision.tuned[name].rule
        assert found.whole
        assert {way.how for way in found.ways} <= {"own", "min", "mean"}
        assert len(found.ways) == len(found.supports)
        thresholds = found.chosen.threshold[found.chosen.way == [w.how for w in found.ways].index(rule.how)]
        assert thresholds.min() <= rule.threshold <= thresholds.max()
        assert len(found.chosen.counted()) > 1


def test_responses_that_were_tuned_on_have_no_interval_with_tuning_in_it(run: RunData) -> None:
    found = retuned(run, decided(run), count=20)["method_0"]
    for split, there in (("test", True), ("dev", False), (None, False)):
        rows = run.rows(split)
        draws = resamples(run.groups[rows], 20)
        assert (found.interval(run, rows, draws) is not None) is there
        assert (found.scores(run, rows, draws) is not None) is there


def test_rules_that_tuning_does_not_find_are_not_tuned_again(run: RunData) -> None:
    decision = decided(run)
    by_hand = replace(decision.tuned["method_1"], rule=replace(decision.tuned["method_1"].rule, threshold=0.123))
    other = replace(decision, tuned={**decision.tuned, "method_1": by_hand})
    assert list(retuned(run, other, count=5)) == ["method_0", "method_2", "method_3"]
    assert retuned(run, replace(decision, data_hash="other cases"), count=5) == {}
    assert "method_2" not in retuned(pending(run, 2, run.rows("test")[0]), decision, count=5)
    without_ways = retuned(run, replace(decision, ways=()), count=5)
    assert all([w.how for w in found.ways] == [decision.tuned[name].rule.how] for name, found in without_ways.items())


def test_draws_choose_among_the_parts_of_a_sweep_as_tuning_did(run: RunData) -> None:
    swept = replace(run, methods=tuple(replace(m, sweep="quip.n" if i < 3 else "") for i, m in enumerate(run.methods)))
    decision = decided(swept)
    (kept,) = {f"method_{i}" for i in range(3)} - {*decision.rejected}
    found = retuned(swept, decision, count=200)
    assert list(found) == [m.id for m in swept.methods if m.id not in decision.rejected]
    assert 3 < len(found[kept].ways) <= 9
    assert not found[kept].whole
    assert len(found["method_3"].ways) <= 3
    left = without(swept, decision.rejected)
    rows = left.rows("test")
    ends = found[kept].interval(left, rows, resamples(left.groups[rows], 200))
    assert ends is not None
    assert ends.low < ends.high
    # Without the other parts it is not known what tuning chose among.
    assert kept not in retuned(left, decision, count=5)
