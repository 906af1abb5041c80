"""Dense retrieval against all products worked out in float64, with ties, hostile input and interruptions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import Cancelled, DataError
from groundscope.rag.retrieving.dense import Dense
from groundscope.rag.retrieving.vectors import SLICE
from groundscope.rag.types import Hit
from groundscope.runtime.retention import keeping
from groundscope.text.embedding import Hear
from groundscope.types import Matrix, Passage
from tests.groundscope.rag.embedders import Hashed, heard_by_none, texts_of


def corpus(texts: Sequence[str]) -> list[Passage]:
    return [Passage(f"p{i}", text, f"title {i}") for i, text in enumerate(texts)]


@dataclass
class Given(Hashed):
    """Vectors by text."""

    of: "dict[str, Matrix] | None" = None

    def vectors(self, texts: Sequence[str]) -> Matrix:
        return np.stack([(self.of or {})[t] for t in texts])


def unit(rows: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> Matrix:
    found: Matrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return found


def brute(embedder: Hashed, passages: Sequence[Passage], questions: Sequence[str], k: int) -> list[list[int]]:
    index = embedder.vectors([p.text for p in passages]).astype(np.float64)
    found = []
    for question in embedder.vectors(questions):
        scores = (index * question).sum(axis=1)
        found.append(sorted(range(len(passages)), key=lambda i: (-scores[i], i))[:k])
    return found


def places(found: list[list[Hit]]) -> list[list[int]]:
    return [[hit.passage for hit in hits] for hits in found]


words = st.sampled_from(["deposit", "lease", "rent", "notice", "term"])


@given(
    st.lists(st.lists(words, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=60),
    st.lists(st.lists(words, min_size=1, max_size=2).map(" ".join), min_size=1, max_size=3),
    st.integers(1, 70),
)
def test_the_same_as_every_product_worked_out_with_ties_in_the_order_of_the_corpus(
    texts: list[str], questions: list[str], k: int
) -> None:
    passages, embedder = corpus(texts), Hashed(8)
    with keeping(False):
        found = Dense(embedder).search(passages, questions, k, heard_by_none)
    assert places(found) == brute(embedder, passages, questions, k)
    assert all(len(hits) == min(k, len(texts)) for hits in found)


@pytest.mark.parametrize("asked", [1, 19, 20, 64])
@pytest.mark.parametrize("k", [1, 5, 99, 100, 300])
def test_random_vectors_in_every_way_that_faiss_searches(asked: int, k: int) -> None:
    draw = np.random.default_rng(0)
    # Every text has a twin with another text and the same vector.
    half = unit(draw.normal(size=(1_500, 48)))
    names = texts_of(3_000)
    of = dict(zip(names, np.concatenate([half, half[::-1]]), strict=True))
    of |= {f"q{i}": row for i, row in enumerate(unit(draw.normal(size=(asked, 48))))}
    embedder = Given(of=of)
    questions = [f"q{i}" for i in range(asked)]
    with keeping(False):
        found = Dense(embedder).search(corpus(names), questions, k, heard_by_none)
    assert places(found) == brute(embedder, corpus(names), questions, k)
    for hits in found:
        for one, other in zip(hits[::2], hits[1::2], strict=False):
            assert one.score == other.score
            assert one.passage < other.passage


def test_a_corpus_of_equal_vectors_comes_in_its_own_order() -> None:
    names = texts_of(4_000)
    same = unit(np.ones((1, 16)))[0]
    embedder = Given(of=dict.fromkeys([*names, "q"], same))
    with keeping(False):
        found = Dense(embedder).search(corpus(names), ["q"], 7, heard_by_none)
    assert places(found) == [list(range(7))]


def test_vectors_that_rounding_confuses_are_reported_apart() -> None:
    draw, names = np.random.default_rng(1), texts_of(2_000)
    near = unit(draw.normal(size=(1, 384)) + 1e-7 * draw.normal(size=(2_000, 384)))
    asked = unit(draw.normal(size=(25, 384)))
    of = dict(zip([*names, *(f"q{i}" for i in range(25))], np.concatenate([near, asked]), strict=True))
    questions = [f"q{i}" for i in range(25)]
    with keeping(False):
        found = Dense(Given(of=of)).search(corpus(names), questions, 5, heard_by_none)
    assert places(found) == brute(Given(of=of), corpus(names), questions, 5)


def test_scores_are_cosines_and_fall() -> None:
    [hits] = Dense(Hashed(64)).search(corpus(["rent is due", "rent", "notice of term"]), ["rent"], 3, heard_by_none)
    assert [h.passage for h in hits] == [1, 0, 2]
    assert [h.score for h in hits] == pytest.approx([1.0, 3**-0.5, 0.0], abs=1e-7)


def test_equal_texts_are_embedded_once_and_all_found() -> None:
    embedder = Hashed(64)
    [hits] = Dense(embedder).search(corpus(["rent", "notice", "rent", "rent"]), ["rent"], 3, heard_by_none)
    assert [h.passage for h in hits] == [0, 2, 3]
    assert len({h.score for h in hits}) == 1
    assert embedder.given == ["rent", "notice"]


def test_an_index_is_embedded_once_and_questions_each_time() -> None:
    passages = corpus(texts_of(SLICE + 9))
    embedder = Hashed()
    Dense(embedder).search(passages, [], 5, heard_by_none)
    assert len(embedder.given) == len(passages)
    first = Dense(embedder).search(passages, ["clause 3"], 5, heard_by_none)
    assert Dense(embedder).search(passages, ["clause 3"], 5, heard_by_none) == first
    assert len(embedder.given) == len(passages)
    assert embedder.asked == ["clause 3", "clause 3"]


def test_a_question_without_text_finds_nothing_and_is_not_sent() -> None:
    embedder = Hashed()
    found = Dense(embedder).search(corpus(["rent", "notice"]), ["rent", "  \n\t", "notice"], 1, heard_by_none)
    assert places(found) == [[0], [], [1]]
    assert embedder.asked == ["rent", "notice"]
    assert Dense(embedder).search(corpus(["rent"]), [""], 1, heard_by_none) == [[]]


def test_an_empty_corpus_has_nothing_to_find_and_embeds_nothing() -> None:
    embedder = Hashed()
    assert Dense(embedder).search([], ["rent", "notice"], 3, heard_by_none) == [[], []]
    assert (embedder.given, embedder.asked) == ([], [])


def test_k_below_1_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Dense(Hashed()).search(corpus(["rent"]), ["rent"], 0, heard_by_none)


def test_the_questions_can_be_cancelled_too() -> None:
    told = 0

    def hear(done: int, total: int) -> None:
        nonlocal told
        told += done == total
        if told == 2:
            raise Cancelled

    embedder = Hashed()
    with pytest.raises(Cancelled):
        Dense(embedder).search(corpus(["rent"]), ["rent"], 1, hear)
    assert (embedder.given, embedder.asked) == (["rent"], [])


def test_questions_of_another_dimension_than_the_index_are_named() -> None:
    class Changing(Hashed):
        def questions(self, texts: Sequence[str], hear: Hear) -> Matrix:
            return Hashed(self.dimension + 1).vectors(texts)

    with pytest.raises(DataError, match=r"33 dimensions.* have 32: choose that dimension again, or delete"):
        Dense(Changing()).search(corpus(["rent"]), ["rent"], 1, heard_by_none)


def test_hostile_texts_and_questions_are_only_texts() -> None:
    hostile = ["\0", "\ud800", "<img src=x onerror=alert(1)>", "\u202eesael", "x" * 1_000_000]
    found = Dense(Hashed(256)).search(corpus(hostile), hostile, 1, heard_by_none)
    assert [hits[0].score for hits in found] == pytest.approx([1.0] * len(hostile))
    assert places(found) == [[i] for i in range(len(hostile))]
