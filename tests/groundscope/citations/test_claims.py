"""Which claim each authority is paired with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.citations.claims import document
from groundscope.citations.points import key_points
from tests.loops import each


def _pairs(text: str, **options: object) -> list[tuple[str, str]]:
    found = document(text, **options)  # type: ignore[arg-type]
    return [(p.key, found.claims[p.claim].text) for p in found.pairs]


@each(
    ("text", "pairs"),
    [
        # A string supports the sentence before it, and parallel citations are one.
        (
            "Notice is due. See Smith v. Jones, 1 F.3d 2, 5 (9th Cir. 1993) (holding that notice is due in ten days); "
            "Doe v. Roe, 410 U.S. 113, 93 S. Ct. 705 (1973).",
            [("case|1|f3d|2", "Notice is due."), ("case|410|us|113", "Notice is due.")],
        ),
        # An embedded citation is taken out of its own sentence, and one in brackets with its brackets.
        (
            "Under 28 U.S.C. § 1331, federal courts have jurisdiction over federal questions.",
            [("law|28|usc|1331", "federal courts have jurisdiction over federal questions.")],
        ),
        (
            "Birds may fly. Smith v. Jones, 2 U.S. 3 (3 Atl. 33) (1895). As Doe v. Roe, 10 Conn. 20 (5 A. 33), says, fish swim.",
            [("case|2|us|3", "Birds may fly."), ("case|10|conn|20", "As, says, fish swim.")],
        ),
        # A law that the sentence speaks of stays in it, however short the sentence is.
        (
            "50 U.S.C. 1701 requires the President to declare an emergency.",
            [("law|50|usc|1701", "50 U.S.C. 1701 requires the President to declare an emergency.")],
        ),
        (
            "Privacy is protected by the Constitution. 42 U.S.C. § 1983 creates liability. 28 U.S.C. § 1331 applies.",
            [("law|42|usc|1983", "42 U.S.C. § 1983 creates liability."), ("law|28|usc|1331", "28 U.S.C. § 1331 applies.")],
        ),
        # An Id. is a pair of its own claim.
        (
            "One thing is so. Roe v. Wade, 410 U.S. 113 (1973). Another thing is so too. Id. at 120.",
            [("case|410|us|113", "One thing is so."), ("case|410|us|113", "Another thing is so too.")],
        ),
        # Without a claim the parenthesis is one.
        (
            "Smith v. Jones, 1 F.3d 2 (9th Cir. 1993) (holding that notice is due).",
            [("case|1|f3d|2", "holding that notice is due")],
        ),
    ],
)
def test_each_authority_is_paired_with_its_claim(text: str, pairs: list[tuple[str, str]]) -> None:
    assert _pairs(text) == pairs


@each(
    "cites",
    [
        "28 U.S.C. § 1331 and 28 U.S.C. § 1332.",
        "50 U.S.C. § 1701 et seq.",
        "See 28 U.S.C. § 1331 note.",
        "28 U.S.C. § 1331 as amended.",
    ],
)
def test_what_joins_citations_makes_no_claim_of_them(cites: str) -> None:
    found = _pairs(f"Courts have the power. {cites}")
    assert found
    assert {claim for _, claim in found} == {"Courts have the power."}


def test_of_several_sentences_the_last_or_all_are_the_claim() -> None:
    text = "The rule is old. It has never changed. Roe v. Wade, 410 U.S. 113 (1973)."
    assert _pairs(text)[0][1] == "It has never changed."
    assert _pairs(text, reach="all")[0][1] == "The rule is old. It has never changed."
    with pytest.raises(ValueError, match="reach must be one of last, all"):
        document(text, "first")  # type: ignore[arg-type]


def test_subsections_are_one_authority_or_two() -> None:
    text = "The first rule says this. 50 U.S.C. § 1701(a). The second rule says that. 50 U.S.C. § 1701(b)."
    assert len({k for k, _ in _pairs(text)}) == 1
    assert len({k for k, _ in _pairs(text, subsections=True)}) == 2


def test_what_cannot_be_read_and_what_stands_alone_is_listed_and_pairs_with_nothing() -> None:
    found = document("It was so held. Smith v. Jones, 12 Zyx. Rep. 34 (1999). See id. at 5.")
    assert (found.pairs, found.unread) == ((), (0, 1))
    found = document("Smith v. Jones, 1 F.3d 2 (9th Cir. 1993).")
    assert (found.pairs, found.alone) == ((), (0,))


PIECES = (
    "The law is so. |Roe v. Wade, 410 U.S. 113 (1973). |Id. at 5. |See 28 U.S.C. § 1331|; |\n\n# Heading\n| (holding it is so) "
)
TEXTS = st.lists(st.sampled_from(PIECES.split("|")) | st.text(max_size=8), max_size=9).map("".join)


@given(TEXTS, st.sampled_from(["last", "all"]))
def test_claims_lie_in_the_text_and_every_citation_is_accounted_for(text: str, reach: str) -> None:
    found = document(text, reach)  # type: ignore[arg-type]
    for claim in found.claims:
        assert all(0 <= a < b <= len(text) for a, b in claim.spans)
        assert claim.text.strip() == claim.text
        assert claim.text
    assert {p.claim for p in found.pairs} == set(range(len(found.claims)))
    assert not {p.citation for p in found.pairs} & (set(found.unread) | set(found.alone))


def test_key_points_are_headings_leads_or_first_sentences() -> None:
    text = (
        "## Notice\n\nIt must be written. It is due at once.\n\n- Repairs: The landlord makes them.\n"
        "- **Entry** A day's notice.\n\nOne alone."
    )
    found = key_points(text)
    assert [(found.key(i), found.more(i)) for i in range(len(found.points))] == [
        ("Notice", "It must be written. It is due at once."),
        ("Repairs", "The landlord makes them."),
        ("Entry", "A day's notice."),
        ("One alone.", "One alone."),
    ]


@given(TEXTS)
def test_key_points_lie_in_the_text_in_order(text: str) -> None:
    last = 0
    for p in key_points(text).points:
        assert 0 <= p.start < p.end <= len(text)
        assert p.start >= last
        assert p.more_start < p.more_end <= len(text)
        last = p.start
