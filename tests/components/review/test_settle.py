"""Settling: what is drawn of a difference, and what the browser may make of it."""

from dataclasses import replace

import pytest

from components.review.settle import _decision, _drawn
from groundscope.review.decisions import WHOLE, ReviewDecision, Ruling, SourcePlace, StoredDecision, case_key
from groundscope.review.settling import ReviewDifference
from groundscope.types import Case, ErrorType, Passage

CASE = Case(
    "c", "When?", (Passage("p", "Rent is due in May. Notice is due in June."),), "It is due in May. Notice is due in June."
)
ADA = ReviewDecision(0, Ruling.SUPPORTED, None, None, SourcePlace(0, 20, 42), "As in the lease.")
BO = ReviewDecision(0, Ruling.CONTRADICTED, ErrorType.FACTUAL_INACCURACY, (10, 16))


def stored(number: int, who: str, decision: ReviewDecision) -> StoredDecision:
    return StoredDecision(number, case_key(CASE), who, "2026-11-25T18:37:00+00:00", True, decision)


def difference(sentence: int = 0, settled: ReviewDecision | None = None) -> ReviewDifference:
    people = {n: stored(k, n, replace(d, sentence=sentence)) for k, (n, d) in enumerate((("Ada", ADA), ("Bo", BO)), 1)}
    return ReviewDifference(case_key(CASE), sentence, people, stored(9, "Cy", settled) if settled else None)


def test_a_difference_is_drawn_with_both_decisions_their_passages_and_its_place() -> None:
    sent = _drawn(CASE, [difference(1), difference()], 1)
    ada, bo = sent["people"]
    assert (ada["name"], ada["ruling"], ada["rests"], ada["note"]) == ("Ada", "supported", 1, "As in the lease.")
    assert (bo["ruling"], bo["type"], bo["span"], bo["rests"]) == ("contradicted", "factual_inaccuracy", [10, 16], -1)
    # The first sentence of the source has more of its words.
    assert (sent["at"], sent["of"], sent["places"], sent["nearest"], sent["settled"]) == (1, 2, {"1": 0, "0": 1}, 0, "")
    assert _drawn(CASE, [difference(WHOLE)], 0)["nearest"] == -1
    settled = _drawn(CASE, [difference(0, replace(BO, note="So it is."))], 0)
    assert settled["settled"] == "Cy, 2026-11-25 18:37 UTC: contradicted: factual inaccuracy (“So it is.”)"
    assert settled["id"] != sent["id"]


@pytest.mark.parametrize(
    ("item", "decision"),
    [
        ({"settle": True, "as": 0}, ADA),
        ({"settle": True, "as": 1, "note": "Read it again.", "ruling": "supported"}, replace(BO, note="Read it again.")),
        ({"settle": True, "as": -1, "ruling": "cannot say"}, ReviewDecision(0, Ruling.CANNOT_SAY)),
        ({"settle": False}, ReviewDecision(0)),
        ({"settle": True, "as": -1}, None),
        ({"settle": True, "as": 2}, None),
        ({"settle": True, "as": True}, None),
        ({"settle": True, "as": 0, "type": "none of them"}, None),
    ],
)
def test_what_holds_is_as_someone_decided_or_another_decision(item: dict[str, object], decision: ReviewDecision | None) -> None:
    assert _decision(CASE, difference(), item) == decision
