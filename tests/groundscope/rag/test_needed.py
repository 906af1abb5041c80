"""How many questions would show a difference: against the formula of a paired mean, and what must hold of it."""

import math

import pytest

from groundscope.rag.effects import Combination
from groundscope.rag.needed import SIZES, needed_rows, questions_needed
from groundscope.rag.outcomes import Answer
from tests.groundscope.rag.made import published

KANON, TE3L = (Combination(e, "Gemini 3.1 Pro") for e in ("Kanon 2 Embedder", "Text Embedding 3 Large"))


def answers(cell: Combination, right: list[bool | None]) -> list[Answer]:
    return [Answer(*cell, f"q{i}", said, True if said is not None else None, None) for i, said in enumerate(right)]


def test_five_points_need_what_the_formula_of_a_paired_mean_says() -> None:
    # Of 100 questions 12 are won and 8 lost: each says 1, 0 or -1.
    won, lost = [True] * 12 + [False] * 8, [False] * 12 + [True] * 8
    made = [*answers(KANON, won + [True] * 80), *answers(TE3L, lost + [True] * 80)]
    found = questions_needed(made, KANON, TE3L, points=5)
    assert (found.questions, found.difference) == (100, pytest.approx(0.04))
    deviation = math.sqrt(0.2 - 0.04**2)
    # 80 % power at 5 %, two-sided: (1.96 + 0.84)^2.
    assert found.curve.enough() == pytest.approx(((1.959964 + 0.841621) * deviation / 0.05) ** 2, rel=0.12)
    assert found.curve.power[-1] > 0.99


def test_fewer_points_need_more_questions_and_the_order_does_not_matter() -> None:
    rows = list(published())
    needed = [questions_needed(rows, KANON, TE3L, points).curve.enough() for points in (2, 5, 10)]
    assert needed[0] > needed[1] > needed[2]
    turned = questions_needed(rows, TE3L, KANON, 5)
    assert turned.difference == -questions_needed(rows, KANON, TE3L, 5).difference
    assert turned.curve.enough() == pytest.approx(needed[1], rel=0.1)


def test_questions_without_a_verdict_for_both_do_not_count() -> None:
    made = [*answers(KANON, [True, None, False, True]), *answers(TE3L, [False, True, None, True])]
    found = questions_needed(made, KANON, TE3L)
    assert (found.questions, found.difference) == (2, 0.5)
    nothing = questions_needed(answers(KANON, [True]), KANON, TE3L)
    assert nothing.questions == 0
    assert math.isnan(nothing.difference)
    assert not nothing.curve.power.any()


def test_where_all_questions_say_the_same_nothing_is_shown() -> None:
    found = questions_needed([*answers(KANON, [True] * 9), *answers(TE3L, [True] * 9)], KANON, TE3L)
    assert (found.difference, found.curve.power.any()) == (0.0, False)


def test_combinations_that_share_a_part_are_compared() -> None:
    found = needed_rows(list(published()), 5)
    # Of three embedders and two models: three pairs within each model, one pair within each embedder.
    assert len(found) == 2 * 3 + 3 * 1
    assert all(len(row.curve.power) == len(SIZES) for row in found)


@pytest.mark.parametrize(("points", "what"), [(0.0, "both"), (-1.0, "both"), (5.0, "all")])
def test_what_cannot_be_looked_for_is_refused(points: float, what: str) -> None:
    with pytest.raises(ValueError, match="needs one of correct, grounded, both and points above 0"):
        questions_needed(list(published()), KANON, TE3L, points, what)
