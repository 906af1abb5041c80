"""Retrieval of pieces of passages: each passage is cut at its paragraphs or sentences, and what is found is a piece."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from groundscope.rag.corpora.documents import cut
from groundscope.rag.types import Hit, Retriever, found_in
from groundscope.text.embedding import Hear
from groundscope.types import Passage


@dataclass(frozen=True)
class Pieces:
    """Cuts passages, then searches the pieces.

    A piece keeps the id of its passage: it counts as relevant where its passage does, whichever piece holds the answer.

    Attributes:
        size: tokens of a piece, at least 1.
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
