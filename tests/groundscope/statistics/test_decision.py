"""Aggregation and verdict words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.statistics.decision import aggregate, verdict
from groundscope.types import Judgement, SentenceScore, Status
from tests.loops import each


def judgement(support: float, *sentences: float | None) -> Judgement:
    scores = tuple(SentenceScore(i, i + 1, s) for i, s in enumerate(sentences))
    return Judgement(Status.SCORED, support=support, sentences=scores)


def test_the_rules_by_hand() -> None:
    supports = [0.5, None, 0.25, 1.0]
    assert aggregate(supports) == 0.25
    # (0.5 + 0.25 + 1) / 3 = 1.75 / 3
    assert aggregate(supports, "mean") == pytest.approx(1.75 / 3)


@each("how", ["min", "mean"])
@each("supports", [[], [None], [None, None]])
def test_nothing_assessed_gives_no_number(supports: list[float | None], how: str) -> None:
    assert aggregate(supports, how) is None  # type: ignore[arg-type]


@given(st.lists(st.none() | st.floats(0, 1), max_size=20))
def test_every_rule_stays_between_0_and_1(supports: list[float | None]) -> None:
    values = [aggregate(supports), aggregate(supports, "mean")]
    assert all(v is None or 0.0 <= v <= 1.0 for v in values)
    assert len({v is None for v in values}) == 1


def test_an_unknown_rule_is_named() -> None:
    with pytest.raises(ValueError, match=r"min, mean.*'median'"):
        aggregate([0.5], "median")  # type: ignore[arg-type]


@each(
    ("judged", "words", "flagged", "grounded"),
    [
        (judgement(0.5, 0.5), "Nothing flagged; read the sentence", (), True),
        (judgement(0.6, 0.6, 0.7, 0.8), "Nothing flagged; read all 3 sentences", (), True),
        (judgement(0.4, 0.6, 0.4, 0.8), "1 of 3 sentences flagged", (1,), False),
        (judgement(0.1, 0.1, None, 0.4), "2 of 2 sentences flagged", (0, 2), False),
        (judgement(0.4, 0.4), "1 of 1 sentence flagged", (0,), False),
    ],
)
def test_a_verdict_reads_as_a_sentence(judged: Judgement, words: str, flagged: tuple[int, ...], grounded: bool) -> None:
    found = verdict(judged, 0.5)
    assert (found.words, found.flagged, found.grounded) == (words, flagged, grounded)


def test_without_a_threshold_there_is_no_label() -> None:
    found = verdict(judgement(0.2, 0.2, None), None)
    assert (found.grounded, found.flagged, found.assessed) == (None, (), 1)
    assert "no threshold" in found.words


@each("status", [s for s in Status if s is not Status.SCORED])
def test_a_state_has_words_and_no_label(status: Status) -> None:
    found = verdict(Judgement(status), 0.5)
    assert (found.grounded, found.flagged, found.assessed) == (None, (), 0)
    assert found.words
    assert "supported" not in found.words


def test_a_verdict_on_the_whole_says_so_where_no_sentence_was_assessed() -> None:
    # Lynx names no sentence; QUIP pooled has a support of a response of short sentences while no sentence has one.
    found = verdict(judgement(0.0, None, None), 0.5)
    assert (found.grounded, found.flagged, found.assessed) == (False, (), 0)
    assert found.words == "The answer as a whole is flagged; the method names no sentence"
    found = verdict(judgement(1.0, None, None), 0.5)
    assert found.grounded is True
    assert found.words == "The answer as a whole is not flagged; the method names no sentence"
