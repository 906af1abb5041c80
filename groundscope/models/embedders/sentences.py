"""Sentence embeddings of mean-pooled models, batched for speed.

Texts are tokenised once, sorted by length and batched by a token budget, so that little is spent on padding; the model
runs in the precision that the signature names.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import ScorerUnavailable
from groundscope.models.batches import batches, encodable
from groundscope.models.weights import checkpoint
from groundscope.models.weights.checkpoint import FileTokenizer
from groundscope.models.weights.files import WeightFiles
from groundscope.models.weights.memory import Precision, import_torch
from groundscope.runtime.progress import report
from groundscope.runtime.retention import may_remember, reused
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case

if TYPE_CHECKING:
    import torch

TOKEN_BUDGET = 2048
"""Tokens of a batch, padding included: the fastest of 512 to 8192 on two cores (benchmarks/README.md)."""

_loaded: dict[tuple[WeightFiles, Precision], "SentenceEmbedder"] = {}
_loading = threading.Lock()


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Unit vectors of texts.

    `tokens_read`: (n_texts,) tokens that the model saw, special ones included. `tokens_total`: (n_texts,) tokens that the text
    has.
    """

    vectors: NDArray[np.float32]
    tokens_read: NDArray[np.int64]
    tokens_total: NDArray[np.int64]


def load(weights: WeightFiles, precision: Precision) -> "SentenceEmbedder":
    """Load a model on the processor, once a process. `ScorerUnavailable` if the weights are missing or cannot be read."""
    key = (weights, precision)
    with _loading:
        if key not in _loaded:
            _loaded[key] = SentenceEmbedder(_read(weights, precision))
        return _loaded[key]


def sentences_of(cases: Iterable[Case]) -> list[str]:
    """The sentences of responses and contexts, case by case."""
    texts = []
    for case in cases:
        texts += [case.response[s.start : s.end] for s in split(case.response)]
        texts += [case.context[u.passage].text[u.start : u.end] for u in context_sentences(case.context)]
    return texts


Hidden = Callable[["torch.Tensor", "torch.Tensor"], "torch.Tensor"]
"""Ids and mask, each (n, longest), to vectors of tokens (n, longest, width)."""


class _MeanPooled(NamedTuple):
    """A model whose sentence vector is the mean of its tokens' vectors, as sentence-transformers runs it, to the bit.

    That package is not imported for it: its import takes 5.0 s of processor time.
    """

    tokenizer: Any
    hidden: Hidden
    width: int
    limit: int
    normalizes: bool

    def __call__(self, ids: "torch.Tensor", mask: "torch.Tensor") -> "torch.Tensor":
        """(n, width) vectors, float32, for (n, longest) tokens and their mask."""
        import torch

        hidden = self.hidden(ids, mask)
        weights = mask.unsqueeze(-1).to(hidden.dtype)
        total = (hidden * weights).sum(dim=1, dtype=torch.float32)
        mean = (total / weights.sum(dim=1, dtype=torch.float32).clamp(min=1e-9)).to(hidden.dtype)
        return (torch.nn.functional.normalize(mean, dim=1) if self.normalizes else mean).float()


def _read(weights: WeightFiles, precision: Precision) -> _MeanPooled:
    folder = weights.folder()
    import_torch()
    import torch

    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    # The file of a package is known by its hash.
    with checkpoint.readable(weights.model, plain=bool(weights.package)):
        tokenizer, hidden = (FileTokenizer(folder), _bert(folder, dtype)) if weights.package else _library(weights, folder, dtype)
        config = checkpoint.settings_in(folder / "config.json")
        limit = checkpoint.settings_in(folder / "sentence_bert_config.json").get("max_seq_length") or tokenizer.model_max_length
        kinds = [part["type"].rpartition(".")[2] for part in checkpoint.settings_in(folder / "modules.json", [])]
        if not {"Transformer", "Pooling", "Normalize"}.issuperset(kinds):
            raise ScorerUnavailable(f"{weights.model} does more than take the mean of its tokens; use it as an embedder instead.")
        longest = min(int(limit), int(config["max_position_embeddings"]))
        return _MeanPooled(tokenizer, hidden, int(config["hidden_size"]), longest, "Normalize" in kinds)


def _library(weights: WeightFiles, folder: Path, dtype: "torch.dtype") -> tuple[Any, Hidden]:
    """Tokenizer and model of a folder as transformers loads them, whatever their kind."""
    from transformers import AutoModel, AutoTokenizer

    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    if not any((folder / name).is_file() for name in ("tokenizer.json", "vocab.txt")):
        # It would load, but with a made-up vocabulary.
        raise ScorerUnavailable(f"The weights of {weights.model} came without tokenizer.json or vocab.txt; get them again.")
    model, info = AutoModel.from_pretrained(str(folder), dtype=dtype, output_loading_info=True, **options)
    checkpoint.check_keys(weights.model, checkpoint.without_pooler(info["missing_keys"]), [])
    model = model.to(dtype).eval()

    def hidden(ids: "torch.Tensor", mask: "torch.Tensor") -> "torch.Tensor":
        vectors: torch.Tensor = model(input_ids=ids, attention_mask=mask).last_hidden_state
        return vectors

    return AutoTokenizer.from_pretrained(str(folder), **options), hidden


def _bert(folder: Path, dtype: "torch.dtype") -> Hidden:
    """The BERT of a folder as transformers computes it, to the bit.

    Its import takes three of the seven seconds before a first judgement, and 170 MB.
    """
    import torch
    from safetensors.torch import load_file
    from torch.nn.functional import embedding, gelu, layer_norm, linear, scaled_dot_product_attention

    config = checkpoint.settings_in(folder / "config.json")
    heads = config["num_attention_heads"]
    weights = {name: tensor.to(dtype) for name, tensor in load_file(folder / "model.safetensors").items()}

    def applied(x: torch.Tensor, name: str) -> torch.Tensor:
        return linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def normed(x: torch.Tensor, name: str) -> torch.Tensor:
        weight = weights[f"{name}.LayerNorm.weight"]
        return layer_norm(x, weight.shape, weight, weights[f"{name}.LayerNorm.bias"], config["layer_norm_eps"])

    def forward(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        n, longest = ids.shape
        types, places = (weights[f"embeddings.{name}_embeddings.weight"] for name in ("token_type", "position"))
        hidden = embedding(ids, weights["embeddings.word_embeddings.weight"]) + types[0] + places[:longest]
        hidden = normed(hidden, "embeddings")
        seen = None if bool(mask.all()) else mask.bool()[:, None, None].expand(n, 1, longest, longest)
        for i in range(config["num_hidden_layers"]):
            layer = f"encoder.layer.{i}"
            parts = (applied(hidden, f"{layer}.attention.self.{name}") for name in ("query", "key", "value"))
            q, k, v = (part.view(n, longest, heads, -1).transpose(1, 2) for part in parts)
            out = scaled_dot_product_attention(q, k, v, attn_mask=seen).transpose(1, 2).reshape(hidden.shape)
            hidden = normed(applied(out, f"{layer}.attention.output.dense") + hidden, f"{layer}.attention.output")
            inner = gelu(applied(hidden, f"{layer}.intermediate.dense"))
            hidden = normed(applied(inner, f"{layer}.output.dense") + hidden, f"{layer}.output")
        return hidden

    return forward


class SentenceEmbedder:
    """A loaded model with this project's batching."""

    def __init__(self, model: _MeanPooled) -> None:
        """Store the model; it is used from one thread at a time."""
        self._model = model
        # Held for a batch at a time: while progress is reported, another thread may take its turn.
        self._lock = threading.Lock()
        self._last: tuple[tuple[str, ...], Embeddings] | None = None

    def embed_again(self, texts: Sequence[str], *, before: int = 0) -> tuple[Embeddings, bool]:
        """Embed texts, or return the vectors of the last call, bit-identical, if the texts are the same."""
        key, last = tuple(texts), self._last
        if last is not None and last[0] == key and may_remember():
            return last[1], True
        embeddings = self.embed(texts, before=before)
        self._last = (key, embeddings) if may_remember() else None
        return embeddings, False

    def embed(self, texts: Sequence[str], *, before: int = 0, after: int = 0) -> Embeddings:
        """Embed texts; equal texts are computed once. Reports progress and can be cancelled between batches."""
        clean = list(map(encodable, texts))
        distinct = list(dict.fromkeys(clean))
        if not distinct:
            none = np.zeros(0, np.int64)
            return Embeddings(np.zeros((0, self._model.width), np.float32), none, none)
        vectors, read, total = self._embed_new(distinct, before, before + len(distinct) + after)
        index = {t: i for i, t in enumerate(distinct)}
        rows = np.array([index[t] for t in clean], dtype=np.int64)
        return Embeddings(vectors[rows], read[rows], total[rows])

    def _embed_new(
        self, texts: Sequence[str], before: int, whole: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
        """Embed those that were not embedded before in a block that lets their vectors be reused."""
        stored = reused()
        if stored is None:
            return self._embed_distinct(texts, before, whole)
        new = [t for t in texts if (self, t) not in stored]
        if new:
            stored.update(((self, t), row) for t, *row in zip(new, *self._embed_distinct(new, before, whole), strict=True))
        vectors, read, total = zip(*(stored[self, t] for t in texts), strict=True)
        return np.stack(vectors), np.array(read), np.array(total)

    def _embed_distinct(
        self, texts: Sequence[str], before: int, whole: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
        import torch

        tokenizer, limit = self._model.tokenizer, self._model.limit
        with self._lock:
            tokens: list[list[int]] = tokenizer(list(texts), verbose=False)["input_ids"]
            total = np.array([len(ids) for ids in tokens], dtype=np.int64)
            for i in np.flatnonzero(total > limit):
                tokens[i] = tokenizer(texts[int(i)], truncation=True, max_length=limit)["input_ids"]
        read = np.minimum(total, limit)
        parts: dict[int, NDArray[np.float32]] = {}
        done = 0
        with torch.inference_mode():
            for batch in batches(read, TOKEN_BUDGET, limit):
                report(before + done, whole)
                with self._lock:
                    out = self._forward([tokens[i] for i in batch.places], batch.length, tokenizer.pad_token_id)
                parts.update(zip(batch.places, out, strict=True))
                done += len(batch.places)
        report(before + done, whole)
        return np.stack([parts[i] for i in range(len(texts))]), read, total

    def _forward(self, tokens: list[list[int]], length: int, pad: int) -> NDArray[np.float32]:
        import torch

        ids = torch.full((len(tokens), length), pad, dtype=torch.long)
        mask = torch.zeros((len(tokens), length), dtype=torch.long)
        for row, sequence in enumerate(tokens):
            ids[row, : len(sequence)] = torch.tensor(sequence)
            mask[row, : len(sequence)] = 1
        out = self._model(ids, mask)
        vectors: NDArray[np.float32] = torch.nn.functional.normalize(out, dim=1).numpy()
        return vectors
