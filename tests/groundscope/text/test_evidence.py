"""Which context sentences are read for a sentence: counted by hand, and the same ones however the sources come."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.text.evidence import content_words, evidence_of, likeness

CLAIM = "The tenant paid 900 euros to Okafor."
TEXTS = ["Okafor got 900 euros.", "The tenant paid nobody.", "It was a warm day."]


def test_likeness_is_the_cosine_and_a_quarter_of_the_shared_words_with_figures_and_names_twice() -> None:
    # Content words: tenant 1, paid 1, 900 2, euros 1, okafor 2; together 7.
    alike = likeness(np.array([[0.4, 0.5, -0.3]]), [CLAIM], TEXTS)
    assert alike.tolist() == [pytest.approx([0.4 + 0.25 * 5 / 7, 0.5 + 0.25 * 2 / 7, 0.0])]


def test_a_sentence_without_content_words_goes_by_meaning_alone() -> None:
    assert likeness(np.array([[0.4, 0.5]]), ["It is so."], TEXTS[:2]).tolist() == [[0.4, 0.5]]
    assert content_words("The Court’s order is final.") == ["court's", "order", "final"]


def test_the_most_alike_stands_last_and_what_is_much_less_alike_is_left_out() -> None:
    texts = ["a", "b", "c", "d"]
    assert evidence_of(np.array([0.61, 1.0, 0.59, 0.8]), texts, 8) == [0, 3, 1]
    assert evidence_of(np.array([0.61, 1.0, 0.59, 0.8]), texts, 2) == [3, 1]
    assert evidence_of(np.array([0.0, 0.0]), texts[:2], 8) == [1, 0]
    assert evidence_of(np.array([]), [], 8) == []


@given(st.permutations(range(5)), st.integers(1, 6))
def test_turned_and_repeated_sources_give_the_same_evidence(order: list[int], count: int) -> None:
    texts, alike = ["a", "b", "b", "c", "d"], np.array([0.7, 0.9, 0.9, 0.9, 0.75])
    plain = [texts[j] for j in evidence_of(alike, texts, count)]
    turned = [texts[j] for j in order]
    assert [turned[j] for j in evidence_of(alike[order], turned, count)] == plain
    assert plain == [["a", "d", "c", "b"][-count:], ["a", "d", "c", "b"]][count > 3]
