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
            Cancelled: raised by `hear`.
        """

    def questions(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """Embed questions.

        Args:
            texts: n texts.
            hear: progress callback; may raise `Cancelled`.

        Returns:
            (n, d) float32, rows of length 1; to be compared with those of `passages`.

        Raises:
            ScorerUnavailable: it cannot be used here; the message says what to do.
            BudgetSpent: the budget does not cover the next request.
            Cancelled: raised by `hear`.
        """


class OfferedEmbedder(Embedder, Protocol):
    """An embedder with what users need to know before they send texts to it."""

    @property
    def title(self) -> str:
        """Name of the model for users."""

    @property
    def licence(self) -> str:
        """Licence or terms of use."""

    @property
    def address(self) -> str:
        """Host that receives the texts; empty if they stay on this machine."""

    @property
    def slice_size(self) -> int:
        """Number of texts to pass in one call if the caller saves partial results."""

    def unavailable(self) -> str:
        """Check whether it can be used here; sends nothing.

        Returns:
            Why it cannot and what to do; empty if it can.
        """

    def price(self, texts: Sequence[str]) -> float | None:
        """Estimate the cost of embedding texts.

        Args:
            texts: equal ones are paid for once.

        Returns:
            Upper bound in US dollars; None = unknown.

        Raises:
            ModelUnavailable: the user's table of prices cannot be read.
        """

    def tokens(self, text: str) -> int:
        """Count the tokens of a text.

        Args:
            text: of any length; nothing is cut off.

        Returns:
            The exact number if the tokenizer is on this machine, else an overestimate.

        Raises:
            ScorerUnavailable: it cannot be used here.
        """

    def cut(self, texts: Sequence[str]) -> int | None:
        """Count the passages that are longer than the model's input; their ends are left out.

        Args:
            texts: whole passages.

        Returns:
            Number of such passages; None = the provider does not say.

        Raises:
            ScorerUnavailable: it cannot be used here.
        """

    def reads(self) -> int | None:
        """State how long a passage the model reads.

        Returns:
            The longest passage in tokens; None = no limit, or the provider does not say.

        Raises:
            ScorerUnavailable: it cannot be used here.
        """


class EmbedderOffer(NamedTuple):
    """An embedder as a page lists it.

    Attributes:
        id: the line that `groundscope.methods.registry.embedder` takes.
        title: name for users.
        address: host that receives the texts; empty = this machine.
        missing: why it cannot be used here and what to do; empty if it can.
    """

    id: str
    title: str
    address: str
    missing: str
