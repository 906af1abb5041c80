"""The taxonomy of errors, shares and impacts."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.rag.outcomes import ERRORS, Answer, AnswerOutcome, both, errors_in, outcome, rows, whole
from groundscope.rag.report import confounded, impacts
from tests.groundscope.rag.samples import PRINTED, published
from tests.loops import each

H, T, R, S, U = (
    AnswerOutcome.HALLUCINATION,
    AnswerOutcome.RETRIEVAL,
    AnswerOutcome.REASONING,
    AnswerOutcome.SUCCESS,
    AnswerOutcome.UNKNOWN,
)
C = AnswerOutcome.UNCLEAR
MAYBE = st.sampled_from((True, False, None))


@each(
    ("grounded", "correct", "hit", "expected"),
    [
        *((False, c, r, H) for c, r in product((True, False, None), repeat=2)),
        (True, False, False, T),
        (True, False, True, R),
        (True, False, None, C),
        *((True, True, r, S) for r in (True, False, None)),
        *((None, c, r, U) for c, r in product((True, None), (True, False, None))),
        *((None, False, r, C) for r in (True, False, None)),
        *((True, None, r, U) for r in (True, False, None)),
    ],
)
def test_errors_are_reported_in_the_order_of_the_paper(
    grounded: bool | None, correct: bool | None, hit: bool | None, expected: AnswerOutcome
) -> None:
    assert outcome(Answer("e", "m", "q", correct, grounded, hit)) is expected


def test_printed_shares_come_back() -> None:
    for row in rows(list(published())):
        found = tuple(round(100 * s.value) for s in (row.correct, row.grounded, row.hit))
        assert found == PRINTED[row.embedder, row.model]
        assert row.correct.of == 100
        assert row.correct.interval.low < row.correct.value < row.correct.interval.high


@given(st.lists(st.tuples(MAYBE, MAYBE, MAYBE), max_size=40))
def test_whatever_is_missing_accuracy_and_errors_are_of_the_same_answers_and_add_up(said: list[tuple[bool | None, ...]]) -> None:
    answers = [Answer("e", "m", str(i), *values) for i, values in enumerate(said)]
    row = whole(answers)
    # Whether an answer is counted depends on which verdicts there are; on what they say only where one of them settles it.
    assert row.accuracy.of == sum(c is not None and not (c and g is None) for c, g, _ in said)
    if not row.accuracy.of:
        return
    assert {row.errors[e].of for e in ERRORS} == {row.accuracy.of}
    assert row.accuracy.count + sum(row.errors[e].count for e in ERRORS) == row.accuracy.of


def test_without_relevant_passages_errors_have_no_cause_and_accuracy_stays() -> None:
    told = [(True, True)] * 50 + [(True, False)] * 10 + [(False, True)] * 40
    (row,) = rows([Answer("e", "m", str(i), c, g, None) for i, (c, g) in enumerate(told)])
    assert (row.accuracy.count, row.accuracy.of, row.unknown) == (50, 100, 0)
    assert {e: row.errors[e].count for e in ERRORS} == {H: 10, T: 0, R: 0, C: 40}


def test_without_reference_answers_hallucinations_are_of_what_is_known_to_be_grounded_or_not() -> None:
    answers = [Answer("e", "m", str(i), None, i >= 10, True) for i in range(100)]
    (row,) = rows(answers)
    assert (row.errors[H].count, row.errors[H].of) == (10, 100)
    assert row.errors[H].interval.low < 0.1 < row.errors[H].interval.high
    assert (row.accuracy.of, row.errors[R].of, row.unknown) == (0, 0, 90)
    assert {both(a) for a in answers} == {None}


def test_empty_answers_count_as_not_correct_in_errors_too() -> None:
    answers = [Answer("e", "m", str(i), i < 6, True if i < 6 else None, True) for i in range(10)]
    (row,) = rows(answers)
    assert (row.accuracy.count, row.accuracy.of) == (6, 10)
    assert (row.errors[C].count, row.errors[C].of) == (4, 10)


def test_without_a_verdict_on_correctness_a_hallucination_counts_in_what_is_grounded_alone() -> None:
    answers = [Answer("e", "m", "1", None, False, True), Answer("e", "m", "2", True, True, True)]
    row = whole(answers)
    assert (row.grounded.count, row.grounded.of) == (1, 2)
    assert (row.errors[H].count, row.errors[H].of) == (0, 1)


def test_what_is_not_known_counts_nowhere_and_is_counted() -> None:
    answers = [
        Answer("e", "m", "1", True, True, None),
        Answer("e", "m", "2", None, True, True),
        Answer("e", "m", "3", False, True, None),
        Answer("e", "m", "4", None, False, None),
    ]
    (row,) = rows(answers)
    assert (row.correct.count, row.correct.of) == (1, 2)
    assert (row.grounded.count, row.grounded.of) == (3, 4)
    assert row.hit.of == 1
    assert (row.accuracy.count, row.accuracy.of) == (1, 2)
    assert row.unknown == 1
    assert [row.errors[e].of for e in ERRORS] == [2, 2, 2, 2]


def test_the_errors_of_the_paper_are_shown_and_the_other_where_there_is_one() -> None:
    assert errors_in(rows(list(published()))) == (H, T, R)
    assert errors_in(rows([Answer("e", "m", "1", False, True, None)])) == ERRORS


def test_margins_take_all_answers_of_a_level() -> None:
    answers = list(published())
    assert [r.embedder for r in rows(answers, models=False)] == list(dict.fromkeys(e for e, _ in PRINTED))
    kanon = rows(answers, models=False)[0]
    assert (kanon.model, kanon.correct.count, kanon.correct.of) == ("", 95 + 93, 200)
    assert [(r.embedder, r.model) for r in rows(answers, embedders=False)] == [("", "Gemini 3.1 Pro"), ("", "GPT-5.2")]


def test_impact_is_relative_to_the_mean_of_all() -> None:
    answers = [Answer("a", "m", str(i), i < 90, True, True) for i in range(100)]
    answers += [Answer("b", "m", str(i), i < 30, True, True) for i in range(100)]
    # Ten times as many questions do not make the mean theirs.
    answers += [Answer("c", "m", str(i), i < 600, True, True) for i in range(1000)]
    found = {i.level: i.relative for i in impacts(rows(answers), of_embedders=True)}
    assert found == pytest.approx({"a": 0.5, "b": -0.5, "c": 0.0})
    (alone,) = impacts(rows(answers[:100]), of_embedders=False)
    assert alone.relative == pytest.approx(0.0)


def test_an_impact_of_nothing_is_no_number() -> None:
    (found,) = impacts(rows([Answer("a", "m", "1", None, None, None)]), of_embedders=True)
    assert str(found.relative) == "nan"


def test_means_over_different_combinations_are_said() -> None:
    crossed = [Answer(e, m, "1", True, True, True) for e in "ab" for m in "xy"]
    assert confounded(rows(crossed)) == ""
    assert "over different models" in confounded(rows(crossed[:-1]))
    assert "over different models" in confounded(rows([*crossed[:-1], Answer("b", "y", "1", None, None, True)]))
