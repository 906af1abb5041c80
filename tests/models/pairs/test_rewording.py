"""Rewordings: another order, a side remark less, synonyms, and nothing else."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.change_words import OPPOSITES, SAME
from models.rewording import reworded


def _draw(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - no secret


def _all_of(sentence: str, *protected: str, seeds: int = 200) -> set[str]:
    return {reworded(sentence, _draw(seed), set(protected)) for seed in range(seeds)}


@pytest.mark.parametrize(
    ("sentence", "others"),
    [
        ("He kept it.", []),
        ("Because it rained, the man kept all of it.", ["The man kept all of it because it rained."]),
        ("The man kept all of it because it rained.", ["Because it rained, the man kept all of it."]),
        ("Okafor kept all of it, because it rained.", ["Because it rained, Okafor kept all of it."]),
        ("He kept it all (as he had to), and then he left.", ["He kept it all, and then he left."]),
        ("He kept all of the money in the old house.", ["He kept all of the money."]),
        # What is left would be too short to say much.
        ("He kept it in the old house.", []),
        (
            "On that cold day, he kept all of the money.",
            ["He kept all of the money on that cold day.", "He kept all of the money."],
        ),
        ("The firm left.", ["The company left.", "The business left."]),
        ("He had twelve cats.", ["He had 12 cats."]),
    ],
)
def test_a_sentence_is_said_in_just_these_ways(sentence: str, others: list[str]) -> None:
    assert _all_of(sentence) == {sentence, *others}


def test_a_side_remark_with_a_protected_word_stays() -> None:
    sentence = "The man paid her, which came to 600 Euros, all that he owed."
    without = "The man paid her, all that he owed."
    assert without in _all_of(sentence)
    for words in (["600"], ["euros"], ["Euros"], ["CAME"], ["no such", "600"]):
        assert without not in _all_of(sentence, *words)
    assert without in _all_of(sentence, "owed", "60", "eur")


WORDS = [w for line in SAME for w in line] + [w for pair in OPPOSITES for w in pair]


@given(st.lists(st.sampled_from([*WORDS, ",", "600", "Okafor", "(so)", "which"]), max_size=25).map(" ".join), st.integers(0, 9))
def test_rewording_adds_no_word_but_synonyms(text: str, seed: int) -> None:
    known = set(text.casefold().split()) | {w.casefold() for line in SAME for way in line for w in way.split()}
    said = reworded(text, _draw(seed), set())
    assert {w.strip(",.()") for w in said.casefold().split()} <= {w.strip(",.()") for w in known}


@given(st.text(max_size=200), st.integers(0, 9))
def test_rewording_takes_any_text(text: str, seed: int) -> None:
    assert reworded(text, _draw(seed), set()) == reworded(text, _draw(seed), set())


def test_no_edit_is_a_synonym() -> None:
    alike = {frozenset((a, b)) for line in SAME for a in line for b in line}
    assert not [pair for pair in OPPOSITES if frozenset(pair) in alike]
    assert not [pair for pair in OPPOSITES if len(set(pair)) < 2 or "" in pair]
