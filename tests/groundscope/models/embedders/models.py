"""Tiny sentence-transformers models with random weights, saved as their library saves them."""

from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from tests.scorers import tiny

PROMPTS = {"query": "question: ", "document": "the text: "}
LIMIT = 24


def sentence_model(folder: Path, *, pooling: str = "mean", dense: int = 0, **settings: Any) -> Path:
    """A model of 32 numbers, or of `dense`; `settings` go to `SentenceTransformer`."""
    from sentence_transformers.base.modules import Dense, Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling

    modules: list[Any] = [Transformer(str(plain_bert(folder)), max_seq_length=LIMIT), Pooling(32, pooling_mode=pooling)]
    if dense:
        modules.append(Dense(32, dense))
    return save(folder, *modules, **settings)


def routed_model(folder: Path) -> Path:
    """A model that reads questions by the first token and passages by the mean."""
    from sentence_transformers.base.modules import Router, Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling

    plain = str(plain_bert(folder))
    questions, passages = ([Transformer(plain), Pooling(32, pooling_mode=mode)] for mode in ("cls", "mean"))
    return save(folder, Router.for_query_document(query_modules=questions, document_modules=passages))


def table_model(folder: Path) -> Path:
    """A table of word vectors, without a network."""
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    tokenizer = Tokenizer.from_file(str(plain_bert(folder) / "tokenizer.json"))
    table = np.random.default_rng(7).normal(size=(tokenizer.get_vocab_size(), 16)).astype(np.float32)
    return save(folder, StaticEmbedding(tokenizer, embedding_weights=table))


def save(folder: Path, *modules: Any, **settings: Any) -> Path:
    from sentence_transformers import SentenceTransformer

    SentenceTransformer(modules=list(modules), device="cpu", **settings).save(str(folder))
    return folder


def plain_bert(folder: Path) -> Path:
    """A network and its tokenizer beside the folder."""
    tiny.quiet()
    return tiny.bert(folder.with_name(f"{folder.name}-plain"), positions=64, limit=LIMIT)
