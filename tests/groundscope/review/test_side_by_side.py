"""Two answers aligned: every sentence once, in order, pairs where they are alike, and what differs in them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components import case_sets
from groundscope.models import embedders
from groundscope.review.decisions import claims
from groundscope.review.side_by_side import ALIKE, side_by_side
from groundscope.text.facts import FactKind
from groundscope.text.sentences import split

FIRST = "Rent\n\nThe rent is $913. Notice is due within one month. He may sue."
SECOND = "Notice is due within two months. The rent is $950. The court decides."


def cosines(first: str, second: str) -> np.ndarray:
    embedder = embedders.embedder("minilm")
    a, b = ([t[split(t)[i].start : split(t)[i].end] for i in claims(t)] for t in (first, second))
    found: np.ndarray = embedder.passages(a, lambda *_: None) @ embedder.passages(b, lambda *_: None).T
    return found


def test_pairs_differences_and_what_one_says_alone() -> None:
    rows = side_by_side(FIRST, SECOND, np.array([[0.1, 0.9, 0.2], [0.8, 0.3, 0.1], [0.4, 0.2, ALIKE - 0.01]], np.float32))
    assert [(r.first, r.second) for r in rows] == [(1, 1), (2, 0), (None, 2), (3, None)]
    kinds = [[d.kind for d in r.differs] for r in rows]
    assert kinds == [[FactKind.MONEY], [FactKind.NUMBER], [], []]
    with pytest.raises(ValueError, match="3 by 3"):
        side_by_side(FIRST, SECOND, np.zeros((2, 3), np.float32))


def test_where_no_value_differs_the_words_do() -> None:
    first, second = "The exception for records of a business applies.", "The exception for recorded recollection applies."
    (row,) = side_by_side(first, second, np.ones((1, 1), np.float32))
    assert [[text[a:b] for a, b in spans] for text, spans in zip((first, second), row.words, strict=True)] == [
        ["records of a business"],
        ["recorded recollection"],
    ]
    (row,) = side_by_side(first, first.upper(), np.ones((1, 1), np.float32))
    assert row.words == ((), ())


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, 99))
def test_each_sentence_is_in_one_row_and_the_first_answer_keeps_its_order(n: int, m: int, seed: int) -> None:
    first, second = ("\n".join(f"It is number {k} here." for k in range(count)) for count in (n, m))
    similarity = np.random.default_rng(seed).random((len(claims(first)), len(claims(second)))).astype(np.float32)
    rows = side_by_side(first, second, similarity)
    assert [r.first for r in rows if r.first is not None] == claims(first)
    assert sorted(r.second for r in rows if r.second is not None) == claims(second)
    pairs = [(r.first, r.second) for r in rows if r.first is not None and r.second is not None]
    assert all(similarity[claims(first).index(a), claims(second).index(b)] >= ALIKE for a, b in pairs)


def test_a_changed_answer_is_aligned_with_what_it_was_made_from() -> None:
    cases = {c.id: c for c in case_sets.sets()[case_sets.SAMPLES].cases}
    made = [(cases[c.parent], c) for c in cases.values() if c.parent in cases][:40]
    right = total = 0
    for parent, case in made:
        if len(claims(parent.response)) == len(claims(case.response)):
            rows = side_by_side(parent.response, case.response, cosines(parent.response, case.response))
            right += sum(r.first == r.second for r in rows)
            total += len(claims(case.response))
    assert total > 150
    assert right / total > 0.97
