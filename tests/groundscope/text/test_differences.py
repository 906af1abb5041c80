"""Facts read from a sentence: each kind, its canonical forms, and what two sentences do not share."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.text.differences import (
    Replaced,
    differences,
    items,
    linking_words,
    roles,
    terms,
)
from groundscope.text.facts import FactKind
from tests.loops import each

WORDS = (
    "one hundred and eighty six shall not may May § 12 U.S.C. 410 U.S. 113 v. Smith Jones Court's “ ” \" ' $ 1.5 million "
    "1,500 % January 5 2020 2020-01-05 th , . ( ) (a) Id. at Fed. R. Civ. P. é 😀 \n \t F.3d 9th Cir. no No. cannot n't "
    "can't 29 1109(a) Inc. supra İ \u200b"
).split(" ")
TEXTS = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join),
    st.text(max_size=60),
    st.text(alphabet="aA1.,$%()-§ '\"nt’5é\n", max_size=40),
)
INSIDE = {FactKind.MODAL, FactKind.NEGATION, FactKind.QUOTE}


def found(text: str, kind: FactKind) -> list[str]:
    return [text[i.start : i.end] for i in items(text) if i.kind is kind]


def keys(text: str, kind: FactKind) -> list[str]:
    return [i.key for i in items(text) if i.kind is kind]


def kinds(response: str, context: str) -> list[FactKind]:
    return [d.kind for d in differences(response, context)]


@pytest.mark.parametrize(
    ("kind", "forms"),
    [
        # 100 + 80 = 180; 900 + 90 + 9 = 999.
        (FactKind.NUMBER, ["180", "one hundred eighty", "one hundred and eighty", "One Hundred Eighty"]),
        (FactKind.NUMBER, ["999", "nine hundred ninety-nine", "nine hundred and ninety nine"]),
        (FactKind.NUMBER, ["2500", "2,500"]),
        # 1.5 * 10^6 = 1,500,000
        (FactKind.MONEY, ["$1.5 million", "$1,500,000", "$1,500,000.00", "$1.5m", "1.5 million dollars", "1,500,000 dollars"]),
        (FactKind.MONEY, ["€2 bn", "€2,000 million", "2 billion euros"]),
        (FactKind.DATE, ["January 5, 2020", "5 January 2020", "2020-01-05", "Jan. 5, 2020", "January 5th, 2020"]),
        (FactKind.DATE, ["Sept. 4, 2019", "September 4, 2019", "4 September 2019"]),
        (FactKind.CITATION, ["29 U.S.C. § 1109(a)", "29 U. S. C. § 1109(a)", "29 USC 1109(a)"]),
        (FactKind.CITATION, ["Fed. R. Civ. P. 12(b)(6)", "Fed. R. Civ. P.\n12(b)(6)"]),
    ],
)
def test_forms_of_one_fact_have_one_key(kind: FactKind, forms: list[str]) -> None:
    sentences = [f"the party had {form} by then" for form in forms]
    assert len({tuple(keys(s, kind)) for s in sentences}) == 1
    assert len(keys(sentences[0], kind)) == 1
    assert all(not differences(a, b) for a in sentences for b in sentences)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (FactKind.CITATION, "see 42 U.S.C. § 2000e-5(e)(1) on it", ["42 U.S.C. § 2000e-5(e)(1)"]),
        (FactKind.CITATION, "in Roe v. Wade, 410 U.S. 113 (1973)", ["410 U.S. 113"]),
        (FactKind.CITATION, "then Id. at 45 and supra", []),
        (FactKind.DATE, "In May 2020 he may pay", ["May 2020"]),
        (FactKind.NUMBER, "some 15% in 30 days of the 9th", ["15%", "30 days", "9th"]),
        (FactKind.CITATION, "some of 10b-5 and No. 12-3", ["10b-5", "No. 12-3"]),
        (FactKind.NAME, "The Supreme Court held that Acme Inc. won", ["Supreme Court", "Acme Inc"]),
        (FactKind.NAME, "Judge Scheindlin held so", ["Scheindlin"]),
        (FactKind.NAME, "The law of the land", []),
        (FactKind.QUOTE, 'the “key players” and "fair use" here', ["“key players”", '"fair use"']),
        (FactKind.MODAL, "it shall, must and may; May cannot", ["shall", "must", "may", "cannot"]),
        (FactKind.NEGATION, "it can't, won't, cannot, not without No. 5", ["can't", "won't", "cannot", "not", "without"]),
    ],
)
def test_each_kind_is_found(kind: FactKind, text: str, expected: list[str]) -> None:
    assert found(text, kind) == expected


@pytest.mark.parametrize(
    ("ours", "theirs", "kind"),
    [
        ("within 180 days", "within 90 days", FactKind.NUMBER),
        ("it paid $1.5 million", "it paid $1.5 billion", FactKind.MONEY),
        ("on May 3, 2020", "on May 4, 2020", FactKind.DATE),
        ("under 12 U.S.C. § 30", "under 12 U.S.C. § 31", FactKind.CITATION),
        ("under 12 C.F.R. § 22.61", "under 12 C.F.R. § 226.1", FactKind.CITATION),
        ("the witness Ann agreed", "the annual report agreed", FactKind.NAME),
        ("the Ninth Circuit held", "the Second Circuit held", FactKind.NAME),
        ('the "key players" list', 'the "main players" list', FactKind.QUOTE),
        ("it shall pay", "it may pay", FactKind.MODAL),
        ("it did not pay", "it did pay", FactKind.NEGATION),
        ("notice and proof", "notice or proof", FactKind.CONNECTIVE),
        ("if both agree", "only if either agree", FactKind.CONNECTIVE),
        ("Any tenant, after notice", "all tenants, before notice", FactKind.CONNECTIVE),
    ],
)
def test_a_changed_fact_is_a_difference_of_its_kind(ours: str, theirs: str, kind: FactKind) -> None:
    assert kinds(ours, theirs) == [kind]


def test_each_side_lists_what_the_other_lacks() -> None:
    (found_one,) = differences("it shall not pay 5 times 7", "it shall not pay 5 times 8")
    assert [i.key for i in found_one.response] == ["7"]
    assert [(i.start, i.end) for i in found_one.context] == [(25, 26)]


def test_must_and_shall_are_one_duty() -> None:
    assert differences("it must pay", "It shall pay") == differences("it shall not pay", "it must not pay") == ()
    assert kinds("it must pay", "it should pay") == [FactKind.MODAL]


def test_linking_words_differ_where_each_side_has_one_that_the_other_lacks() -> None:
    (found_one,) = differences("rent or costs, from May", "rent and costs until May")
    assert [i.key for i in found_one.response] == ["or", "from"]
    assert [i.key for i in found_one.context] == ["and", "until"]
    # More words, or the same ones more often, are no other words.
    assert differences("it paid and left or stayed", "it paid and left") == ()
    assert differences("it paid if asked", "it paid") == ()


@given(TEXTS)
def test_items_slice_back_and_do_not_overlap_except_inside_kinds(text: str) -> None:
    read = items(text)
    assert all(0 <= i.start < i.end <= len(text) and text[i.start : i.end].strip() for i in read)
    outer = [i for i in read if i.kind not in INSIDE]
    assert all(a.end <= b.start for a, b in pairwise(outer))
    assert list(read) == sorted(read, key=lambda i: (i.start, i.end))


@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert differences(text, text) == ()


@given(TEXTS, TEXTS)
def test_the_sides_of_a_difference_swap(a: str, b: str) -> None:
    swapped = [(d.kind, d.context, d.response) for d in differences(b, a)]
    assert [(d.kind, d.response, d.context) for d in differences(a, b)] == swapped


@pytest.mark.parametrize("text", ["ſix days", "ſeventy days", "5 dollarſ", "fıve days", "sİx days"])
def test_letters_that_only_fold_to_ascii_do_not_break_the_reader(text: str) -> None:
    assert all(text[i.start : i.end] for i in items(text))


def test_citations_in_an_unusual_place_write_nothing_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    # eyecite warns here with the whole surrounding text, which may be confidential.
    items("privileged 1,500 % § Jones 1,500 1109(a) 500 Smith 1 § 9th")
    items("Id. 5 U.S. 410 at 1 privileged U.S. ' Id. 1.5 supra at 1")
    items("Id. 1 U.S. 1.5 supra at 1")
    assert caplog.records == []


@pytest.mark.parametrize("piece", ["a", "1", "$1,", "“", "§ ", "A. ", "A of ", "1.", "one hundred ", "n't ", "Jan. ", "(1)"])
def test_a_pathological_text_is_read_to_its_end(piece: str) -> None:
    text = (piece * 20_000)[:20_000] + " on 2020-01-05"
    assert found(text, FactKind.DATE) == ["2020-01-05"]


NOTHING = Replaced((), ())


def _written(found: Replaced, ours: str, theirs: str) -> tuple[list[str], list[str]]:
    return [ours[i.start : i.end] for i in found.ours], [theirs[i.start : i.end] for i in found.theirs]


@each(
    ("ours", "theirs", "here", "there"),
    [
        ("The plaintiff bears the burden.", "The defendant bears the burden.", ["plaintiff"], ["defendant"]),
        ("Tenants pay the costs.", "The landlord pays the costs.", ["Tenants"], ["landlord"]),
        ("Inform the supervisory authority.", "Inform the data subject.", ["supervisory authority"], ["data subject"]),
        # Both sides name the same two, the other way round.
        ("The buyer may sue the seller.", "The seller may sue the buyer.", ["buyer", "seller"], ["seller", "buyer"]),
    ],
)
def test_a_role_in_place_of_another_is_found(ours: str, theirs: str, here: list[str], there: list[str]) -> None:
    assert _written(roles(ours, theirs), ours, theirs) == (here, there)
    kinds = [d.kind for d in differences(ours, theirs)]
    assert kinds == [FactKind.ROLE], "a role is not named a second time, as a word in place of another"


@each(
    ("ours", "theirs"),
    [
        ("The plaintiff sues the defendant.", "The plaintiff sued the defendants."),
        ("The plaintiff bears the burden.", "The burden is heavy."),
        ("The plaintiff pays.", "The landlord pays."),
        ("The buyers pay; the seller, and then the buyer.", "The buyer pays the seller."),
        ("", "The seller"),
    ],
)
def test_the_same_roles_and_more_roles_are_none_in_place_of_others(ours: str, theirs: str) -> None:
    assert roles(ours, theirs) == NOTHING


_WORDS = "the|plaintiff|defendants|and|or|at least|at most|court|void|binding|Ärzte|😀|\n|§ 5".split("|")
_TEXTS = st.lists(st.sampled_from(_WORDS), max_size=20).map(" ".join)


@given(_TEXTS, _TEXTS)
def test_both_sides_have_words_or_neither_has_and_sides_change_places(ours: str, theirs: str) -> None:
    for find in (linking_words, roles, terms):
        found = find(ours, theirs)
        assert bool(found.ours) == bool(found.theirs)
        for text, parts in ((ours, found.ours), (theirs, found.theirs)):
            assert all(text[i.start : i.end].strip() and 0 <= i.start < i.end <= len(text) for i in parts)
        assert find(ours, ours) == NOTHING
    assert linking_words(theirs, ours) == Replaced(*reversed(linking_words(ours, theirs)))
    assert roles(theirs, ours) == Replaced(*reversed(roles(ours, theirs)))
