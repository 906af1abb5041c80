"""Exact checks of a response: what each kind finds, what says nothing new, and offsets that hold for any text."""

import itertools
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from groundscope.text.checks import CheckKind, ContextDurations, Time, checks, durations
from groundscope.text.differences import ContextFacts, FactKind
from groundscope.text.sentences import split
from groundscope.types import Case, Passage
from tests.loops import each

CONTEXT = (
    Passage(
        "p1", "The stay ends after 30 days under subsections (d), (e) and (g) unless the court extends it.", "11 U.S.C. § 362"
    ),
    Passage("p3", "A later panel agreed.", "Doe v. Roe (9th Cir. 1991); Poe v. Moe (Fed. Cir. 1992)"),
    Passage("p2", "The panel affirmed the order of the trial judge in full.", "Baker v. Hughes (D.C. Cir. 1990)"),
)


def found(response: str) -> list[list[tuple[FactKind | None, str]]]:
    """The kind of fact and the words of what is missing, by sentence."""
    case = Case("c", "", CONTEXT, response)
    texts = [response[s.start : s.end] for s in split(response)]
    by_sentence = checks(case, ContextFacts.of_case(case))
    assert {c.kind for of_one in by_sentence for c in of_one} <= {CheckKind.MISSING}
    return [[(c.fact, t[c.start : c.end]) for c in of_one] for t, of_one in zip(texts, by_sentence, strict=True)]


@each(
    ("response", "wanted"),
    [
        ("The stay ends after 45 days.", [(FactKind.NUMBER, "45")]),
        ("The stay costs $5.", [(FactKind.MONEY, "$5")]),
        ("The stay ends after 30 days.", []),
        ("The stay ends after two years.", [(FactKind.NUMBER, "two years")]),
        ("Justice Kennedy said so.", [(FactKind.NAME, "Kennedy")]),
        # Courts and officials by their titles, and subsections that the source names apart, are nothing new.
        ("The Justices and the Supreme Court agree.", []),
        ("The D.C. Circuit agrees.", []),
        ("The Ninth Circuit and the Federal Circuit agree.", []),
        ("See 11 U.S.C. § 362(g).", []),
        ("See 11 U.S.C. § 363(g).", [(FactKind.CITATION, "11 U.S.C. § 363(g)")]),
        ("The panel in the Fifth Circuit affirmed the order of the trial judge in full.", [(FactKind.NAME, "Fifth Circuit")]),
    ],
)
def test_a_check_names_the_words(response: str, wanted: list[tuple[FactKind, str]]) -> None:
    assert found(response) == [wanted]


def test_what_a_citation_of_the_sources_holds_in_another_spelling_is_not_missing() -> None:
    case = Case("c", "", CONTEXT, "It was decided in 1977. A trustee sells under 11 U.S.C. § 363(g) in every case.")
    corpus = ContextFacts.of_case(case)
    assert [len(own) for own in checks(case, corpus)] == [1, 1]
    assert [len(own) for own in checks(case, corpus, {1: ["11 U.S.C. § 363(g)"]})] == [1, 0]
    # Of the sentence alone; and a figure of four characters may stand in any citation.
    assert [len(own) for own in checks(case, corpus, {0: ["11 U.S.C. § 363(g)", "12 F.3d 34 (1977)"]})] == [1, 1]


def test_a_heading_is_not_checked() -> None:
    assert found("# Rule 99\n\nThe stay ends after 30 days.") == [[], []]


@given(st.text(alphabet="Aa1§(). \n“”'v.D.C.Circuit36(g)", max_size=120))
def test_offsets_lie_in_the_sentence_and_in_order(response: str) -> None:
    case = Case("c", "", CONTEXT, response)
    for sentence, own in zip(split(response), checks(case, ContextFacts.of_case(case)), strict=True):
        assert all(0 <= c.start < c.end <= sentence.end - sentence.start for c in own)
        assert [c.start for c in own] == sorted(c.start for c in own)


def missing(sentence: str, *context: str) -> list[str]:
    return [sentence[d.start : d.end] for d in ContextDurations.of(context).missing(sentence)]


@each(
    ("text", "time"),
    [
        ("two years", (24, "month")),
        ("Two-year", (24, "month")),
        ("24 months", (24, "month")),
        ("a year", (12, "month")),
        ("7 calendar days", (10_080, "minute")),
        ("twenty-one business days", (30_240, "minute")),
        ("1.5 hours", (90, "minute")),
        ("1,000 days", (1_440_000, "minute")),
    ],
)
def test_a_time_in_all_its_forms(text: str, time: Time) -> None:
    assert [d.time for d in durations(text)] == [(Decimal(time[0]), time[1])]


@each("text", ["yearly", "tendays", "two", "12", "v2 days", "1.2.3 days", "9" * 6_000 + " days"])
def test_a_number_alone_is_no_time(text: str) -> None:
    assert list(durations(text)) == []


@each(
    ("sentence", "context", "wanted"),
    [
        ("It must be filed within two years.", "It must be filed within 1 year. Two elements matter.", ["two years"]),
        ("It must be filed within two years.", "The limit is 24 months.", []),
        ("It must be filed within twelve months.", "It must be filed within a year.", []),
        ("It lasts 7 days.", "It lasts one week.", []),
        ("It lasts 30 days.", "It lasts one month.", ["30 days"]),
        ("It lasts 30 months.", "It lasts 30 days.", ["30 months"]),
        # The number stands there without its unit, which the context names elsewhere.
        ("A sentence of 90 months was imposed.", "Of the range in months the judge imposed 90.", []),
        # A manner of speaking.
        ("Once a year the board meets.", "The board meets in May.", []),
        ("No time is named.", "", []),
    ],
)
def test_a_time_that_the_context_does_not_state(sentence: str, context: str, wanted: list[str]) -> None:
    assert missing(sentence, context) == wanted


@given(st.text(alphabet="one two 12,.-ıſ年day-year s month\n", max_size=80))
def test_offsets_hold_for_any_text(text: str) -> None:
    found = list(durations(text))
    assert all(0 <= a.start < a.end <= len(text) for a in found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
    assert missing(text, text) == []
