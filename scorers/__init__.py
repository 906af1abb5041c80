"""The methods: one file each, found by `groundscope.methods.registry`, which documents how a file is laid out.

Also the factories that the registry calls: chat models, embedders and encoders to fine-tune, each from a line of text.
"""

from pathlib import Path

from groundscope.chat.messages import ChatModel
from groundscope.embedding import EmbedderOffer, OfferedEmbedder


def chat(line: str) -> ChatModel:
    """Build the chat model of a spec, for `groundscope.methods.registry.chat`.

    Args:
        line: see `groundscope.chat.model_spec`.

    Returns:
        The model, connected to nothing yet; one object a process for each spec.

    Raises:
        ValueError: the spec is not valid.
    """
    from scorers._chat import model

    return model.chat(line)


def base(line: str) -> Path:
    """Find the folder of an encoder to fine-tune, for `groundscope.methods.registry.base`.

    Args:
        line: `minilm` (the bundled model), a folder, or a hub id with `@revision` unless it is main.

    Returns:
        A folder with a config.json; its weights are not read.

    Raises:
        ScorerUnavailable: it is not here; the message says how to get it.
    """
    from scorers._weights import bases

    return bases.folder(line)


def embedder(line: str) -> OfferedEmbedder:
    """Build an embedder, for `groundscope.methods.registry.embedder`.

    Args:
        line: `minilm`, `local:FOLDER_OR_HUB_ID` or `provider:model`, with settings after `;`.

    Returns:
        The embedder; it loads and sends nothing before its first use.

    Raises:
        ValueError: the line is not valid.
    """
    from scorers import _embedders

    return _embedders.embedder(line)


def embedders() -> tuple[EmbedderOffer, ...]:
    """List the embedders that a page offers, for `groundscope.methods.registry.embedders`.

    Returns:
        Offers, those on this machine first; also those that cannot be used here, with the reason.
    """
    from scorers import _embedders

    return _embedders.embedders()
