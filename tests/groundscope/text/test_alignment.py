"""From a support matrix to sentence scores and a judgement."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.text.alignment import MATCHES, UnitFinder, judge, nothing_to_assess, score_sentences
from groundscope.text.sentences import Sentence, Unit
from groundscope.types import Case, Match, Passage, SentenceScore, Status
from tests.loops import each

UNITS = (Unit(0, 0, 5), Unit(0, 6, 9), Unit(1, 0, 4))


def matrix(*rows: list[float]) -> np.ndarray:
    return np.array(rows, dtype=np.float32)


def case(response: str, *context: str) -> Case:
    return Case("c", "q", tuple(Passage(f"p{i}", text) for i, text in enumerate(context)), response)


def test_a_sentence_has_its_best_support_and_its_matches_best_first() -> None:
    (score,) = score_sentences([Sentence(0, 3)], UNITS, matrix([0.25, 0.0, 0.75]))
    # Unit 1 supports nothing and is no match.
    assert score == SentenceScore(0, 3, 0.75, (Match(1, 0, 4, 0.75), Match(0, 0, 5, 0.25)))
    # Of equally good ones the first in reading order leads.
    (score,) = score_sentences([Sentence(0, 3)], UNITS, matrix([0.5, 0.75, 0.75]))
    assert [(m.passage, m.start) for m in score.matches] == [(0, 6), (1, 0), (0, 0)]


def test_headings_and_unassessable_sentences_have_no_number() -> None:
    sentences = [Sentence(0, 3, heading=True), Sentence(4, 6), Sentence(7, 9)]
    rows = matrix([1, 1, 1], [1, 1, 1], [0, 0, 0])
    scores = score_sentences(sentences, UNITS, rows, np.array([0.5, np.nan, 0.25]))
    assert [(s.support, s.matches) for s in scores] == [(None, ()), (None, ()), (0.25, ())]


def test_only_the_best_ten_matches_are_named() -> None:
    units = [Unit(0, i, i + 1) for i in range(MATCHES + 5)]
    (score,) = score_sentences([Sentence(0, 3)], units, matrix([i / 100 for i in range(MATCHES + 5)]))
    # Supports 0.00 to 0.14: the best ten are units 14 down to 5.
    assert [m.start for m in score.matches] == list(range(14, 4, -1))


def test_a_matrix_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        score_sentences([Sentence(0, 3)], UNITS, matrix([0, 0, 0], [0, 0, 0]))


@given(st.lists(st.lists(st.floats(0, 1, width=32), min_size=3, max_size=3), min_size=1, max_size=5))
def test_the_first_match_has_the_support_of_its_sentence(rows: list[list[float]]) -> None:
    sentences = [Sentence(2 * i, 2 * i + 1) for i in range(len(rows))]
    for score, row in zip(score_sentences(sentences, UNITS, matrix(*rows)), rows, strict=True):
        assert score.support == max(row)
        assert [m.support for m in score.matches] == sorted((v for v in row if v > 0), reverse=True)


def test_a_judgement_is_as_grounded_as_its_worst_sentence() -> None:
    sentences = (SentenceScore(0, 1, 0.75), SentenceScore(2, 3, None), SentenceScore(4, 5, 0.25))
    found = judge(sentences, "min", seconds=1.5, context_seen=0.5, note="cut")
    assert (found.status, found.support, found.sentences) == (Status.SCORED, 0.25, sentences)
    assert (found.seconds, found.context_seen, found.note) == (1.5, 0.5, "cut")
    assert judge(sentences, "mean", seconds=0).support == 0.5


def test_a_response_without_an_assessed_sentence_is_not_assessable() -> None:
    found = judge((SentenceScore(0, 1, None),), "min", seconds=0, matrix=matrix([1, 1, 1]))
    assert (found.status, found.support, found.matrix) == (Status.NOT_ASSESSABLE, None, None)
    assert found.note


@each(
    ("judged", "words"),
    [
        (case("", "A text."), "response is empty"),
        (case("It is."), "no sources"),
        (case("...", "A text."), "response holds no words"),
        (case("It is.", "--- ..."), "sources hold no words"),
        (case("It is.", "", "..."), "sources hold no words"),
    ],
)
def test_it_is_said_why_a_case_cannot_be_assessed(judged: Case, words: str) -> None:
    assert words in nothing_to_assess(judged)


# The first passage has gaps at 5 and from 9 on, the second begins at 2, the third has no sentence.
FOUND = (Unit(0, 0, 5), Unit(0, 6, 9), Unit(1, 2, 4), Unit(3, 0, 7))


@each(
    ("passage", "start", "end", "expected"),
    [(0, 0, 5, [0]), (0, 4, 7, [0, 1]), (0, 5, 7, [1]), (0, 9, 12, []), (1, 0, 3, [2]), (2, 0, 9, []), (4, 0, 9, [])],
)
def test_a_place_lies_in_the_sentences_it_shares_a_character_with(
    passage: int, start: int, end: int, expected: list[int]
) -> None:
    assert UnitFinder(FOUND).overlapping(passage, start, end) == expected


def test_a_match_gives_each_sentence_its_share_and_none_where_it_lies_outside_of_all() -> None:
    # 10 characters from 0 to 10: 5 in the first sentence, 3 in the second.
    score = SentenceScore(0, 3, 0.5, (Match(0, 0, 10, 0.5),))
    assert dict(UnitFinder(FOUND).ranked(score)) == pytest.approx({0: 0.25, 1: 0.15})
    assert UnitFinder(FOUND).ranked(SentenceScore(0, 3, 0.5, (Match(2, 0, 4, 0.5),))) == UnitFinder(()).ranked(score) == []


def test_runs_in_one_sentence_add_up_to_one_at_most() -> None:
    score = SentenceScore(0, 3, 1.0, (Match(0, 0, 5, 0.75), Match(0, 6, 7, 0.5), Match(0, 7, 9, 0.75), Match(1, 2, 3, 0.75)))
    # 0.5 + 0.75 is held at 1; of the two with 0.75 the one that was named first leads.
    assert UnitFinder(FOUND).ranked(score) == [(1, 1.0), (0, 0.75), (2, 0.75)]
