"""Sentence and span level against slow counts, by sentence and by character; their intervals by query, and what has no figure."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.grounding.level_results import Level, gold_of, guessed_f1, level_results, sentence_threshold
from groundscope.grounding.levels import (
    UNKNOWN,
    GoldTable,
    gold_table,
    known_supports,
    span_level,
    supports_of,
)
from groundscope.grounding.rules.generalization import retuned
from groundscope.grounding.runs.arrays import RunData, SentenceTable
from groundscope.grounding.tuning import Rule, starting_rules, tune_method
from groundscope.statistics.metrics import auroc, called, confusion, scores
from groundscope.statistics.tuned import Choices
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage
from tests.groundscope.grounding.runs import decided, made_cases, made_run, pending
from tests.groundscope.labelled import SOUND
from tests.loops import each

FACT = ErrorType.FACTUAL_INACCURACY
CONTEXT = (Passage("p", "One holds. Two holds."),)
# A heading, and sentences at 8 to 14, 15 to 22 and 23 to 33.
RESPONSE = "# Rule\n\nIt is. It was. It may be."
SENTENCES = [(8, 14), (15, 22), (23, 33)]


def case(
    grounded: bool | None = None, errors: Sequence[tuple[int, int]] = (), unsupported: Sequence[tuple[int, int]] = ()
) -> Case:
    spans = tuple(ErrorSpan(start, end, FACT) for start, end in errors)
    return Case("c", "q", CONTEXT, RESPONSE, grounded=grounded, errors=spans, unsupported=tuple(unsupported))


def found_at(rows: Sequence[tuple[int, int, int, float]]) -> SentenceTable:
    places = np.array([row[:3] for row in rows], dtype=np.int32).reshape(-1, 3).T
    return SentenceTable(*places, np.array([row[3] for row in rows], dtype=float), np.full(len(rows), np.nan))


def rows_of(gold: GoldTable) -> list[tuple[int, ...]]:
    return [tuple(int(x) for x in row) for row in zip(*gold, strict=True)]


@each(
    ("labelled", "labels", "wrong"),
    [
        (case(True), [1, 1, 1], [0, 0, 0]),
        # Nobody knows which sentence is wrong.
        (case(False), [UNKNOWN] * 3, [0, 0, 0]),
        (case(None), [UNKNOWN] * 3, [0, 0, 0]),
        (case(False, errors=[(17, 20)]), [1, 0, 1], [0, 3, 0]),
        # Over two sentences and the space between them.
        (case(False, errors=[(12, 17)]), [0, 0, 1], [2, 2, 0]),
        # Two spans that share characters, and one inside another, count them once.
        (case(False, errors=[(24, 30), (25, 27)], unsupported=[(28, 33)]), [1, 1, 0], [0, 0, 9]),
        # In the heading alone: the other sentences are not called wrong.
        (case(False, errors=[(2, 6)]), [1, 1, 1], [0, 0, 0]),
        # A span says more than a missing label.
        (case(None, errors=[(17, 20)]), [1, 0, 1], [0, 3, 0]),
    ],
)
def test_gold_labels_follow_from_the_spans(labelled: Case, labels: list[int], wrong: list[int]) -> None:
    expected = [(0, *place, label, w) for place, label, w in zip(SENTENCES, labels, wrong, strict=True)]
    assert rows_of(gold_table([labelled])) == expected


def test_evidence_alone_says_nothing_of_sentences() -> None:
    evidence = (EvidenceSpan(8, 14, 0, 0, 10),)
    for grounded, label in ((True, 1), (False, UNKNOWN)):
        labelled = Case("c", "q", CONTEXT, RESPONSE, grounded=grounded, evidence=evidence)
        assert gold_table([labelled]).label.tolist() == [label] * 3


def test_cases_are_numbered_by_place_and_those_without_sentences_have_no_row() -> None:
    gold = gold_table([case(True), Case("e", "q", CONTEXT, " ", grounded=True), case(False, errors=[(8, 14)])])
    assert gold.case.tolist() == [0, 0, 0, 2, 2, 2]
    assert [column.dtype.name for column in gold] == ["int32", "int32", "int32", "int8", "int32"]
    assert [column.shape for column in gold_table([])] == [(0,)] * 5


def test_a_real_set_has_its_spans_in_the_wrong_sentences() -> None:
    gold = gold_table(SOUND)
    for i, c in enumerate(SOUND):
        own = gold.case == i
        assert gold.wrong_characters[own].sum() == sum(e.end - e.start for e in c.errors)
        assert (gold.label[own] == 0).sum() == len(c.errors)


SPANS = st.lists(st.integers(0, 32).flatmap(lambda a: st.tuples(st.just(a), st.integers(a + 1, 33))), max_size=3)
CASES = st.lists(st.builds(case, st.sampled_from([True, False, None]), SPANS, SPANS), min_size=1, max_size=6)
# Multiples of 1/4: ties, and supports right at the threshold.
SUPPORT = st.one_of(st.just(math.nan), st.integers(0, 4).map(lambda n: n / 4))
JUDGED = CASES.flatmap(
    lambda cases: st.tuples(
        st.just(cases), st.lists(st.one_of(st.none(), SUPPORT), min_size=3 * len(cases), max_size=3 * len(cases)), st.randoms()
    )
)


@given(JUDGED, SUPPORT.filter(lambda s: not math.isnan(s)))
def test_span_level_is_a_count_of_characters(judged: tuple[list[Case], list[float | None], object], threshold: float) -> None:
    cases, supports, _ = judged
    predicted = gold = hits = 0
    for i, c in enumerate(cases):
        spans = [*((e.start, e.end) for e in c.errors), *c.unsupported]
        if not spans and c.grounded is not True:
            continue
        for (start, end), support in zip(SENTENCES, supports[3 * i : 3 * i + 3], strict=True):
            for at in range(start, end):
                wrong = any(a <= at < b for a, b in spans)
                flagged = support is not None and support < threshold
                predicted, gold, hits = predicted + flagged, gold + wrong, hits + (wrong and flagged)
    found = span_level(gold_table(cases), table_of(judged), threshold)
    assert found[3:] == (predicted, gold)
    if not gold:
        assert all(map(math.isnan, found[:3]))
        return
    precision, recall = hits / predicted if predicted else 0.0, hits / gold
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    assert found[:3] == pytest.approx((precision, recall, f1))


def table_of(judged: tuple[list[Case], list[float | None], object]) -> SentenceTable:
    """The method's sentences in any order, with the headings, which it does not assess, and without those that are None."""
    cases, supports, random = judged
    rows = [(i // 3, *SENTENCES[i % 3], s) for i, s in enumerate(supports) if s is not None]
    rows += [(i, 2, 6, math.nan) for i in range(len(cases))]
    random.shuffle(rows)  # type: ignore[attr-defined]
    return found_at(rows)


@given(JUDGED, SUPPORT.filter(lambda s: not math.isnan(s)))
def test_sentence_level_is_scikit_learns_over_the_sentences_with_a_label(
    judged: tuple[list[Case], list[float | None], object], threshold: float
) -> None:
    from sklearn.metrics import precision_recall_fscore_support

    cases, supports, _ = judged
    labels, said = [], []
    for row, support in zip(rows_of(gold_table(cases)), supports, strict=True):
        if row[3] != UNKNOWN:
            missing = support is None or math.isnan(support)
            labels.append(row[3])
            said.append(-1 if support is None or missing else int(support >= threshold))
    gold_labels, supports_known, unmatched = known_supports(gold_table(cases), table_of(judged))
    found = scores(confusion(gold_labels, called(supports_known, threshold)))
    assert (gold_labels.tolist(), called(supports_known, threshold).tolist(), unmatched) == (labels, said, 0)
    if len(set(labels)) < 2:
        assert math.isnan(found.macro_f1)
        return
    macro = precision_recall_fscore_support(labels, said, average="macro", labels=[0, 1], zero_division=0)
    assert (found.precision, found.recall, found.macro_f1) == pytest.approx(macro[:3])
    assert found.error_recall == pytest.approx(sum(g == s == 0 for g, s in zip(labels, said, strict=True)) / labels.count(0))


def test_the_most_that_guessing_reaches_of_characters_is_to_flag_all() -> None:
    gold = gold_table([case(False, errors=[(8, 14)]), case(True)])
    wrong, every = int(gold.wrong_characters.sum()), int((gold.end - gold.start).sum())
    # Precision is the share of wrong characters, recall is 1.
    assert guessed_f1(gold) == pytest.approx(2 * (wrong / every) / (wrong / every + 1))


def test_a_sentence_that_was_cut_otherwise_counts_nowhere_and_is_reported() -> None:
    gold = gold_table([case(False, errors=[(8, 14)])])
    # Another end, another start, another case, and one without a support; only the last row is a gold sentence.
    found = found_at([(0, 8, 22, 0.1), (0, 16, 22, 0.1), (7, 8, 14, 0.1), (0, 2, 6, math.nan), (0, 23, 33, 0.1)])
    labels, supports, unmatched = known_supports(gold, found)
    assert (len(labels), int(np.isnan(supports).sum()), unmatched) == (3, 2, 3)
    assert span_level(gold, found, 0.5) == (0.0, 0.0, 0.0, 10, 6)
    np.testing.assert_array_equal(supports_of(gold, found), [math.nan, math.nan, 0.1])


def test_without_gold_sentences_there_is_nothing_to_score() -> None:
    labels, supports, unmatched = known_supports(gold_table([]), found_at([(0, 8, 14, 0.1)]))
    assert (len(labels), len(supports), unmatched) == (0, 0, 1)
    assert math.isnan(scores(confusion(labels, called(supports, 0.5))).accuracy)


def test_a_sentence_that_is_there_twice_is_refused() -> None:
    gold, twice = gold_table([case(True)]), found_at([(0, 15, 22, 0.2), (0, 8, 14, 0.1), (0, 15, 22, 0.3)])
    for level in (known_supports, partial(span_level, threshold=0.5)):
        with pytest.raises(ValueError, match="a sentence twice"):
            level(gold, twice)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return made_cases(150)


@pytest.fixture(scope="module")
def run(cases: list[Case]) -> RunData:
    return made_run(cases, 3)


@pytest.fixture(scope="module")
def gold(run: RunData) -> GoldTable:
    return gold_of(run, run.rows("test"))


def sentences_of(run: RunData, method: int, rows: list[int]) -> SentenceTable:
    """The method's sentences of some rows, counted from 0."""
    table = run.read_sentences(method)
    kept = np.isin(table.case, rows)
    places = np.searchsorted(rows, table.case[kept]).astype(np.int32)
    return SentenceTable._make((places, *(column[kept] for column in table[1:])))


def test_totals_are_those_of_all_responses_together(run: RunData, cases: list[Case], gold: GoldTable) -> None:
    rows = run.rows("test")
    wanted = gold_table([cases[i] for i in rows])
    found = level_results(run, gold, starting_rules(run), rows, "sentence")
    spans = level_results(run, gold, starting_rules(run), rows, "span")
    for m in range(3):
        own = sentences_of(run, m, rows.tolist())
        labels, supports, _ = known_supports(wanted, own)
        at_half = scores(confusion(labels, called(supports, 0.5)))
        assert (found[m].f1, found[m].precision, found[m].recall, found[m].errors_found) == pytest.approx(
            (at_half.macro_f1, at_half.precision, at_half.recall, at_half.error_recall)
        )
        assert (found[m].total, found[m].wrong) == (len(labels), int((labels == 0).sum()))
        assert found[m].judged == len(labels) - int(np.isnan(supports).sum())
        assert found[m].ranking.auroc == pytest.approx(auroc(labels, supports))
        characters = span_level(wanted, own, 0.5)
        assert (spans[m].precision, spans[m].recall, spans[m].f1) == pytest.approx(characters[:3])
        assert (spans[m].judged, spans[m].wrong) == characters[3:]
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
    empty = SentenceTable(*(np.array([], dtype=t) for t in (np.int32, np.int32, np.int32, np.float64, np.float64)))
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
