"""Interface of the embedders, which turn texts into vectors."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from groundscope.types import Matrix

Hear = Callable[[int, int], None]
"""Called with (done, total) counts of texts; may raise `Cancelled`."""


class Embedder(Protocol):
    """Embeds texts; questions and passages may be embedded differently."""

    @property
    def signature(self) -> str:
        """Model, revision, precision and every option: vectors of one signature are comparable."""

    def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """Embed passages.

        Args:
            texts: n texts.
            hear: progress callback; may raise `Cancelled`.

        Returns:
            (n, d) float32, rows of length 1.

        Raises:
            ScorerUnavailable: it cannot be used here; the message says what to do.
            BudgetSpent: the budget does not cover the next request.
        """

    def questions(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """As `passages`, for questions; the vectors are to be compared with those of `passages`."""


class OfferedEmbedder(Embedder, Protocol):
    """An embedder with what users need to know before they send texts to it."""

    @property
    def title(self) -> str:
        """Name of the model for users."""

    @property
    def address(self) -> str:
        """Host that receives the texts; empty if they stay on this machine."""

    @property
    def slice_size(self) -> int:
        """Number of texts to pass in one call if the caller saves partial results."""

    def unavailable(self) -> str:
        """Check whether it can be used here; sends nothing."""

    def price(self, texts: Sequence[str]) -> float | None:
        """Estimate the cost of embedding texts.

        Raises:
            ModelUnavailable: the user's table of prices cannot be read.
        """

    def tokens(self, text: str) -> int:
        """Count the tokens of a text."""

    def cut(self, texts: Sequence[str]) -> int | None:
        """Count the passages that are longer than the model's input; their ends are left out."""

    def reads(self) -> int | None:
        """State how long a passage the model reads."""


class EmbedderOffer(NamedTuple):
    """An embedder as a page lists it.

    `address`: host that receives the texts; empty = this machine. `missing`: why it cannot be used here and what to do; empty
    if it can.
    """

    id: str
    title: str
    address: str
    missing: str
