"""Second steps of retrieval: search the pieces of passages, or rerank what a first retriever returned."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan

from groundscope.errors import ModelUnavailable, ScorerUnavailable
from groundscope.rag.corpora.documents import cut
from groundscope.rag.extracting import Extracting
from groundscope.rag.types import Hit, Retriever, found_in
from groundscope.text.embedding import Hear
from groundscope.types import Passage


@dataclass(frozen=True)
class Pieces:
    """Cuts passages, then searches the pieces.

    A piece keeps the id of its passage: it counts as relevant where its passage does, whichever piece holds the answer.

    `size`: tokens of a piece, at least 1.
    """

    first: Retriever
    size: int
    count: Callable[[str], int]
    counted_by: str

    @property
    def signature(self) -> str:
        """What searches, how long the pieces are and who counts."""
        return f"{self.first.signature}|pieces={self.size} tokens of {self.counted_by}"

    def search(self, passages: Sequence[Passage], questions: Sequence[str], k: int, hear: Hear) -> list[list[Hit]]:
        """Find the k best pieces of each question; see `Retriever.search`. Also raises `DataError` where a text cannot be cut."""
        whole = [Hit(i, 0.0, *span) for i, p in enumerate(passages) for span in cut(p.text, self.count, self.size)]
        best = self.first.search([found_in(passages, hit) for hit in whole], questions, k, hear)
        return [[whole[hit.passage]._replace(score=hit.score) for hit in hits] for hits in best]


POOL = 50
"""Passages that are ordered again, at least."""


@dataclass(frozen=True)
class Reranked:
    """Orders again what a retriever found."""

    first: Retriever
    by: Extracting

    @property
    def signature(self) -> str:
        """Both, and how many passages are ordered again."""
        return f"{self.first.signature}|best of {POOL} by {self.by.signature}"

    def search(self, passages: Sequence[Passage], questions: Sequence[str], k: int, hear: Hear) -> list[list[Hit]]:
        """Find the k best passages of each question; see `Retriever.search`. Scores are those of the second step."""
        pools = self.first.search(passages, questions, max(k, POOL), hear)
        results = []
        for n, (question, pool) in enumerate(zip(questions, pools, strict=True)):
            hear(n, len(questions))
            try:
                scores = self.by.passage_scores(question, [found_in(passages, hit) for hit in pool]) if pool else []
            except ModelUnavailable as error:
                raise ScorerUnavailable(str(error)) from error
            ranked = sorted(zip(scores, pool, strict=True), key=lambda one: (isnan(one[0]), -one[0]))
            # JSON has no number for a passage without a score.
            results.append([hit._replace(score=0.0 if isnan(score) else score) for score, hit in ranked[:k]])
        return results
