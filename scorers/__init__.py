"""The methods: one file each, found by `groundscope.methods.registry`, which documents how a file is laid out.

Also the factories that the registry calls: chat models, embedders and encoders to fine-tune, each from a line of text.
"""

from pathlib import Path

from groundscope.chat.messages import ChatModel
from groundscope.embedding import EmbedderOffer, OfferedEmbedder


def chat(line: str) -> ChatModel:
    """See `groundscope.methods.registry.chat`."""
    from scorers._chat import model

    return model.chat(line)


def base(line: str) -> Path:
    """See `groundscope.methods.registry.base`."""
    from scorers._weights import bases

    return bases.folder(line)


def embedder(line: str) -> OfferedEmbedder:
    """See `groundscope.methods.registry.embedder`."""
    from scorers import _embedders

    return _embedders.embedder(line)


def embedders() -> tuple[EmbedderOffer, ...]:
    """See `groundscope.methods.registry.embedders`."""
    from scorers import _embedders

    return _embedders.embedders()
