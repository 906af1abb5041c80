"""Edits: small, of the text's own words, and such that the label is right."""

import re
from collections.abc import Iterator
from itertools import combinations

import pytest

from groundscope.training.pairs import Pair
from models.contrast_pairs import LONGEST, SHORTEST, contrast_pairs
from tests.models.pairs.documents import all_but_one, squares

SEEDS = 25


OTHERS = (
    ["Nobody there is fed well in that old house now."],
    ["Nobody there got bread before that on any day."],
    ["Nobody there got 17 loaves of bread on any day."],
    ["Nobody there knew of Nina Hall or of Omar Lund."],
    ["Nobody there was not fed well in that old house."],
)
"""Of each kind of edit one, so that in their company the first kind by name is not always taken."""


def _made(*sentences: str, seeds: int = SEEDS) -> Iterator[tuple[Pair, Pair]]:
    """The supported pairs of each four of a text, of many seeds: the text as it is, and edited."""
    for seed in range(seeds):
        for one, two, _, _ in squares(contrast_pairs([sentences, *OTHERS], seed=seed)):
            if one.group == "text-0":
                yield one, two


def _edits(*sentences: str) -> set[tuple[str, str]]:
    """What became what."""
    return {all_but_one(one.evidence, two.evidence) for one, two in _made(*sentences)}


# What may be edited into what


@pytest.mark.parametrize(
    ("sentence", "edit"),
    [
        ("Those who came before noon that day got soup.", ("before", "after")),
        ("Those who came early got more soup that day.", ("more", "fewer")),
        ("Those who came that day got 10 bowls of soup.", ("1", "3")),
        ("Those who came in 1950 got bowls of hot soup.", ("0", "1")),
        ("Those who came that day got 1,950 bowls of soup.", ("1,950", "3,900")),
        ("Those who came that day with him were fed well.", ("", " not")),
        ("Those who came that day were not fed at all well.", (" not", "")),
        ("People there paid Paul Smith for Mary Miller.", ("Paul Smith for Mary Miller", "Mary Miller for Paul Smith")),
        ("A reader was sure that parole would be good for it.", ("parole", "probation")),
    ],
)  # fmt: skip
def test_a_known_edit_is_among_those_made(sentence: str, edit: tuple[str, str]) -> None:
    before, after = all_but_one(sentence, sentence.replace(*edit, 1) if edit[0] else sentence.replace("were", "were not", 1))
    assert (before, after) in _edits(sentence)


def test_a_year_becomes_another_year_and_an_amount_stays_one() -> None:
    years = {two.evidence for _, two in _made("Those who came in the cold of 1950 got hot soup.")}
    assert all(1900 < int(re.findall(r"\d{4}", text)[0]) < 2000 for text in years)
    amounts = {two.evidence for _, two in _made("Those people there got a sum of 1,950 pounds.")}
    assert not any(re.search(r"19[3-6]\d", text) for text in amounts)


@pytest.mark.parametrize("figure", ["0", "1", "2", "1.0", "1.9", "0.05", "3.14", "7", "1,000", "1999", "1,999", "2.5", "100"])
def test_another_number_is_another_number(figure: str) -> None:
    sentence = f"Those people there got a sum of {figure} pounds."
    found = {two.evidence for _, two in _made(sentence)}
    assert found
    for text in found:
        (other,) = re.findall(r"[\d.,]*\d", text)
        assert float(other.replace(",", "")) != float(figure.replace(",", ""))


@pytest.mark.parametrize(("capital", "opposites"), [("May", "Must|Will"), ("High", "Low"), ("New", "Old"), ("State", "Federal")])
def test_a_capital_inside_a_sentence_is_a_name_and_no_word_to_turn_round(capital: str, opposites: str) -> None:
    sentence = f"Those people there met with him in {capital} that day."
    for _, two in _made(sentence):
        assert not re.search(opposites, two.evidence)
    plain = sentence.replace(capital, capital.lower())
    assert any(re.search(opposites.lower(), two.evidence) for _, two in _made(plain))


def test_names_that_are_only_listed_do_not_change_places() -> None:
    for listed in ("Paul Smith and Mary Miller", "Paul Smith, Mary Miller or Ann Jones", "Paul Smith & Mary Miller"):
        for one, two in _made(f"People there knew {listed} too."):
            names = [sorted(re.findall(r"Paul Smith|Mary Miller|Ann Jones", p.evidence)) for p in (one, two)]
            # Another one may stand for one of them; the same ones in another order say the same.
            assert names[0] != names[1] or one.evidence.replace("knew", "") == two.evidence.replace("knew not", "").replace(
                "knew", ""
            )


LONG = "word " * 60
TEXTS = (
    (
        "Alder owed Birch 500 euros after the hearing.",
        "The court must hear Cedar before Dogwood pays.",
        "Elder lost 12 acres there.",
    ),
    ("Zander met Yarrow before noon on that cold day.", LONG, "Xylo owed Wisteria 700 dollars, which was late.", "Viola won."),
)


def test_only_one_place_of_one_sentence_changes() -> None:
    for seed in range(SEEDS):
        for one, two, _, _ in squares(contrast_pairs(TEXTS, seed=seed)):
            own = TEXTS[int(one.group[-1])]
            if two.evidence in {" ".join(part) for size in (1, 2) for part in combinations(own, size)}:
                # The neighbours alone: nothing was edited.
                continue
            before, after = all_but_one(one.evidence, two.evidence)
            edited = [s for s in own if s in one.evidence and s not in two.evidence]
            assert len(edited) == 1
            assert len(before) <= len(edited[0])
            assert max(len(before), len(after)) < 80


def test_no_text_comes_from_another_text() -> None:
    own = [{w for s in text for w in re.findall(r"[A-Z][a-z]{2,}|\d+", s)} for text in TEXTS]
    for seed in range(SEEDS):
        for pair in contrast_pairs(TEXTS, seed=seed):
            other = own[1 - int(pair.group[-1])] - {"The"}
            assert not other & set(re.findall(r"\w+", f"{pair.evidence} {pair.sentence}"))


def test_the_unedited_evidence_stands_in_its_text(made: list[Pair], texts: list[list[str]]) -> None:
    whole = [" ".join(s.strip() for s in sentences) for sentences in texts]
    for one, two, _, _ in squares(made):
        text = whole[int(one.group.removeprefix("text-"))]
        # A neighbour too long to be shown is left out between two that are.
        assert one.evidence in text or all(part in text for part in re.split(r"(?<=[.!?]) ", one.evidence))
        assert len(set(re.findall(r"\w+", two.evidence)) - set(re.findall(r"\w+", text))) <= 9


def test_too_short_and_too_long_sentences_are_not_edited() -> None:
    short, long = "He must pay 500 euros soon.", "He must pay 500 euros" + " soon" * 60 + "."
    assert len(short) < SHORTEST < LONGEST < len(long)
    assert contrast_pairs([[short, long]]) == []
    between = "He must pay 500 euros of costs to her soon."
    for one, two in _made(short, between, long):
        assert between in one.evidence
        assert "soon soon" not in one.evidence + two.evidence


QUOTED = "rescission, parole and libel, usually commenced orally"


def test_the_legal_operators_leave_quotations_alone() -> None:
    quoted = f"Reports on that topic increased, and “{QUOTED}” is how it was put."
    found = {two.evidence for _, two in _made(quoted)}
    assert len(found) > 1
    assert all(f"“{QUOTED}”" in text for text in found)
    plain = quoted.replace("“", "").replace("”", "")
    assert any(QUOTED not in two.evidence for _, two in _made(plain))


# Whether the label is right


@pytest.mark.parametrize(
    "sentence",
    [
        "He paid her, which came to 600 euros, all that was owed.",
        "He paid her, which is kept in trust, all of that money.",
        "He paid her, which is not kept in trust, all of that money.",
        "He paid her (some 600 euros) all of that money there.",
        "In the year that followed, he paid her 600 euros in trust.",
        "He paid her all of that money in the spring of 1950.",
        "He paid her money, including 13 rings and 14 books, that day.",
        "Any tenant who paid her money, who must be heard, won it.",
    ],
)
def test_what_was_edited_is_never_left_out_of_a_statement(sentence: str) -> None:
    for one, two in _made(sentence):
        before, after = all_but_one(one.evidence, two.evidence)
        # Said of both, the statements would support each other.
        assert one.sentence != two.sentence
        if before.strip().isdecimal() or after.strip().isdecimal():
            assert re.findall(r"\d+", one.sentence) != re.findall(r"\d+", two.sentence)


@pytest.mark.parametrize("verb", ["is", "is not", "may", "may not"])
def test_what_was_negated_is_never_left_out_of_a_statement(verb: str) -> None:
    sentence = f"He paid her, which {verb} kept in trust, what was that money."
    negated = [(one, two) for one, two in _made(sentence) if ("not kept" in one.evidence) != ("not kept" in two.evidence)]
    assert negated
    for one, two in negated:
        assert ("not" in one.sentence.split()) != ("not" in two.sentence.split())
        assert "trust" in one.sentence
        assert "trust" in two.sentence


def test_a_neighbour_that_says_the_same_does_not_stand_beside_the_edit() -> None:
    sentence = "The landlord owed 600 euros to Okafor then."
    for one, two in _made(sentence, sentence, sentence):
        assert one.evidence == sentence
        assert sentence not in two.evidence
