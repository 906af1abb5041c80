"""Picking: all that fits, else what the sentences need, in order, and a sentence that says what was not read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.rag.retrieving.bm25 import Bm25
from groundscope.review.picking import pick, unread_words
from groundscope.types import Passage

LEASE = [
    Passage(str(n), f"Clause {n} on {topic}. " + f"The {topic} is settled here. " * 20, f"lease.pdf, {n}. {topic}", ((0, n),))
    for n, topic in enumerate(["rent", "deposit", "notice", "repairs", "garden", "pets", "noise", "keys"], 1)
]


def test_sources_that_fit_are_all_read() -> None:
    found = pick(LEASE, "q", "A.", [])
    assert [p.text for p in found.passages] == [p.text for p in LEASE]
    assert [p.id for p in found.passages] == [f"p{n}" for n in range(1, 9)]
    assert unread_words(found.unread, len(LEASE)) == ""


def test_each_sentence_gets_its_passage_and_the_rest_is_named() -> None:
    response = "Costs\n\nThe pets need consent. The keys are returned. The notice is in writing."
    found = pick(LEASE, "What of the deposit?", response, [Bm25()], most=2_600)
    assert [p.source for p in found.passages] == [
        "lease.pdf, 2. deposit",
        "lease.pdf, 3. notice",
        "lease.pdf, 6. pets",
        "lease.pdf, 8. keys",
    ]
    words = unread_words(found.unread, len(LEASE))
    assert words.startswith("4 of 8 passages of the sources were read")
    assert words.endswith("Not read: lease.pdf (pp. 1, 4–5, 7).")


@given(st.lists(st.integers(1, 400), min_size=1, max_size=20), st.integers(1, 2_000))
def test_a_choice_fits_and_loses_nothing(lengths: list[int], most: int) -> None:
    passages = [Passage(str(n), f"{n} {'word ' * size}"[: size + 3], f"{n % 3}.txt") for n, size in enumerate(lengths)]
    found = pick(passages, "word", "A word. Another word.", [Bm25()], most)
    assert len(found.passages) + len(found.unread) == len(passages)
    assert sum(len(p.text) for p in found.passages) <= max(most, len(passages[0].text))
    assert found.passages
    texts = [p.text for p in found.passages]
    assert texts == [p.text for p in passages if p.text in texts]


@pytest.mark.parametrize("count", [1, 30])
def test_documents_that_were_not_read_are_named_up_to_a_number(count: int) -> None:
    words = unread_words([Passage("1", "x", f"file{n}, old.txt, 1. A") for n in range(count)], count + 1)
    assert ("and 18 more" in words) == (count == 30)
    assert "file0, old.txt" in words
    assert "1. A" not in words
