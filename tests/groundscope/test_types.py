"""The contract's nouns refuse what cannot be."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Judgement, Match, Passage, SentenceScore, Status
from tests.loops import each

CONTEXT = (Passage("p1", "ten chars."),)
BAD_SPANS = [(-1, 2), (2, 2), (3, 2)]
BAD_SUPPORTS = [-0.01, 1.01, float("nan"), float("inf")]


def case(**labels: object) -> Case:
    return Case("c", "q", CONTEXT, "12345", **labels)  # type: ignore[arg-type]


@each(("start", "end"), BAD_SPANS)
def test_spans_must_be_forward_and_not_empty(start: int, end: int) -> None:
    with pytest.raises(ValueError, match=f"start={start}, end={end}"):
        ErrorSpan(start, end, ErrorType.MISATTRIBUTION)
    with pytest.raises(ValueError, match=f"start={start}, end={end}"):
        Match(0, start, end, 0.5)
    with pytest.raises(ValueError, match=f"start={start}, end={end}"):
        SentenceScore(start, end, 0.5)
    with pytest.raises(ValueError, match="response side"):
        EvidenceSpan(start, end, 0, 0, 1)
    with pytest.raises(ValueError, match=f"start={start}, end={end}"):
        EvidenceSpan(0, 1, 0, start, end)


@each("support", BAD_SUPPORTS)
def test_supports_must_lie_between_0_and_1(support: float) -> None:
    with pytest.raises(ValueError, match=r"0\.\.1"):
        Match(0, 0, 1, support)
    with pytest.raises(ValueError, match=r"0\.\.1"):
        SentenceScore(0, 1, support)
    with pytest.raises(ValueError, match=r"0\.\.1"):
        Judgement(Status.SCORED, support=support)


@each("status", [s for s in Status if s is not Status.SCORED])
def test_only_a_scored_judgement_has_a_number(status: Status) -> None:
    assert Judgement(status).support is None
    with pytest.raises(ValueError, match="None unless scored"):
        Judgement(status, support=0.0)


def test_a_scored_judgement_without_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="None unless scored"):
        Judgement(Status.SCORED)


def test_labels_up_to_the_end_of_the_response_are_taken() -> None:
    whole = case(
        errors=(ErrorSpan(0, 5, ErrorType.REASONING_ERROR),), evidence=(EvidenceSpan(0, 5, 0, 0, 10),), unsupported=((0, 5),)
    )
    assert whole.response[whole.errors[0].start : whole.errors[0].end] == "12345"


@each(
    "labels",
    [
        {"errors": (ErrorSpan(0, 6, ErrorType.REASONING_ERROR),)},
        {"evidence": (EvidenceSpan(0, 6, 0, 0, 1),)},
        {"unsupported": ((0, 6),)},
        {"evidence": (EvidenceSpan(0, 5, 0, 0, 11),)},
        {"evidence": (EvidenceSpan(0, 5, 1, 0, 1),)},
        {"evidence": (EvidenceSpan(0, 5, -1, 0, 1),)},
    ],
)
def test_labels_outside_the_texts_are_refused(labels: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"the response has 5|outside the context"):
        case(**labels)


@each("span", BAD_SPANS)
def test_unsupported_spans_must_be_forward_too(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="start"):
        case(unsupported=(span,))


def test_cases_are_frozen_and_equal_by_content() -> None:
    assert len({case(), case(), case(grounded=True)}) == 2
    with pytest.raises(FrozenInstanceError):
        case().id = "other"  # type: ignore[misc]


def test_judgements_are_compared_without_their_matrix() -> None:
    ones = Judgement(Status.SCORED, support=1.0, matrix=np.ones((1, 1), dtype=np.float32))
    assert ones == Judgement(Status.SCORED, support=1.0)


@given(st.floats(0, 1), st.integers(0, 100), st.integers(1, 100))
def test_every_support_in_range_is_taken(support: float, start: int, length: int) -> None:
    score = SentenceScore(start, start + length, support, (Match(0, start, start + length, support),))
    assert score.matches[0].support == score.support == support
