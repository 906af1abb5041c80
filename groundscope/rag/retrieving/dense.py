"""Dense retrieval: the passages whose vectors are nearest to the question's, by FAISS (Butler and Butler 2026).

As in the paper, only a passage's text is embedded, and vectors have length 1, so that the inner product is the cosine.

The search compares with every vector, as `IndexFlatIP` does, but where the vectors lie already, without that index's copy of
them. So it is exact: what it misses is the embedder's doing, where an approximate index would add misses of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groundscope.rag.retrieving.vectors import checked, embedded
from groundscope.rag.types import Hit
from groundscope.text.embedding import Embedder, Hear
from groundscope.types import Matrix, Passage

_SPARE = 16
"""Vectors beyond the k-th that are looked at, to see which of them rounding alone keeps out."""
_ROUNDING = 1e-5
"""Products of unit vectors that are further apart in float32 are so in truth."""


@dataclass(frozen=True, slots=True)
class Dense:
    """Retrieval by an embedder; its vectors of passages are kept (see `groundscope.rag.retrieving.vectors`)."""

    embedder: Embedder

    @property
    def signature(self) -> str:
        """The embedder's, and how its vectors are compared."""
        return f"dense|{self.embedder.signature}|inner product, exact"

    def search(self, passages: Sequence[Passage], questions: Sequence[str], k: int, hear: Hear) -> list[list[Hit]]:
        """The k nearest passages of each question; see `Retriever.search`.

        Passages with the same score come in the order of the corpus; those with the same text always have the same score, and are
        embedded once. Without questions the corpus is indexed only. A score is the cosine, -1..1.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        places: dict[str, list[int]] = {}
        for i, passage in enumerate(passages):
            places.setdefault(passage.text, []).append(i)
        results: list[list[Hit]] = [[] for _ in questions]
        asked = [i for i, question in enumerate(questions) if question.strip()]
        if not places:
            return results
        index = embedded(self.embedder, list(places), hear)
        if asked:
            output = self.embedder.questions([questions[i] for i in asked], lambda *_: hear(len(places), len(places)))
            vectors = checked(output, len(asked), index.shape[1])
            at = list(places.values())
            for i, question, near in zip(asked, vectors, _candidates(index, vectors, k), strict=True):
                # In float64 and one by one: equal vectors have equal scores, however FAISS batches its products.
                scores = (index[near].astype(np.float64) * question).sum(axis=1).tolist()
                hits = [Hit(p, score) for j, score in zip(near.tolist(), scores, strict=True) for p in at[j]]
                results[i] = sorted(hits, key=lambda hit: (-hit.score, hit.passage))[:k]
        return results


def _candidates(index: Matrix, questions: Matrix, k: int) -> list[NDArray[np.int64]]:
    """Of each question, the rows among which its k best are, with all that rounding cannot separate from the k-th."""
    import faiss

    nearest: list[NDArray[np.int64]] = [np.empty(0, np.int64)] * len(questions)
    left, count = np.arange(len(questions)), min(k, len(index)) + _SPARE
    while len(left):
        count = min(count, len(index))
        scores, near = faiss.knn(questions[left], index, count, metric=faiss.METRIC_INNER_PRODUCT)
        last = scores[:, min(k, count) - 1] - scores[:, -1]
        settled = (last > _ROUNDING) | (count == len(index))
        for i in np.flatnonzero(settled):
            nearest[left[i]] = near[i]
        left, count = left[~settled], 4 * count
    return nearest
