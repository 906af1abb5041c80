"""Interface of the embedders, which turn texts into vectors."""

from collections.abc import Callable, Sequence
from typing import Protocol

from groundscope.types import Matrix

Hear = Callable[[int, int], None]
"""Called with (done, total) counts of texts; may raise `Cancelled`."""


class Embedder(Protocol):
    """Embeds texts; questions and passages may be embedded differently."""

    @property
    def signature(self) -> str:
        """Model, revision, precision and every option: vectors of one signature are comparable."""

    def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """Embed n passages: (n, d) float32, rows of length 1; `hear` may raise `Cancelled`.

        Raises `ScorerUnavailable`, which says what to do, or `BudgetSpent` where the budget does not cover the next request.
        """

    def questions(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """As `passages`, for questions; the vectors are to be compared with those of `passages`."""
