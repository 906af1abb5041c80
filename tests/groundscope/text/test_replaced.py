"""Words in place of others: linking words, roles and other words; nothing where sentences are alike or far apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.text.differences import Replaced, differences, linking_words, other_words, roles
from groundscope.text.facts import FactKind, Item
from tests.loops import each

NOTHING = Replaced((), ())


def _written(found: Replaced, ours: str, theirs: str) -> tuple[list[str], list[str]]:
    return [ours[i.start : i.end] for i in found.ours], [theirs[i.start : i.end] for i in found.theirs]


@each(
    ("ours", "theirs", "here", "there"),
    [
        ("The plaintiff bears the burden.", "The defendant bears the burden.", ["plaintiff"], ["defendant"]),
        ("Tenants pay the costs.", "The landlord pays the costs.", ["Tenants"], ["landlord"]),
        (
            "The controller informs the supervisory authority.",
            "The controller informs the data subject.",
            ["supervisory authority"],
            ["data subject"],
        ),
        # Both sides name the same two, the other way round.
        (
            "The buyer may sue the seller.",
            "The seller may sue the buyer.",
            ["buyer", "seller"],
            ["seller", "buyer"],
        ),
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


@pytest.mark.parametrize(
    ("ours", "theirs", "here", "there"),
    [
        ("A reasonable belief is enough to arrest.", "A probable belief is enough to arrest.", ["reasonable"], ["probable"]),
        (
            "The deed is void for want of clear and convincing evidence.",
            "The deed is void for want of sufficient evidence.",
            ["clear and convincing"],
            ["sufficient"],
        ),
        ("The court found the contract binding.", "The court found the contract voidable.", ["binding"], ["voidable"]),
    ],
)
def test_a_word_in_place_of_another_is_found_in_a_like_sentence(
    ours: str, theirs: str, here: list[str], there: list[str]
) -> None:
    assert _written(other_words(ours, theirs), ours, theirs) == (here, there)


@each(
    ("ours", "theirs"),
    [
        ("The court found the contract binding.", "The court found the contracts binding."),  # one stem
        ("The court found the contract binding.", "The tenant paid rent in June."),  # another sentence
        ("It is for the court.", "It was by the court."),  # small words
        ("The old red brick house fell down.", "The new small white wooden shed fell down."),  # more than two words
        ("Word " * 130, "Word " * 129 + "other"),  # too long
        ("", "A"),
    ],
)
def test_nothing_is_found_where_sentences_say_the_same_or_are_not_alike(ours: str, theirs: str) -> None:
    assert other_words(ours, theirs) == NOTHING


def test_words_of_facts_are_not_compared() -> None:
    ours, theirs = "He paid five dollars to the clerk.", "He paid three euros to the clerk."
    assert _written(other_words(ours, theirs), ours, theirs) == (["five dollars"], ["three euros"])
    facts = [[Item(FactKind.MONEY, 8, 20, "5")], [Item(FactKind.MONEY, 8, 19, "3")]]
    assert other_words(ours, theirs, facts) == NOTHING


_WORDS = (
    "the",
    "plaintiff",
    "defendants",
    "and",
    "or",
    "at least",
    "at most",
    "court",
    "void",
    "binding",
    "Ärzte",
    "😀",
    "\n",
    "§ 5",
)
_TEXTS = st.lists(st.sampled_from(_WORDS), max_size=20).map(" ".join)


@given(_TEXTS, _TEXTS)
def test_both_sides_have_words_or_neither_has_and_sides_change_places(ours: str, theirs: str) -> None:
    for find in (linking_words, roles, other_words):
        found = find(ours, theirs)
        assert bool(found.ours) == bool(found.theirs)
        for text, items in ((ours, found.ours), (theirs, found.theirs)):
            assert all(text[i.start : i.end].strip() and 0 <= i.start < i.end <= len(text) for i in items)
        assert find(ours, ours) == NOTHING
    assert linking_words(theirs, ours) == Replaced(*reversed(linking_words(ours, theirs)))
    assert roles(theirs, ours) == Replaced(*reversed(roles(ours, theirs)))
