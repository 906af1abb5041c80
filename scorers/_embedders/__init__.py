"""Embedders for retrieval: the bundled model, models of this machine, and providers; each built from one line of text.

    minilm
    local:FOLDER_OR_HUB_ID
    openai:text-embedding-3-large, isaacus:kanon-2-embedder, google:gemini-embedding-001

Import nothing heavy and reach nobody until vectors are asked for.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from evaluation.rag.types import Embedder
from scorers._embedders import local
from scorers._embedders.minilm import MiniLM
from scorers._embedders.remote import Remote
from scorers._embedders.services import SERVICES, parse


class OfferedEmbedder(Embedder, Protocol):
    """An embedder with what its users must know before texts are handed to it."""

    @property
    def title(self) -> str:
        """The model's name for people."""

    @property
    def licence(self) -> str:
        """Under which licence or terms it is used."""

    @property
    def address(self) -> str:
        """The host that texts go to; empty = nowhere."""

    @property
    def slice_size(self) -> int:
        """Texts that a caller who keeps what came should hand over at a time."""

    def unavailable(self) -> str:
        """Why it cannot be used here, with the mend; empty = it can."""

    def price(self, texts: Sequence[str]) -> float | None:
        """What embedding texts costs at most in US dollars; None = not known.

        Raises:
            ModelUnavailable: the user's table of prices cannot be read.
        """

    def tokens(self, text: str) -> int:
        """How many tokens a text has: by the model's tokenizer where it is on this machine, else rather too many than too few.

        Raises:
            ScorerUnavailable: it cannot be used here.
        """

    def cut(self, texts: Sequence[str]) -> int | None:
        """How many passages are longer than the model reads, so that their ends are left out; None = the provider does not say.

        Raises:
            ScorerUnavailable: it cannot be used here.
        """

    def reads(self) -> int | None:
        """Tokens of a passage that the model reads at most; None = all of them, or the provider does not say.

        Raises:
            ScorerUnavailable: it cannot be used here.
        """


class Offer(NamedTuple):
    """An embedder as a page lists it: `id` is what `embedder` takes, `missing` why it cannot be used here, with the mend."""

    id: str
    title: str
    address: str
    missing: str


@lru_cache(maxsize=64)
def embedder(line: str) -> OfferedEmbedder:
    """The embedder of a line; one object a process, so that all who use it share what it holds.

    Raises:
        ValueError: the line means nothing.
    """
    line = line.strip()
    kind = line.partition(":")[0]
    if line == "minilm":
        return MiniLM()
    if line.startswith("local:"):
        return local.parse(line)
    if kind in SERVICES and line != kind:
        return Remote(parse(line))
    raise ValueError(f"An embedder is written minilm, local:FOLDER or provider:model with one of {', '.join(SERVICES)}.")


def embedders() -> tuple[Offer, ...]:
    """What can be chosen without writing a line by hand; those of this machine first."""
    lines = ("minilm", *(f"{s.id}:{s.model}" for s in SERVICES.values()))
    found = ((line, embedder(line)) for line in lines)
    return tuple(Offer(line, made.title, made.address, made.unavailable()) for line, made in found)
