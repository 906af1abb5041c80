"""Fours of supported pairs, one small edit each, and rewordings: another order, a side remark less, synonyms, nothing else."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.training.pairs import Pair
from models.change_words import OPPOSITES, SAME
from models.edited_pairs import LONGEST, edited_pairs
from models.rewording import reworded

PARTS = (
    "Okafor", "the tenant", "The landlord", "must pay", "may not leave", "shall serve notice on", "is liable", "was not heard",
    "600 euros", "within 14 days", "in 1999", "on 3 May 2020", "before the hearing", "unless the court agrees", "if he asks",
    ", which came to 5 per cent,", "(as the High Court held)", "Smith and Jones", "Lindqvist v. Okafor", "only where", "he",
    '"rescission must follow"', "Section 12(b)", "all claims", "In March,", "When notice is served,", "and", "or", "1", "0.5",
)  # fmt: skip
SENTENCES = st.one_of(
    st.lists(st.sampled_from(PARTS), min_size=3, max_size=14).map(lambda parts: " ".join(parts).strip(" ,") + "."),
    st.text(max_size=120),
    st.text(alphabet='aA1,. (")%must not\n\x00\ud800é½{}\\', max_size=120),
    st.just("The landlord must pay 600 euros to Okafor within 14 days."),
    st.just(""),
)
EVIDENCE = "Within fourteen days, 600 euros are owed by the lessee to Okafor."
STATEMENT = "The tenant must pay 600 euros to Okafor inside two weeks."


def edited(text: str = STATEMENT) -> list[list[Pair]]:
    return [edited_pairs([Pair(EVIDENCE, text, 1.0, "g")], seed=seed) for seed in range(60)]


@given(st.lists(st.lists(SENTENCES, max_size=7), max_size=4), st.integers(0, 3))
def test_every_four_holds_both_labels_of_each_text(documents: list[list[str]], seed: int) -> None:
    pairs = edited_pairs([Pair(" ".join(d), s, 1.0, f"text-{i}") for i, d in enumerate(documents) for s in d], seed=seed)
    assert len(pairs) % 4 == 0
    for first, second, third, fourth in (pairs[i : i + 4] for i in range(0, len(pairs), 4)):
        assert [first.label, second.label, third.label, fourth.label] == [1.0, 0.0, 1.0, 0.0]
        assert (first.evidence, third.evidence) == (second.evidence, fourth.evidence)
        assert (first.sentence, second.sentence) == (fourth.sentence, third.sentence)
        assert first.sentence != second.sentence
        assert (first.wrong, third.wrong) == (None, None)
        assert second.wrong is not None
        assert fourth.wrong is not None
        # Outside of what is told to be wrong both statements are the same.
        (start, end), (begin, stop) = second.wrong, fourth.wrong
        assert start == begin
        assert second.sentence[:start] + second.sentence[end:] == fourth.sentence[:begin] + fourth.sentence[stop:]
        assert {first.group, second.group, third.group, fourth.group} == {first.group}
    for texts in ([(p.sentence, p.label) for p in pairs], [(p.evidence, p.label) for p in pairs]):
        counts = Counter(texts)
        assert all(counts[text, 1.0] == counts[text, 0.0] for text, _ in counts)


def test_what_stands_in_both_texts_is_changed_in_both_and_else_the_edited_statement_is_evidence() -> None:
    numbers, weeks = ([four for four in edited() if text not in four[1].sentence] for text in ("600", "two weeks"))
    assert numbers
    assert weeks
    for _, wrong, right, _ in numbers:
        new = wrong.sentence.removeprefix("The tenant must pay ").partition(" ")[0]
        assert right.evidence == EVIDENCE.replace("600", new)
        assert wrong.evidence == EVIDENCE
    for _, wrong, right, _ in weeks:
        assert right.sentence == wrong.sentence
        assert not {"two", "2", "fourteen"} & set(right.evidence.split())


def test_only_supported_pairs_of_some_length_are_edited() -> None:
    assert edited_pairs([Pair(EVIDENCE, STATEMENT, 0.0, "g")]) == []
    for text in ("Indeed so.", STATEMENT.ljust(LONGEST + 1, ".")):
        assert not any(edited(text))


def _all_of(sentence: str, *protected: str) -> set[str]:
    return {reworded(sentence, random.Random(seed), set(protected)) for seed in range(200)}  # noqa: S311 - no secret


@pytest.mark.parametrize(
    ("sentence", "others"),
    [
        ("Because it rained, the man kept all of it.", ["The man kept all of it because it rained."]),
        ("Okafor kept all of it, because it rained.", ["Because it rained, Okafor kept all of it."]),
        ("He kept it all (as he had to), and then he left.", ["He kept it all, and then he left."]),
        ("He kept all of the money in the old house.", ["He kept all of the money."]),
        # What is left would be too short to say much.
        ("He kept it in the old house.", []),
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
    for words in (["600"], ["euros"], ["CAME"]):
        assert without not in _all_of(sentence, *words)
    assert without in _all_of(sentence, "owed", "60", "eur")


WORDS = [w for line in SAME for w in line] + [w for pair in OPPOSITES for w in pair]


@given(st.lists(st.sampled_from([*WORDS, ",", "600", "Okafor", "(so)", "which"]), max_size=25).map(" ".join), st.integers(0, 9))
def test_rewording_adds_no_word_but_synonyms(text: str, seed: int) -> None:
    allowed = set(text.casefold().split()) | {w.casefold() for line in SAME for way in line for w in way.split()}
    words = reworded(text, random.Random(seed), set()).casefold().split()  # noqa: S311 - no secret
    assert {w.strip(",.()") for w in words} <= {w.strip(",.()") for w in allowed}


def test_no_edit_is_a_synonym() -> None:
    alike = {frozenset((a, b)) for line in SAME for a in line for b in line}
    assert not [pair for pair in OPPOSITES if frozenset(pair) in alike or len(set(pair)) < 2 or "" in pair]
