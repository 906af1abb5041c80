"""The methods: one file each, found by `groundscope.methods.registry`, which documents how a file is laid out.

Also the factories that the registry calls, and documents: chat models, embedders and encoders to fine-tune, each from a line of
text. What they build loads, sends and connects to nothing yet.
"""

import os
from pathlib import Path

from groundscope.chat.messages import ChatModel
from groundscope.text.embedding import EmbedderOffer, OfferedEmbedder

# Torch and oneDNN keep compiled code for 1,024 shapes of a batch each, some 200 KB a shape, and each case has other shapes. They
# read this when they load; fewer shapes save memory.
for _name in ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY"):
    os.environ.setdefault(_name, "32")


def chat(line: str) -> ChatModel:
    """The chat model of a spec; one object a process for each."""
    from groundscope.chat.clients import model

    return model.chat(line)


def base(line: str) -> Path:
    """The folder of an encoder to fine-tune."""
    from groundscope.models.weights import local

    return local.base_folder(line)


def fetch_judge() -> None:
    """Get the weights of the judge that comes with the project, where they are not here."""
    from groundscope.models.weights import smollm2

    smollm2.fetch()


def embedder(line: str) -> OfferedEmbedder:
    """The embedder of a line, with settings after `;`."""
    from groundscope.models import embedders as offered

    return offered.embedder(line)


def embedders() -> tuple[EmbedderOffer, ...]:
    """The embedders that a page offers."""
    from groundscope.models import embedders as offered

    return offered.embedders()
