"""Exact findings: what each kind says, offsets that hold, sources in any order, and what is refused."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope import exact_findings
from groundscope.errors import DataError
from groundscope.findings.exact import Finding, FindingKind, compared_in_words
from groundscope.text.sentences import split
from tests.loops import each

LEASE = ("Lease", "The tenant must give notice of 60 days. The rent is $900 a month. The lease was signed on May 3, 2019.")
RULING = ("Ruling", "The court upheld the notice in Smith v. Jones, 12 F.3d 34 (9th Cir. 1993). A landlord may not shorten it.")
CODE = ("Code", "Section 12 covers deposits, which are held in a bank. The deposit is $30 and the key costs $5.")
SOURCES = [LEASE, RULING, CODE]
KIND = FindingKind


def found(response: str, context: Sequence[str | tuple[str, str]] = SOURCES) -> list[tuple[FindingKind, str]]:
    return [(f.kind, f.text) for f in exact_findings(context, response) if f.alarm]


@each(
    ("response", "wanted"),
    [
        ("The tenant must give notice of 60 days.", []),
        ("The rent is $950 a month.", [(KIND.FIGURE, "$950")]),
        ("The lease was signed on May 4, 2019.", [(KIND.DATE, "May 4, 2019")]),
        ("Section 13 covers deposits.", [(KIND.SECTION, "Section 13")]),
        ("The rent was raised by Miller.", [(KIND.NAME, "Miller")]),
        ("The lease says “rent is due at dawn”.", [(KIND.QUOTATION, "rent is due at dawn")]),
        ("See Roe v. Poe, 99 F.2d 11 (2d Cir. 1950).", [(KIND.CITATION, "Roe v. Poe, 99 F.2d 11 (2d Cir. 1950)")]),
        # Another year: the citation is one finding, and its year none beside it.
        ("See Smith v. Jones, 12 F.3d 34 (9th Cir. 1991).", [(KIND.CITATION, "Smith v. Jones, 12 F.3d 34 (9th Cir. 1991)")]),
        ("See Smith v. Jones, 12 F.3d 34 (9th Cir. 1993).", []),
        ("The rent is $900 a month [1].", []),
        ("The rent is $900 a month [4].", [(KIND.MARK, "[4]")]),
        ("Source 1 states that the rent is $900 a month.", []),
        ("Source 4 states that the rent is $900 a month.", [(KIND.MARK, "Source 4")]),
        ("A landlord may not shorten the notice, as the court upheld (Source 3).", [(KIND.MARK, "(Source 3)")]),
        # Who knows which passage a bare foot mark means.
        ("A landlord may not shorten the notice.⁹", []),
        ("A landlord may not shorten the notice.⁹ The rent is $900 a month.²", []),
        ("The lease does not say “rent is due at dawn”.", []),
        ("# Rule 99\n\nThe rent is $900 a month.", []),
        ("**The rent** is $900 a month.", []),
        ("", []),
        (" \n", []),
    ],
)
def test_a_finding_names_the_words(response: str, wanted: list[tuple[FindingKind, str]]) -> None:
    assert found(response) == wanted


@each(
    ("source", "response", "wanted"),
    [
        # A figure inside another one is none.
        ("A fine of 7.5% is due.", "A fine of 5% is due.", ["5%"]),
        ("The permit costs $8.25.", "The permit costs $8.", ["$8"]),
        ("The city has 3,400 meters.", "The city has 400 meters.", ["400"]),
        # Equal values look different.
        ("A surcharge of twelve percent applies.", "A surcharge of 12% applies.", []),
        ("The verdict was USD 3,400,000.", "The verdict was $3.4 million.", []),
        ("The deed was recorded on the 9th of June 2018.", "The deed was recorded on June 9, 2018.", []),
        ("The Third Circuit affirmed.", "The 3d Circuit affirmed.", []),
        # Small numbers and fractions.
        ("The board has seven directors.", "The board has nine directors.", ["nine"]),
        ("Three-fifths of the owners must agree.", "Two-fifths of the owners must agree.", ["Two-fifths"]),
        # Names and their initials; a name that only begins a sentence.
        ("The Environmental Protection Agency fined the mill.", "The mill was fined by the EPA.", []),
        ("The mill polluted the river.", "Rosenthal polluted the river.", ["Rosenthal"]),
        ("Title VII of the Civil Rights Act of 1964 bars it.", "Title II of the Civil Rights Act of 1964 bars it.", ["Title II"]),
        # The record of a case and what follows it; numbers in citations that could not be read.
        ("There are 4 tenants and 5 cars.", "It is so. Def.'s Mot. Summ. J. at 4. Id. at 5. Pl.'s Br. 5. Id. Reply 4. Id.", []),
        ("It is so.", "It is so. See id. at 12.", ["12"]),
        ("The mine is in West Virginia.", "The mine is in Virginia.", ["Virginia"]),
        # Letters and lines of other makes.
        ("Zoë Brontë signed.", "Zoe\u0308 Bronte\u0308 signed.", []),
        ("The tenant sued under the Home Owner-\nship Act.", "The tenant sued under the Home Ownership Act.", []),
        ("料金は500円である。", "料金は700円である。", ["700円"]),
        ("Die Frist beträgt 14 Tage.", "Die Frist beträgt 21 Tage.", ["21 Tage"]),
    ],
)
def test_values_and_names_are_compared_and_not_their_letters(source: str, response: str, wanted: list[str]) -> None:
    assert [text for _, text in found(response, [source])] == wanted


def test_names_are_not_looked_up_in_another_language_and_the_row_says_so() -> None:
    response = "Der Mieter Schröder schuldet nach dem Vertrag die Miete bis zum Ende der Frist."
    assert found(response, ["Die Miete ist fällig."]) == []
    assert "names are not" in compared_in_words(response)
    assert "names," in compared_in_words("The tenant owes the rent.")


@each(
    ("response", "why", "there"),
    [
        ("The rent is $950 a month.", "“$950” is not in the sources; the nearest sentence has “$900”.", "$900"),
        (
            "See Smith v. Jones, 12 F.3d 34 (9th Cir. 1991).",
            "“Smith v. Jones, 12 F.3d 34 (9th Cir. 1991)” is in the sources, but different (year 1991, in the sources 1993).",
            "Smith v. Jones, 12 F.3d 34 (9th Cir. 1993)",
        ),
        (
            "See **Smith v. Jones**, 12 F.3d 34 (9th Cir. 1991).",
            "“Smith v. Jones, 12 F.3d 34 (9th Cir. 1991)” is in the sources, but different (year 1991, in the sources 1993).",
            "Smith v. Jones, 12 F.3d 34 (9th Cir. 1993)",
        ),
        ("The rent is $900 a month [4].", "“[4]” names source 4, and there are 3 sources.", None),
    ],
)
def test_a_finding_says_what_the_sources_have_instead(response: str, why: str, there: str | None) -> None:
    (finding,) = exact_findings(SOURCES, response)
    place = finding.place
    assert (finding.why, place and SOURCES[place.passage][1][place.start : place.end]) == (why, there)


def test_what_follows_from_the_sources_is_no_alarm() -> None:
    # 30 + 5 = 35
    (finding,) = exact_findings(SOURCES, "The deposit and the key cost $35 together.")
    assert (finding.kind, finding.text, finding.alarm) == (KIND.FIGURE, "$35", False)
    assert finding.why.startswith("“$35” is computed, not quoted")
    assert "$30" in finding.why
    assert "$5" in finding.why


def test_titles_are_sources_too() -> None:
    assert found("The rent is due by the Lease of 2019.", [("Lease of 2019", "The rent is due in May.")]) == []
    assert found("The rent is due by the Lease of 2019.", ["The rent is due in May."]) != []


FILES = [("Lease_2019.pdf", LEASE[1]), ("Key ruling.docx", RULING[1]), ("Civil Code", CODE[1])]
RENT, DEPOSIT, NOTICE = (
    "The rent is $900 a month",
    "The deposit is $30 and the key costs $5",
    "A landlord may not shorten the notice",
)


@each(
    ("response", "marks"),
    [
        (f"{RENT} (Loan Agreement.pdf).", ["Loan Agreement.pdf"]),
        (f"{RENT} [Loan.docx, p. 3].", ["Loan.docx"]),
        (f"{RENT} (see Lease 2019.pdf; Letter_to_Bank.pdf).", ["Letter_to_Bank.pdf"]),
        (f"{RENT} (Source: Lease 2021.pdf).", ["Lease 2021.pdf"]),
        (f"According to the Loan.pdf, the rent is {RENT[12:]}.", ["Loan.pdf"]),
        (f"{RENT} (Lease_2019.pdf).", []),
        (f"{RENT} (lease2019.pdf).", []),
        (f"{RENT} (see the attached Lease.pdf).", []),
        (f"{RENT} [Lease](https://example.org/a/Loan.pdf).", []),
        ("Save it as loan.pdf.", []),
        # Marks that lead their sentences, and those that follow them.
        (f"[1] {RENT}. [3] {DEPOSIT}.", []),
        (f"1. (Source 1) {RENT}. (Source 3) {DEPOSIT}.\n2. [2] {NOTICE}.", []),
        (f"[3] {RENT}. [1] {DEPOSIT}.", ["[3]", "[1]"]),
        (f"[1] {RENT} [1]. {DEPOSIT} [3].", []),
        (f"Source 1 says: {RENT}. {DEPOSIT} [3]. So it is.", []),
        # Raised figures without notes below them.
        (f"{RENT}.¹ {DEPOSIT}.³", []),
        (f"{RENT}.³ {DEPOSIT}.¹", ["³", "¹"]),
        (f"{DEPOSIT}<sup>[1]</sup>.", ["<sup>[1]</sup>"]),
        (f"{DEPOSIT} [^2].", ["[^2]"]),
        (f"{DEPOSIT}.[^2]\n\n[^2]: Civil Code", []),
        (f"{RENT}.¹ {DEPOSIT}.² {NOTICE}.⁷", []),
    ],
)
def test_a_mark_names_a_source_that_bears_its_sentence(response: str, marks: list[str]) -> None:
    assert found(response, FILES) == [(KIND.MARK, words) for words in marks]


def test_without_sources_nothing_is_in_them() -> None:
    assert found("The rent is $950.", []) == [(KIND.FIGURE, "$950")]


@each("context", ["The rent is $900.", [("a", "b", "c")], [1], [("a", 1)], [None]])
def test_what_is_no_list_of_texts_is_refused(context: object) -> None:
    with pytest.raises(DataError):
        exact_findings(context, "The rent is $950.")  # type: ignore[arg-type]


_PIECES = (
    "The rent is $950. |Section 13 |[1] |[9]|(Source 2)|“not there at all” |Smith v. Jones, 12 F.3d 34 (9th Cir. 1991). |"
    "May 4, 2019|Miller said so. |\n\n|## |**bold** || a | b |\n|¹|\u00ad|\u0301|😀|５|60 days |3/4/2020 |Id. |$|%|§ |"
).split("|")
_RESPONSES = st.lists(st.sampled_from(_PIECES), max_size=14).map("".join)


def _contract(response: str, context: Sequence[str | tuple[str, str]]) -> tuple[Finding, ...]:
    findings = exact_findings(context, response)
    sentences = split(response)
    texts = [one if isinstance(one, str) else one[1] for one in context]
    assert [f.start for f in findings] == sorted(f.start for f in findings)
    for f in findings:
        assert 0 <= f.start < f.end <= len(response)
        assert response[f.start : f.end] == f.text
        assert f.why.endswith(".")
        assert 0 <= f.sentence < len(sentences)
        assert f.place is None or 0 <= f.place.start <= f.place.end <= len(texts[f.place.passage])
    return findings


@given(_RESPONSES | st.text(max_size=80), st.lists(_RESPONSES | st.text(max_size=60), max_size=3))
def test_offsets_hold_for_any_text(response: str, context: list[str]) -> None:
    _contract(response, context)


@given(_RESPONSES, st.permutations(SOURCES))
def test_sources_in_another_order_change_places_alone(response: str, context: list[tuple[str, str]]) -> None:
    def told(order: Sequence[tuple[str, str]]) -> list[tuple[object, ...]]:
        kinds = (f for f in _contract(response, order) if f.kind is not FindingKind.MARK)
        return [(f.kind, f.sentence, f.start, f.end, f.why, f.alarm) for f in kinds]

    assert told(context) == told(SOURCES)


@each("piece", ["5", "$5 ", "a b ", "Aa ", "[1]", "[1] Aa. ", "§ 1. ", "“a b” ", "1 U.S. 1. ", "a\n", "1/2", "May 1 "])
def test_a_long_text_is_checked_to_its_end(piece: str) -> None:
    response = piece * (4_000 // len(piece)) + " The rent is $950."
    assert "$950" in [f.text for f in exact_findings(SOURCES, response)] or "$950" in response[-2_000:]
