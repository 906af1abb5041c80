"""The edit operators and the controls: every edit each can make of a small legal response, and what each leaves alone."""

import time
from datetime import date, timedelta

import pytest

from groundscope.cases.edits._confusable_terms import PAIRS
from groundscope.cases.edits.source import Edit, EditSource, fits_article, keep_case
from groundscope.cases.edits.variants import CONTROLS, LEARNED, OPERATORS
from groundscope.types import Case, ErrorType, Passage

BY_NAME = {o.name: o for o in (*OPERATORS, *CONTROLS)}


def case(response: str, *passages: str) -> Case:
    return Case("c", "q", tuple(Passage(f"p{i}", text) for i, text in enumerate(passages or ("Nothing.",))), response)


def made(name: str, response: str, *passages: str) -> list[Edit]:
    return sorted(BY_NAME[name].edits(EditSource(case(response, *passages))), key=lambda e: e.start)


def edits(name: str, response: str, *passages: str) -> list[tuple[str, str]]:
    return [(response[e.start : e.end], e.new) for e in made(name, response, *passages)]


def each(old: str, *new: str) -> list[tuple[str, str]]:
    return [(old, one) for one in new]


# A response of one sentence, its context, and all edits of an operator in reading order.
IN_CONTEXT: dict[str, tuple[str, str, list[tuple[str, str]]]] = {
    "number": (
        "The test has three factors, a jury has 12 members, and 40% own 2,500 shares.",
        "The test has two factors, and a jury has 7.",
        [
            # 3 + 1, 3 - 1, 3 * 2; two stands in the context.
            *each("three", "four", "six"),
            # Usual figures from 0.3 to 3.1 times 12 but 7, then one more, one less, double, half.
            *each("12", "10", "14", "15", "20", "21", "28", "30", "13", "11", "24", "6"),
            *each("40%", "14%", "15%", "20%", "21%", "28%", "30%", "45%", "60%", "90%", "120%", "80%", "50%"),
            *each("2,500", "5,000", "1,250", "2,510", "2,490"),
        ],
    ),
    "date": (
        "On May 3, 2020 the court ruled, as it did in 2021.",
        "It began on June 3, 2020 and ended in 2022.",
        [
            *each("May 3, 2020", "May 3, 2019", "May 3, 2021", "May 3, 2018", "May 3, 2022", "May 3, 2023"),
            *each("2021", "2019", "2023", "2024"),
        ],
    ),
    "money": (
        "He paid $1.5 million and 5 dollars in costs.",
        "It offered $3 million.",
        # Half of 5 and 1.5 times 5 are no whole dollars.
        [*each("$1.5 million", "$0.75 million", "$15 million", "$2.25 million"), *each("5 dollars", "10 dollars", "50 dollars")],
    ),
    "section": (
        "It follows from section 7(b) and Rule 3.",
        "Article 8(b) and rule 2 say so.",
        [
            *each("section 7(b)", "section 7(c)", "section 7(a)", "section 7(d)", "section 6(b)", "section 9(b)", "section 5(b)"),
            *each("Rule 3", "Rule 4", "Rule 5", "Rule 1"),
        ],
    ),
    "deadline": (
        "Notice is due in 30 days.",
        "An appeal takes 14 days.",
        each("30", "10", "15", "20", "21", "28", "45", "60", "90", "40"),
    ),
    "case": (
        "In Roe v. Wade it held so.",
        "Smith v. Acme Corp. held it, not Roe v. Wade.",
        [("Roe v. Wade", "Smith v. Acme Corp.")],
    ),
    "court": (
        "The Ninth Circuit held so.",
        "The Fourth Circuit did not.",
        each("Ninth Circuit", *(f"{c} Circuit" for c in ("Fourth", "Second", "Fifth", "Seventh", "Federal", "D.C."))),
    ),
    "judge": (
        "Justice Scalia held so.",
        "Neither Justice Breyer nor Judge Hand did.",
        each("Justice Scalia", "Justice Breyer", "Judge Hand"),
    ),
    "source": ("Under section 7(b) the notice is due.", "Section 9 says more. Rule 3 does not.", [("section 7(b)", "section 9")]),
    # No count is 2020, and six weeks are no number of days.
    "elsewhere": (
        "Notice is due in 30 days with 5% interest and two copies, and it costs $40 in 2020.",
        "It ends after 14 days or six weeks. 8% is more, and three copies cost $50.",
        [("30", "14"), ("5%", "8%"), ("two", "three"), ("$40", "$50")],
    ),
}
ALONE: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "step": (
        "The notice was served before trial, within ten days.",
        [("was served", "was filed"), ("before", "after"), ("within", "only after")],
    ),
    "modal": (
        "The tenant must pay, need not ask and is required to leave.",
        [("must", "may"), ("need not", "must"), ("is required to", "is permitted to")],
    ),
    "dropped": (
        "It is liable only if it knew of a material defect, unless the buyer agreed to it.",
        [("only if", "if"), ("material defect", "defect"), ("defect, unless the buyer agreed to it", "defect")],
    ),
    "added": ("A lease ends if the tenant leaves.", [("if", "only if")]),
    "negation": ("The rule does not apply, and the seller is liable.", [("does not apply", "applies"), ("is", "is not")]),
    "universal": ("Some courts usually agree.", [("Some", "All"), ("Some", "Every"), ("usually", "always")]),
    "party": ("The plaintiff paid the landlord.", [("plaintiff", "defendant"), ("landlord", "tenant")]),
    # "a estoppel" would not be English.
    "term": ("The contract is void for lack of a waiver.", [("void", "voidable"), ("waiver", "forfeiture")]),
    "condition": (
        "When the notice is late, the tenant must pay at once if the judge orders it.",
        [("When the notice is late, the", "The"), ("once if the judge orders it", "once")],
    ),
    "exception": (
        "Unless the buyer objects, a deposit is kept, and the seller owes nothing except where a court says otherwise.",
        [("Unless the buyer objects, a", "A"), ("nothing except where a court says otherwise", "nothing")],
    ),
    "scope": (
        "A residential tenant must leave, and any person who holds a key may stay in the public interest.",
        [("residential tenant", "tenant"), ("tenant", "occupier"), ("person who holds a key ", "person ")],
    ),
    "burden": (
        "The plaintiff must prove intent, the buyer must pay, and the burden of proof rests on the insurer.",
        [("plaintiff", "defendant"), ("insurer", "insured")],
    ),
    "standard": (
        "It is reviewed for clear error and proved beyond a reasonable doubt.",
        [
            *each("for clear error", "for abuse of discretion", "for plain error", "de novo", "for substantial evidence"),
            ("beyond a reasonable doubt", "by a preponderance of the evidence"),
            *each("beyond a reasonable doubt", "on a balance of probabilities", "on the balance of probabilities"),
        ],
    ),
    # What "both" or a comma between clauses asks for stays.
    "junction": ("The seller may repair or replace it, and both time and place are fixed.", [("or", "and")]),
    "paraphrase": (
        "Prior to the trial the judge is required to rule, and it does not wait.",
        [("Prior to", "Before"), ("is required to", "must"), ("does not", "doesn’t")],
    ),
    "must": ("The tenant shall pay and shall not leave.", each("shall", "must") * 2),
    "order": ("If she leaves, the lease ends.", [("If she leaves, the lease ends.", "The lease ends if she leaves.")]),
    "bold": ("The tenant pays the landlord.", [("landlord", "**landlord**")]),
    "marks": (
        "The tenant's lease of § 5 runs 10-12 weeks.",
        [("'", "’"), (" ", "\u00a0"), (" ", "\u00a0"), ("-", "–"), (" ", "\u00a0")],
    ),
}
GOLDEN = [(name, *row) for name, row in IN_CONTEXT.items()]
GOLDEN += [(name, response, "Nothing.", expected) for name, (response, expected) in ALONE.items()]
NAMES = [row[0] for row in GOLDEN]


def test_every_operator_has_a_golden_response() -> None:
    assert sorted(o.name for o in (*OPERATORS, *CONTROLS)) == sorted(NAMES)
    assert (len(set(NAMES)), len(LEARNED), len(CONTROLS)) == (29, 16, 5)
    assert {o.type for o in OPERATORS} == set(ErrorType)
    assert {o.type for o in CONTROLS} == {None}


@pytest.mark.parametrize(("name", "response", "passage", "expected"), GOLDEN, ids=NAMES)
def test_an_operator_makes_exactly_these_edits(name: str, response: str, passage: str, expected: list[tuple[str, str]]) -> None:
    assert edits(name, response, passage) == expected
    assert all(e.why.endswith(".") for e in made(name, response, passage))
    # A title with an amount is a sentence.
    if not {"$", "%"} & {*response}:
        assert edits(name, f"# {response.rstrip('.')}\n\nSo it went.", passage) == [], "a heading is left alone"
    assert edits(name, f"The panel said: “{response}”", passage) == [], "a quotation is left alone"
    assert edits(name, f"He said “so it went” then. {response}", passage) == expected, "beside a quotation it is as without one"


@pytest.mark.parametrize(
    ("name", "response", "passage"),
    [
        ("modal", "The panel said: “The tenant must pay. He must leave at once.” So it went.", "Nothing."),
        ("number", "It relied on 12 F.3d 34 and 29 U.S.C. § 1109.", "Nothing."),
        ("number", "It relied on Rule 12 and section 7.", "Nothing."),
        ("number", "1. It holds.\n2. It binds.", "Nothing."),
        ("number", "In 1998 it took 30 days.", "Nothing."),
        # 2 + 1 and 2 * 2; 2 - 1 and half of 2 are one, which is no other number.
        ("number", "The test has two factors.", "It has 3 factors and four steps."),
        ("date", "On July 4 they left.", "They came on August 4."),
        ("money", "He paid $5 then.", "It cost $10 or 50 dollars."),
        ("money", "He paid $0 for it.", "Nothing."),
        ("money", f"He paid ${'1' * 40}, more digits than money has.", "Nothing."),
        ("section", "The court's 12 factors and the court’s 7 steps bind.", "Nothing."),
        ("deadline", "It had 2 days.", "It had three or 4 days."),
        ("step", "The hosting service of its provider failed.", "Nothing."),
        ("step", "After all, it holds.", "Nothing."),
        ("step", "It lies within the city.", "Nothing."),
        ("modal", "In May 2020 it was cold. May was warm.", "Nothing."),
        ("modal", "The rent may have been paid.", "Nothing."),
        ("modal", "The tenant must pay rent.", "Then the tenant may pay rent."),
        ("added", "The buyer must pay unless he is ill.", "Nothing."),
        ("added", "The buyer paid.", "Nothing."),
        ("added", "It ends, where the law says so, at once.", "Nothing."),
        ("added", "It ends only if the tenant leaves, even if the rent is paid.", "Nothing."),
        ("negation", "It did not go.", "Nothing."),
        ("negation", "The seller is liable.", "There the seller is not liable."),
        ("universal", "It waives any and all claims at all.", "Nothing."),
        ("case", "In Roe v. Wade it held so.", "Smith v. Wade was old, and so was Roe v. Jones then."),
        ("court", "The Supreme Court and the Court of Appeals agree.", "Nothing."),
        ("judge", "Justice Scalia held so.", "Justice Scalia did."),
        ("judge", "The Justice Department sued.", "Justice Breyer did not."),
        ("party", "Its principal place of business moved.", "Nothing."),
        ("party", "The plaintiff paid rent.", "There the defendant paid rent."),
        ("term", "Several courts agree.", "Nothing."),
        ("term", "The Employee Retirement Income Security Act applies.", "Nothing."),
    ],
)
def test_what_does_not_belong_to_an_operator_is_left_alone(name: str, response: str, passage: str) -> None:
    assert edits(name, response, passage) == []


@pytest.mark.parametrize(
    ("name", "response", "passage", "expected"),
    [
        # A number with a comma is no year.
        ("number", "He sold 1,500 shares.", "Nothing.", each("1,500", "3,000", "750", "1,510", "1,490")),
        # The article of a court stays, and what stands before a court is no part of its name.
        ("court", "The Supreme Court held so.", "Nothing.", [("Supreme Court", "Court of Appeals")]),
        ("court", "Under Supreme Court precedent it holds.", "Nothing.", [("Supreme Court", "Court of Appeals")]),
        # A name at the end of a sentence comes without its full stop.
        (
            "case",
            "In Roe v. Wade it held so.",
            "So says Brown v. Board of Education.",
            [("Roe v. Wade", "Brown v. Board of Education")],
        ),
        ("judge", "Judge Hand held so.", "The speech was given by Lord Atkin.", [("Judge Hand", "Lord Atkin")]),
        # A duty gets an exception that no passage makes.
        (
            "added",
            "The buyer must pay.",
            "He pays, unless the court orders otherwise.",
            each("pay", "pay, unless the parties agree otherwise", "pay, unless good cause is shown"),
        ),
        ("negation", "It does not carry.", "Nothing.", [("does not carry", "carries")]),
        ("negation", "It does not obey.", "Nothing.", [("does not obey", "obeys")]),
        ("negation", "It does not pass.", "Nothing.", [("does not pass", "passes")]),
        ("negation", "They do not agree.", "Nothing.", [("do not agree", "agree")]),
        ("negation", "It can hear.", "Nothing.", [("can", "cannot")]),
        ("negation", "It must hear.", "Nothing.", [("must", "must not")]),
        ("negation", "It was not heard.", "Nothing.", [("was not", "was")]),
    ],
)
def test_odd_words_are_changed_as_english_has_it(name: str, response: str, passage: str, expected: list[tuple[str, str]]) -> None:
    assert edits(name, response, passage) == expected


def test_no_edit_forbids_the_same_in_other_words_or_repeats_the_section_beside_it() -> None:
    assert ("shall", "may") not in edits("modal", "The tenant shall not assign the lease.")
    assert ("sections 3", "sections 4") not in edits("section", "It follows from sections 3 and 4.")


def test_a_name_does_not_reach_into_the_next_sentence() -> None:
    found = edits("case", "In Smith v. Acme it held so.", "So says Roe v. Wade. Brown v. Board came next.")
    assert all(new in {"Roe v. Wade", "Brown v. Board"} for _, new in found)
    assert ("Smith v. Acme", "Brown v. Board") in found


def test_no_date_is_made_that_the_calendar_does_not_have() -> None:
    for day in (date(2020, 1, 1) + timedelta(days=n) for n in range(366)):
        for _, new in edits("date", f"It ruled on {day:%B} {day.day}, 2020."):
            time.strptime(new, "%B %d, %Y")


@pytest.mark.parametrize("verb", ["y", "s", "be", "ly"])
def test_no_verb_is_too_short_to_be_negated(verb: str) -> None:
    assert all(e.new for e in made("negation", f"It does not {verb}."))


@pytest.mark.parametrize(
    ("response", "lost"),
    [
        ("It acted only if asked.", "only"),
        ("It gave written notice.", "written"),
        ("It gave a reasonable reason.", "reasonable"),
        ("It ends at once, unless the tenant agreed to it.", "unless the tenant agreed to it"),
        ("It acted in good faith.", "in good faith"),
    ],
)
def test_the_reason_names_the_qualifier_that_is_left_out(response: str, lost: str) -> None:
    assert [e.why for e in made("dropped", response)] == [f"The qualification “{lost}” is left out."]


def test_each_of_sixty_pairs_of_terms_is_swapped_and_the_reason_says_the_difference() -> None:
    assert len({frozenset((a, b)) for a, b, _ in PAIRS}) == len(PAIRS) >= 60
    for a, b, difference in PAIRS:
        assert a != b
        assert len(difference.split()) >= 2
        swapped = made("term", f"They spoke of the {a} there.") + made("term", f"They spoke of the {b} there.")
        assert [e for e in swapped if e.new in {a, b} and e.why.endswith(f": {difference}.")], a


def test_plurals_and_capitals_go_over_to_the_neighbour() -> None:
    assert ("Affidavits", "Depositions") in edits("term", "Affidavits were read.")
    assert ("plaintiffs", "defendants") in edits("party", "The plaintiffs left.")
    assert [keep_case(old, "all") for old in ("some", "Some", "SOME", "A")] == ["all", "All", "ALL", "All"]


@pytest.mark.parametrize(
    ("article", "fitting", "others"),
    [
        ("a ", ["waiver", "union"], ["estoppel", "8-day"]),
        ("An ", ["estoppel", "8-day", "honest"], ["waiver"]),
        ("via ", ["x"], []),
    ],
)
def test_an_article_fits_the_first_sound(article: str, fitting: list[str], others: list[str]) -> None:
    assert [word for word in fitting + others if fits_article(article, len(article), word)] == fitting
