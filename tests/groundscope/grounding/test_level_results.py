"""Sentences and characters: totals as `groundscope.grounding.levels` has them, intervals by query, and what has no figure."""

from dataclasses import replace

import numpy as np
import pytest

from groundscope.grounding.level_results import Level, gold_of, level_results, sentence_threshold
from groundscope.grounding.levels import GoldTable, SentenceRows, gold_table, sentence_level, span_level
from groundscope.grounding.rules.generalization import retuned
from groundscope.grounding.runs.arrays import RunData, SentenceTable
from groundscope.grounding.tuning import Rule, starting_rules, tune_method
from groundscope.statistics.tuned import Choices
from groundscope.types import Case
from tests.groundscope.grounding.runs import decided, made_cases, made_run, pending


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return made_cases(150)


@pytest.fixture(scope="module")
def run(cases: list[Case]) -> RunData:
    return made_run(cases, 3)


@pytest.fixture(scope="module")
def gold(run: RunData) -> GoldTable:
    return gold_of(run, run.rows("test"))


def table_of(run: RunData, method: int, rows: list[int]) -> SentenceRows:
    """The method's sentences of some rows, counted from 0."""
    table = run.read_sentences(method)
    kept = np.isin(table.case, rows)
    places = np.searchsorted(rows, table.case[kept]).astype(np.int32)
    return SentenceRows(places, table.start[kept], table.end[kept], table.support[kept])


def test_totals_are_those_of_all_responses_together(run: RunData, cases: list[Case], gold: GoldTable) -> None:
    rows = run.rows("test")
    wanted = gold_table([cases[i] for i in rows])
    found = level_results(run, gold, starting_rules(run), rows, "sentence")
    spans = level_results(run, gold, starting_rules(run), rows, "span")
    for m in range(3):
        own = table_of(run, m, rows.tolist())
        sentences = sentence_level(wanted, own, 0.5)
        assert found[m].f1 == pytest.approx(sentences.scores.macro_f1)
        assert (found[m].precision, found[m].recall) == pytest.approx((sentences.scores.precision, sentences.scores.recall))
        assert (found[m].total, found[m].wrong) == (sentences.sentences, sentences.wrong)
        assert found[m].judged == sentences.sentences - sentences.without_support
        assert found[m].ranking.auroc == pytest.approx(sentences.auroc)
        characters = span_level(wanted, own, 0.5)
        assert (spans[m].f1, spans[m].precision, spans[m].recall) == pytest.approx(
            (characters.f1, characters.precision, characters.recall)
        )
        assert (spans[m].judged, spans[m].wrong) == (characters.predicted_characters, characters.gold_characters)
        for result in (found[m], spans[m]):
            assert result.interval.low < result.f1 < result.interval.high
            assert (result.threshold, result.note) == (0.5, "")


def test_the_threshold_of_sentences_follows_the_rule() -> None:
    assert sentence_threshold(Rule("min", 0.3), 0.5) == 0.3
    assert sentence_threshold(Rule("own", 0.3), 0.5) == 0.3
    assert sentence_threshold(Rule("mean", 0.3), 0.5) == 0.5
    assert sentence_threshold(Rule("share_below", 0.3, 0.2), 0.5) == 0.2
    assert sentence_threshold(None, 0.5) == 0.5
    assert sentence_threshold(Rule("mean", 0.3), None) is None


def test_a_method_without_threshold_or_sentences_has_no_figures_and_says_why(run: RunData, gold: GoldTable) -> None:
    methods = (replace(run.methods[0], threshold=None), *run.methods[1:])
    empty = SentenceTable(*(np.array([], dtype=t) for t in (np.int32, np.int32, np.int32, np.float64)))
    bare = replace(run, methods=methods, read_sentences=lambda m: empty if m == 1 else run.read_sentences(m))
    found = level_results(bare, gold, starting_rules(bare), run.rows("test"), "sentence")
    assert np.isnan([found[0].f1, found[1].f1, found[0].interval.low]).all()
    assert "no threshold" in found[0].note
    assert "as a whole" in found[1].note
    assert found[2].note == ""


def test_responses_that_are_not_judged_yet_count_nowhere(run: RunData, gold: GoldTable) -> None:
    rows = run.rows("test")
    table = run.read_sentences(2)
    shorter = SentenceTable(*(column[~np.isin(table.case, rows[:60])] for column in table))
    waiting = pending(run, 2, rows[:60])
    waiting = replace(waiting, read_sentences=lambda m: shorter if m == 2 else run.read_sentences(m))
    left = gold_of(run, rows[60:])
    for level in ("sentence", "span"):
        found = level_results(waiting, gold, starting_rules(run), rows, level)[2]
        wanted = level_results(run, left, starting_rules(run), rows[60:], level)[2]
        assert (found.f1, found.total, found.wrong) == pytest.approx((wanted.f1, wanted.total, wanted.wrong))


def test_without_a_labelled_span_there_is_nothing_to_find(run: RunData, cases: list[Case]) -> None:
    rows = np.flatnonzero(run.gold == 1).astype(np.int32)
    found = level_results(run, gold_of(run, rows), starting_rules(run), rows, "span")[2]
    assert np.isnan([found.f1, found.interval.low]).all()
    assert "No character" in found.note


@pytest.mark.parametrize("level", ["sentence", "span"])
def test_an_interval_with_tuning_in_it_is_over_the_thresholds_that_draws_of_dev_choose(
    run: RunData, gold: GoldTable, level: Level
) -> None:
    rows, rule = run.rows("test"), Rule("min", 0.5)
    decision = decided(run, tuned={"method_0": tune_method(run, 0, "dev", None, ("min",))})
    again = retuned(run, replace(decision, ways=("min",)))
    rules = {**starting_rules(run), **decision.rules(run)}
    found, given = (level_results(run, gold, rules, rows, level, one) for one in (again, None))
    assert found[0].given == given[0].interval != found[0].interval
    assert found[1:] == given[1:]
    # One draw of dev alone leaves one threshold: the interval at it.
    at = again["method_0"].chosen.threshold[:1]
    single = replace(again["method_0"], chosen=Choices(np.zeros(1, dtype=np.int64), at))
    alone = level_results(run, gold, rules, rows, level, {"method_0": single})[0].interval
    fixed = level_results(run, gold, {"method_0": replace(rule, threshold=float(at[0]))}, rows, level)[0].interval
    assert (alone.low, alone.high) == pytest.approx((fixed.low, fixed.high), abs=0.01)
