"""Embedders for retrieval: the bundled model, models on this machine, and providers; each built from one line of text.

    minilm
    local:FOLDER_OR_HUB_ID
    openai:text-embedding-3-large, isaacus:kanon-2-embedder, google:gemini-embedding-001

Nothing heavy is imported and nothing is connected to until vectors are needed.
"""

from functools import lru_cache

from groundscope.models.embedders import local
from groundscope.models.embedders.local import Local, MiniLM
from groundscope.models.embedders.remote import Remote
from groundscope.models.embedders.services import SERVICES, parse

__all__ = ["AnyEmbedder", "sentences"]

AnyEmbedder = MiniLM | Local | Remote


@lru_cache(maxsize=64)
def embedder(line: str) -> AnyEmbedder:
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


def offered() -> dict[str, AnyEmbedder]:
    """The bundled model and one model of each provider, by their lines; each says itself where it cannot be used here."""
    lines = ("minilm", *(f"{s.id}:{s.model}" for s in SERVICES.values()))
    return {line: embedder(line) for line in lines}
