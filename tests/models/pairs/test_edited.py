"""Fours of supported pairs: one small edit of the statement, and of the evidence where the same words stand there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.training.pairs import Pair
from models.edited_pairs import LONGEST, edited_pairs
from tests.models.pairs.documents import DOCUMENTS, by_label

ODD = {
    "NUL": "The tenant\x00 must pay 600\x00 euros to Okafor before noon.",
    "lone surrogates": "The tenant \ud800 must pay 600 \udfff euros to Okafor before noon.",
    "right to left": "The term \u202e must pay 600\u202c euros \u2067בית המשפט\u2069 before noon.",
    "emoji": "👩🏽‍⚖️ The tenant must pay 600 🎉 euros to Okafor 🇫🇷 before noon. 👍",
    "format strings": "The tenant %s must {0} pay {x!r} $600 \\1 \\g<0> to Okafor before noon.",
    "a number without an end": "The tenant must find " + "9" * 200 + " keys of Okafor.",
    "a fraction sign": "The tenant must pay ½ and ² of 600 euros to Okafor before noon.",
}
EVIDENCE = "Within fourteen days, 600 euros are owed by the lessee to Okafor."
STATEMENT = "The tenant must pay 600 euros to Okafor inside two weeks."


def supported(documents: list[list[str]]) -> list[Pair]:
    """Every sentence with its whole text as evidence."""
    return [Pair(" ".join(d), s, 1.0, f"text-{i}") for i, d in enumerate(documents) for s in d]


@given(DOCUMENTS, st.integers(0, 3))
def test_every_four_holds_both_labels_of_each_text(documents: list[list[str]], seed: int) -> None:
    made = edited_pairs(supported(documents), seed=seed)
    assert len(made) % 4 == 0
    for one, two, three, four in (made[i : i + 4] for i in range(0, len(made), 4)):
        assert [one.label, two.label, three.label, four.label] == [1.0, 0.0, 1.0, 0.0]
        assert (one.evidence, three.evidence) == (two.evidence, four.evidence)
        assert (one.sentence, two.sentence) == (four.sentence, three.sentence)
        assert one.sentence != two.sentence
        assert (one.wrong, three.wrong) == (None, None)
        assert two.wrong is not None
        assert four.wrong is not None
        # Outside of what is told to be wrong both statements are the same.
        (start, end), (begin, stop) = two.wrong, four.wrong
        assert start == begin
        assert two.sentence[:start] + two.sentence[end:] == four.sentence[:begin] + four.sentence[stop:]
        assert {one.group, two.group, three.group, four.group} == {one.group}
    for texts in ([(p.sentence, p.label) for p in made], [(p.evidence, p.label) for p in made]):
        assert all(yes == no for yes, no in by_label(texts).values())


def test_what_stands_in_both_texts_is_changed_in_both() -> None:
    fours = [edited_pairs([Pair(EVIDENCE, STATEMENT, 1.0, "g")], seed=seed) for seed in range(60)]
    numbers = [f for f in fours if "600" not in f[1].sentence]
    assert numbers
    for _, wrong, right, _ in numbers:
        new = wrong.sentence.removeprefix("The tenant must pay ").partition(" ")[0]
        assert right.evidence == EVIDENCE.replace("600", new)
        assert wrong.evidence == EVIDENCE


def test_what_stands_in_the_statement_alone_has_the_edited_statement_as_evidence() -> None:
    fours = [edited_pairs([Pair(EVIDENCE, STATEMENT, 1.0, "g")], seed=seed) for seed in range(60)]
    weeks = [f for f in fours if "two weeks" not in f[1].sentence]
    assert weeks
    for _, wrong, right, _ in weeks:
        assert wrong.evidence == EVIDENCE
        assert right.sentence == wrong.sentence
        assert "Okafor" in right.evidence
        assert not {"two", "2", "fourteen"} & set(right.evidence.split())


def test_only_supported_pairs_of_some_length_are_edited() -> None:
    assert edited_pairs([]) == []
    assert edited_pairs([Pair(EVIDENCE, STATEMENT, 0.0, "g")]) == []
    assert edited_pairs([Pair(EVIDENCE, "Indeed so.", 1.0, "g")]) == []
    assert edited_pairs([Pair(EVIDENCE, STATEMENT.ljust(LONGEST + 1, "."), 1.0, "g")]) == []


def test_the_same_seed_makes_the_same_pairs() -> None:
    pairs = [Pair(EVIDENCE, f"{STATEMENT} {i} of them are not late.", 1.0, "g") for i in range(30)]
    assert edited_pairs(pairs, seed=1) == edited_pairs(pairs, seed=1)
    assert edited_pairs(pairs, seed=1) != edited_pairs(pairs, seed=2)


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_an_odd_text_makes_balanced_pairs_or_none(text: str) -> None:
    for seed in range(8):
        found = edited_pairs([Pair(text, STATEMENT, 1.0, "a"), Pair(EVIDENCE, text, 1.0, "b")], seed=seed)
        assert all(yes == no for yes, no in by_label((p.sentence, p.label) for p in found).values())
        assert all(p.evidence.strip() and p.sentence.strip() for p in found)
