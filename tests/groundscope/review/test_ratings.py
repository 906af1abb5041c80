"""Agreement of reviewers against figures counted by hand and by another library."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling
from groundscope.review.ratings import RatedPlace, Rating, agreement_rows, person_ratings
from groundscope.types import Case, ErrorType, Passage

CASE = Case("c", "q", (Passage("p", "A. B."),), "One. Two. Three.")


def by_sentence(*decisions: ReviewDecision) -> dict[int, ReviewDecision]:
    return {d.sentence: d for d in decisions}


def test_a_person_rates_sentences_and_the_answer() -> None:
    own = by_sentence(
        ReviewDecision(0, Ruling.SUPPORTED),
        ReviewDecision(1, Ruling.PARTLY, ErrorType.MISATTRIBUTION),
        ReviewDecision(2, Ruling.CANNOT_SAY),
    )
    assert person_ratings({"k": own}, {"k": CASE}) == {
        ("k", 0): Rating(0, 0),
        ("k", 1): Rating(1, 1, 4),
        ("k", 2): Rating(-1, 4),
        ("k", WHOLE): Rating(1),
    }
    assert ("k", WHOLE) not in person_ratings({"k": own}, {})
    assert person_ratings({"k": by_sentence(ReviewDecision(0, None, note="later"))}, {"k": CASE}) == {}


def test_figures_are_those_of_another_library() -> None:
    rng = np.random.default_rng(1)
    places: list[RatedPlace] = [(f"k{i // 4}", i % 4) for i in range(200)]
    first = rng.integers(0, 5, 200)
    second = np.where(rng.random(200) < 0.6, first, rng.integers(0, 5, 200))
    people = [
        {p: Rating(-1 if r == 4 else int(r > 0), int(r)) for p, r in zip(places, said, strict=True)} for said in (first, second)
    ]
    rows = {row.what: row.agreement for row in agreement_rows(people, lambda key: key)}
    assert rows["The five decisions"].kappa == pytest.approx(cohen_kappa_score(first, second))
    assert rows["“contradicted”, or not"].kappa == pytest.approx(cohen_kappa_score(first == 3, second == 3))
    known = (first != 4) & (second != 4)
    flagged = rows["Sentence flagged, or not"]
    assert flagged.items == known.sum()
    assert flagged.kappa == pytest.approx(cohen_kappa_score(first[known] > 0, second[known] > 0))
    assert flagged.kappa_interval.low < flagged.kappa < flagged.kappa_interval.high
    assert "Error type, where named" not in rows
    assert "Answer flagged, or not" not in rows


def test_types_count_where_they_are_named() -> None:
    people = [
        {("k", 0): Rating(1, 1, 0), ("k", 1): Rating(1, 2, 3), ("k", 2): Rating(0, 0)},
        {("k", 0): Rating(1, 1, 0), ("k", 1): Rating(1, 2), ("k", 2): Rating(0, 0), ("k", WHOLE): Rating(1)},
    ]
    rows = {row.what: row.agreement for row in agreement_rows(people, lambda key: key)}
    assert (rows["Error type, where named"].items, rows["Error type, where named"].share) == (1, 1.0)
    assert rows["“Reasoning error”, or not"].share == pytest.approx(2 / 3)
    assert "“Misattribution”, or not" not in rows
