"""The contract's nouns refuse what cannot be."""

from collections.abc import Callable

import numpy as np
import pytest

from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Judgement, Match, Passage, SentenceScore, Status
from tests.loops import each

CONTEXT = (Passage("p1", "ten chars."),)


def case(**labels: object) -> Case:
    return Case("c", "q", CONTEXT, "12345", **labels)  # type: ignore[arg-type]


@each(("start", "end"), [(-1, 2), (2, 2), (3, 2)])
def test_spans_must_be_forward_and_not_empty(start: int, end: int) -> None:
    makes: list[Callable[[], object]] = [
        lambda: ErrorSpan(start, end, ErrorType.MISATTRIBUTION),
        lambda: Match(0, start, end, 0.5),
        lambda: SentenceScore(start, end, 0.5),
        lambda: EvidenceSpan(start, end, 0, 0, 1),
        lambda: EvidenceSpan(0, 1, 0, start, end),
        lambda: case(unsupported=((start, end),)),
    ]
    for make in makes:
        with pytest.raises(ValueError, match="start"):
            make()


@each("support", [-0.01, 1.01, float("nan")])
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
    for wrong, support in ((status, 0.0), (Status.SCORED, None)):
        with pytest.raises(ValueError, match="None unless scored"):
            Judgement(wrong, support=support)


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


def test_cases_are_equal_by_content() -> None:
    assert len({case(), case(), case(grounded=True)}) == 2


def test_judgements_are_compared_without_their_matrix() -> None:
    ones = Judgement(Status.SCORED, support=1.0, matrix=np.ones((1, 1), dtype=np.float32))
    assert ones == Judgement(Status.SCORED, support=1.0)
