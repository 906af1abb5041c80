"""Differences from the passage that a sentence otherwise repeats, and what an answer leaves out of it."""

import pytest

from groundscope.findings.differs import differing, left_out
from groundscope.findings.finding import Certainty, FindingKind
from groundscope.types import Case, Passage

FEE = "The Provider shall refund to the Customer, pro rata, any fees paid in advance for services not yet performed."
END = "The Tenant may end the lease by written notice to the Landlord of at least sixty days"
NOTICE = f"{END}, unless rent is in arrears on that date."
COSTS = "The Supplier may, at its own cost, replace the goods or repair them within thirty days after the complaint."

ENDS = "The duty of the agent does end on the death of the owner."
BEFORE = "The notice must come before the opposing party files a"


def case(response: str, *passages: str) -> Case:
    return Case("c", "q", tuple(Passage(f"p{i}", text, "") for i, text in enumerate(passages)), response)


@pytest.mark.parametrize(
    ("kind", "response", "source", "ours", "theirs"),
    [
        ("other figure", COSTS.replace("thirty", "45"), COSTS, "45 days", "thirty days"),
        ("party", "The Customer must refund, pro rata, any fees paid in advance.", FEE, "Customer", "Provider"),
        ("modal", COSTS.replace("may", "must"), COSTS, "must", "may"),
        ("connective", COSTS.replace(" or ", " and "), COSTS, "and", "or"),
        ("negation", ENDS.replace("does", "does not"), ENDS, "not", ""),
        ("negation", ENDS, ENDS.replace("does", "does not"), "", "not"),
        (
            "legal term",
            f"{BEFORE} motion to dismiss.",
            f"{BEFORE} motion for summary judgment.",
            "to dismiss",
            "for summary judgment",
        ),
        ("condition", f"{END}.", NOTICE, "", "unless rent is in arrears on that date"),
    ],
)
def test_a_sentence_differs_in_one_kind(kind: str, response: str, source: str, ours: str, theirs: str) -> None:
    # A second source has the same figure elsewhere, so that no exact check names it.
    of = case(response, source, "Invoices are due within 45 days.")
    findings = [f for f in differing(of) if f.kind == kind]
    assert len(findings) == 1, differing(of)
    (finding,) = findings
    assert finding.certainty is Certainty.DIFFERS
    assert ours in finding.text
    assert theirs in finding.theirs
    assert finding.place is not None
    assert theirs in of.context[finding.place.passage].text[finding.place.start : finding.place.end]
    assert response[finding.start : finding.end] == finding.text


@pytest.mark.parametrize(
    ("response", "source"),
    [
        (FEE, FEE),
        ("The Supplier may replace the goods or repair them within 30 days of the complaint, at its own cost.", COSTS),
        ("The Supplier is permitted to replace the goods or to repair them, at its own cost, within thirty days.", COSTS),
        (
            "The Tenant may end the lease on sixty days' written notice to the Landlord. No rent may be in arrears on that date.",
            NOTICE,
        ),
        ("Fees paid in advance for services not yet performed are refunded to the Customer by the Provider.", FEE),
        ("Rent is due on the first day of each month.", COSTS),
        ("## Refunds", FEE),
        ("Anything.", ""),
    ],
)
def test_the_same_in_other_words_does_not_differ(response: str, source: str) -> None:
    assert differing(case(response, source)) == ()


def test_what_no_sentence_of_the_answer_repeats_is_left_out_of_it() -> None:
    answer = f"{END}."
    (clause,) = left_out(case(answer, NOTICE))
    assert (clause.sentence, clause.text) == (0, "unless rent is in arrears on that date.")
    assert left_out(case(f"{answer} It may not do so while rent is in arrears on that date.", NOTICE)) == ()


def test_the_order_of_the_sources_changes_nothing_but_places() -> None:
    response, sources = "The Customer must refund any fees paid in advance for services not yet performed.", (FEE, COSTS, NOTICE)
    first, second = (differing(case(response, *of)) for of in (sources, sources[::-1]))
    assert [(f.kind, f.text, f.theirs, f.why) for f in first] == [(f.kind, f.text, f.theirs, f.why) for f in second]
    assert [f.kind for f in first] == [FindingKind.PARTY]
