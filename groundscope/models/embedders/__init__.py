"""Embedders for retrieval: the bundled model, models on this machine, and providers; each built from one line of text.

    minilm
    local:FOLDER_OR_HUB_ID
    openai:text-embedding-3-large, isaacus:kanon-2-embedder, google:gemini-embedding-001

Nothing heavy is imported and nothing is connected to until vectors are needed.
"""

from functools import lru_cache

from groundscope.models.embedders import local
from groundscope.models.embedders.local import MiniLM
from groundscope.models.embedders.remote import Remote
from groundscope.models.embedders.services import SERVICES, parse
from groundscope.text.embedding import EmbedderOffer, OfferedEmbedder


@lru_cache(maxsize=64)
def embedder(line: str) -> OfferedEmbedder:
    """Build the embedder of a line; one object a process, so that all share its cache. `ValueError` if it is not valid."""
    line = line.strip()
    kind = line.partition(":")[0]
    if line == "minilm":
        return MiniLM()
    if line.startswith("local:"):
        return local.parse(line)
    if kind in SERVICES and line != kind:
        return Remote(parse(line))
    raise ValueError(f"An embedder is written minilm, local:FOLDER or provider:model with one of {', '.join(SERVICES)}.")


def offered() -> tuple[EmbedderOffer, ...]:
    """List the bundled model and one model of each provider; each that cannot be used here states why."""
    lines = ("minilm", *(f"{s.id}:{s.model}" for s in SERVICES.values()))
    candidates = ((line, embedder(line)) for line in lines)
    return tuple(EmbedderOffer(line, made.title, made.address, made.unavailable()) for line, made in candidates)
