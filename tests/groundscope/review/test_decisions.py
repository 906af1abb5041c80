"""What a decision may hold, whom it is kept under, and what it makes of a case's labels."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.cases.dataset import read, to_jsonl
from groundscope.cases.gold import sentence_labels
from groundscope.errors import DataError
from groundscope.review.decisions import (
    LONGEST_NAME,
    LONGEST_NOTE,
    WHOLE,
    WRONG,
    Correction,
    ReviewDecision,
    Ruling,
    SourcePlace,
    case_key,
    fits,
    from_fields,
    labelled,
    reviewer_name,
)
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage
from tests.loops import each

RESPONSE = "# Notice\n\nNotice is due in 30 days. It must be written. The tenant pays."
CASE = Case("c", "When?", (Passage("p", "Notice is due within one month.", "Lease"),), RESPONSE)
FIRST, SECOND, THIRD = 1, 2, 3

DECISIONS = st.builds(
    ReviewDecision,
    st.sampled_from([WHOLE, FIRST, SECOND, THIRD]),
    st.none() | st.sampled_from(Ruling),
    st.none() | st.sampled_from(ErrorType),
    st.none() | st.tuples(st.integers(0, 10), st.integers(11, len(RESPONSE))),
    st.none() | st.builds(SourcePlace, st.just(0), st.integers(0, 5), st.integers(6, 20)),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30),
)


@given(DECISIONS, st.integers(1, 9), st.none() | st.just(SourcePlace(0, 14, 30)))
def test_a_decision_comes_back_from_json_as_it_was(decision: ReviewDecision, size: int, place: SourcePlace | None) -> None:
    assert from_fields(decision.sentence, json.loads(decision.as_json())) == decision
    assert fits(decision, CASE)
    if decision.sentence == WHOLE:
        return
    start = split(RESPONSE)[decision.sentence].start
    corrected = replace(decision, correction=Correction(start, start + size, place))
    assert fits(corrected, CASE)
    # What is supported after all, or is not decided, is not corrected.
    again = from_fields(decision.sentence, json.loads(corrected.as_json()))
    assert again == (corrected if decision.ruling in WRONG else decision)


def test_rows_that_were_stored_before_there_were_corrections_are_read_as_they_were() -> None:
    row = {"ruling": "contradicted", "type": None, "span": [10, 16], "rests_on": [0, 14, 30], "note": "A month."}
    assert from_fields(1, row) == ReviewDecision(1, Ruling.CONTRADICTED, None, (10, 16), SourcePlace(0, 14, 30), "A month.")


@each(
    ("sentence", "fields"),
    [
        (-2, {}), (True, {}), ("1", {}), (1.0, {}), (1, {"ruling": "yes"}), (1, {"type": "typo"}), (1, {"note": 5}),
        (1, {"span": [1]}), (1, {"span": [1, True]}), (1, {"span": "ab"}), (1, {"rests_on": [0, 1]}), (1, {"rests_on": {}}),
        (1, {"ruling": "contradicted", "correction": [1, 2]}), (1, {"ruling": "contradicted", "correction": "words"}),
        (1, {"ruling": "contradicted", "correction": [1, 2, "words"]}),
    ],
)  # fmt: skip
def test_fields_that_mean_nothing_are_refused(sentence: object, fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"must|needs|not a valid"):
        from_fields(sentence, fields)


@each(
    "decision",
    [
        ReviewDecision(0),  # a heading
        ReviewDecision(4),
        ReviewDecision(1, span=(3, 3)),
        ReviewDecision(1, rests_on=SourcePlace(1, 0, 1)),
        ReviewDecision(1, rests_on=SourcePlace(0, 0, 999)),
        ReviewDecision(WHOLE, Ruling.PARTLY, correction=Correction(10, 16, None)),
        ReviewDecision(1, Ruling.PARTLY, correction=Correction(0, 16, None)),  # not of that sentence
        ReviewDecision(1, Ruling.PARTLY, correction=Correction(10, 16, SourcePlace(0, 0, 999))),
    ],
)
def test_a_decision_of_what_is_not_in_the_case_does_not_fit(decision: ReviewDecision) -> None:
    assert not fits(decision, CASE)


def test_notes_and_names_are_kept_within_bounds() -> None:
    assert from_fields(1, {"note": f"a\x00{'b' * 9_000}"}).note == f"a�{'b' * (LONGEST_NOTE - 2)}"
    assert reviewer_name("  Ada \n <b>Lovelace</b>\u202e ") == "Ada <b>Lovelace</b>"
    for wrong in ("", " \n\t", "\u200b", "a" * (LONGEST_NAME + 1)):
        with pytest.raises(DataError, match="Enter"):
            reviewer_name(wrong)


def test_a_case_is_known_by_its_texts_alone() -> None:
    same = Case("other id", "When?", CASE.context, RESPONSE, grounded=False, split="test")
    assert case_key(same) == case_key(CASE)
    others = [
        Case("c", "When", CASE.context, RESPONSE),
        Case("c", "When?", (Passage("p", "Notice is due within one month.", "Lease 2"),), RESPONSE),
        Case("c", "When?", CASE.context, f"{RESPONSE} "),
        Case("c", "When?", (*CASE.context, Passage("q", "")), RESPONSE),
    ]
    assert len({case_key(c) for c in (CASE, *others)}) == 5
    assert case_key(Case("c", "\ud800", (), ""))


def _labelled(*decisions: ReviewDecision) -> Case:
    return labelled(CASE, {d.sentence: d for d in decisions})


def test_decisions_become_labels_spans_types_and_evidence() -> None:
    one = split(RESPONSE)[FIRST]
    found = _labelled(
        ReviewDecision(FIRST, Ruling.CONTRADICTED, ErrorType.FACTUAL_INACCURACY, (27, 34), SourcePlace(0, 14, 30), "A month."),
        ReviewDecision(SECOND, Ruling.NOT_SUPPORTED),
        ReviewDecision(THIRD, Ruling.CANNOT_SAY, rests_on=SourcePlace(0, 0, 6)),
    )
    assert found.grounded is False
    assert found.errors == (ErrorSpan(27, 34, ErrorType.FACTUAL_INACCURACY, "A month.", contradicted=True),)
    second = split(RESPONSE)[SECOND]
    assert found.unsupported == ((second.start, second.end),)
    assert found.evidence == (EvidenceSpan(one.start, one.end, 0, 14, 30),)
    # The app reads what it writes, and makes the same of it.
    (again,) = read("a.jsonl", to_jsonl([found]).encode()).cases
    assert again == found
    assert sentence_labels(again) == [True, False, False, True]


@each(
    ("decisions", "grounded"),
    [
        ([], None),
        ([ReviewDecision(i, Ruling.SUPPORTED) for i in (FIRST, SECOND)], None),
        ([ReviewDecision(i, Ruling.SUPPORTED) for i in (FIRST, SECOND, THIRD)], True),
        ([ReviewDecision(FIRST, Ruling.PARTLY)], False),
        ([ReviewDecision(WHOLE, Ruling.SUPPORTED)], True),
        ([ReviewDecision(WHOLE, Ruling.NOT_SUPPORTED)], False),
        ([ReviewDecision(WHOLE, Ruling.SUPPORTED), ReviewDecision(FIRST, Ruling.CONTRADICTED)], False),
    ],
)
def test_an_answer_is_grounded_as_far_as_decisions_say(decisions: list[ReviewDecision], grounded: bool | None) -> None:
    assert _labelled(*decisions).grounded is grounded
