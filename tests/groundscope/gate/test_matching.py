"""Pairing the questions of new answers with those of a baseline."""

from dataclasses import replace

import pytest

from groundscope.errors import DataError
from groundscope.gate.matching import pair_questions
from groundscope.types import Case
from tests.groundscope.gate.answers import answer


def asked(*queries: str, ids: str = "abcdefghij") -> list[Case]:
    return [answer("Yes.", id=i, query=q) for i, q in zip(ids, queries, strict=False)]


def test_questions_are_paired_by_their_words_in_any_order() -> None:
    found = pair_questions(asked("One?", "Two?", "One?"), asked("two?", " one?", ids="xy"))
    assert (found.current.tolist(), found.baseline.tolist(), found.questions, found.left_out) == ([0, 1, 0], [1, 0], 2, "")


def test_reworded_questions_are_paired_by_their_ids() -> None:
    found = pair_questions(asked("One?", "Two?"), asked("Uno?", "Dos?"))
    assert (found.current.tolist(), found.baseline.tolist()) == ([0, 1], [0, 1])


def test_other_questions_are_refused_with_the_difference() -> None:
    here = asked("One?", "Two?", "Three?", "Four?", "Five?")
    with pytest.raises(DataError) as error:
        pair_questions(here, asked("One?", "Six?", ids="xy"))
    assert str(error.value) == (
        "The baseline has other questions: 4 questions are only in the file (b, c, d and others), 1 question is only in the "
        "baseline (y); name a baseline of the same questions, or make a new one with --out."
    )
    with pytest.raises(DataError, match=r"^The baseline has other questions: 1 question is only in the baseline \(c\); name"):
        pair_questions(here[:2], asked("One?", "Two?", "Three?"))


def test_rows_that_could_not_be_read_may_be_missing() -> None:
    here, there = asked("One?", "Two?"), asked("One?", "Two?", "Three?")
    found = pair_questions(here, there, lost=1)
    assert (found.current.tolist(), found.baseline.tolist(), found.questions) == ([0, 1], [0, 1, -1], 2)
    assert found.left_out == "1 question of the baseline cannot be compared: rows here could not be read."
    with pytest.raises(DataError):
        pair_questions(here, [*there, *asked("Four?", ids="z")], lost=1)


def test_cases_without_a_question_are_paired_by_their_ids() -> None:
    bare = [replace(c, query="") for c in asked("x", "y")]
    assert pair_questions(bare, list(reversed(bare))).there.tolist() == [1, 0]
    with pytest.raises(DataError):
        pair_questions(bare, [replace(c, id=f"new-{c.id}") for c in bare])
