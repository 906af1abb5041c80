"""The taxonomy of errors, shares and impacts."""

from itertools import product

import pytest

from evaluation.rag.outcomes import (
    ERRORS,
    Answer,
    Outcome,
    both,
    by_embedder,
    by_model,
    impacts,
    outcome,
    rows,
)
from tests.evaluation.rag.made import PRINTED, published

H, T, R, S, U = Outcome.HALLUCINATION, Outcome.RETRIEVAL, Outcome.REASONING, Outcome.SUCCESS, Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("grounded", "correct", "hit", "expected"),
    [
        *((False, c, r, H) for c, r in product((True, False, None), repeat=2)),
        (True, False, False, T),
        (True, False, True, R),
        (True, False, None, U),
        *((True, True, r, S) for r in (True, False, None)),
        *((None, c, r, U) for c, r in product((True, False, None), repeat=2)),
        *((True, None, r, U) for r in (True, False, None)),
    ],
)
def test_errors_are_told_in_the_order_of_the_paper(
    grounded: bool | None, correct: bool | None, hit: bool | None, expected: Outcome
) -> None:
    assert outcome(Answer("e", "m", "q", correct, grounded, hit)) is expected


def test_printed_shares_come_back() -> None:
    for row in rows(list(published())):
        found = tuple(round(100 * s.value) for s in (row.correct, row.grounded, row.hit))
        assert found == PRINTED[row.embedder, row.model]
        assert row.correct.of == 100
        assert row.correct.interval.low < row.correct.value < row.correct.interval.high


def test_accuracy_and_errors_add_up_to_all() -> None:
    for row in rows(list(published())):
        assert row.accuracy.value + sum(row.errors[e].value for e in ERRORS) == pytest.approx(1.0)
        assert row.unknown == 0


def test_accuracy_is_the_share_of_both() -> None:
    answers = list(published())
    (first, *_) = rows(answers)
    mine = [a for a in answers if a.cell == (first.embedder, first.model)]
    assert first.accuracy.count == sum(bool(a.correct and a.grounded) for a in mine) == sum(map(bool, map(both, mine)))


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
    assert (row.accuracy.count, row.accuracy.of) == (1, 3)
    assert row.unknown == 2
    assert [row.errors[e].of for e in ERRORS] == [2, 2, 2]


def test_margins_take_all_answers_of_a_level() -> None:
    answers = list(published())
    assert [r.embedder for r in by_embedder(answers)] == list(dict.fromkeys(e for e, _ in PRINTED))
    kanon = by_embedder(answers)[0]
    assert (kanon.model, kanon.correct.count, kanon.correct.of) == ("", 95 + 93, 200)
    assert [(r.embedder, r.model) for r in by_model(answers)] == [("", "Gemini 3.1 Pro"), ("", "GPT-5.2")]


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
