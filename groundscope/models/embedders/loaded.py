"""Sentence-transformers models: loaded with strict checks, run in batches that can be cancelled; input limits from files."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from groundscope.errors import OutOfMemory
from groundscope.models.embedders import model_folder
from groundscope.models.embedders.clients import Kind
from groundscope.models.embedders.vectors import unit
from groundscope.models.weights.checkpoint import check_keys, config, readable, settings_in, whole_tokenizer, without_pooler
from groundscope.models.weights.memory import Precision
from groundscope.text.embedding import Hear
from groundscope.types import Matrix

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_PROMPTS = {"passage": ("document", "passage", "corpus"), "question": ("query", "question")}
_CHARACTERS, _TEXTS = 8_192, 64
"""Of a batch at most: about the 2,048 tokens that are fastest for models of this kind on a processor."""

_loading = threading.Lock()


def load(folder: Path, identity: str, name: str, precision: Precision) -> "LoadedEmbedder":
    """Load the model of a folder on the processor; it stays in memory until another one, or another `identity`, is loaded."""
    with _loading:
        return _load(folder, identity, name, precision)


# One at a time: such a model may take much of the memory.
@lru_cache(maxsize=1)
def _load(folder: Path, _identity: str, name: str, precision: Precision) -> "LoadedEmbedder":
    model_folder.check(folder, name)
    with readable(name):
        import torch
        from sentence_transformers import SentenceTransformer

        dtype = torch.bfloat16 if precision == "bf16" else torch.float32
        options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        model = SentenceTransformer(str(folder), device="cpu", model_kwargs={"dtype": dtype, "use_safetensors": True}, **options)
        _check_layers(model, folder, name, options)
        return LoadedEmbedder(model.to(dtype).eval(), name)


def _check_layers(model: "SentenceTransformer", folder: Path, name: str, options: dict[str, Any]) -> None:
    """Refuse weights that lack layers, which would be random numbers. A pooler may be missing: hardly any pooling uses it."""
    from transformers import PreTrainedModel

    networks: dict[str, Any] = {
        m.config.model_type: type(m) for m in reversed([*model.modules()]) if isinstance(m, PreTrainedModel)
    }
    for kind, place in model_folder.modules(folder, name):
        if kind.endswith(".Transformer"):
            network = networks[config(place, name)["model_type"]]
            _, info = network.from_pretrained(str(place), output_loading_info=True, use_safetensors=True, **options)
            check_keys(name, without_pooler(info["missing_keys"]), [])


def prompt_of(prompts: Mapping[str, str | None], kind: Kind) -> str:
    """The text that the model's authors put before each text, of their prompts by name; empty if they state none."""
    return next((prompt for name in _PROMPTS[kind] if (prompt := prompts.get(name))), "")


_NO_LIMIT = 10**9
"""Models without a limit state infinity, or a number beyond all texts."""


class ReadsPassages(ABC):
    """How much of a passage a model reads, by its tokenizer."""

    @abstractmethod
    def _limit(self) -> int:
        """Tokens that the model reads, special tokens and prompt included; 0 = no limit."""

    @abstractmethod
    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Tokens of each passage with its prompt and special tokens, not cut."""

    def cut(self, texts: Sequence[str]) -> int:
        """Number of passages that are, with their prompt, longer than the model reads; 0 if it has no limit."""
        limit = self._limit()
        return sum(len(ids) > limit for ids in self._ids(texts)) if limit and texts else 0

    def reads(self) -> int | None:
        """Tokens of the longest passage that the model reads whole, without special tokens and prompt; None = no limit."""
        limit = self._limit()
        return max(0, limit - len(self._ids([""])[0])) if limit else None


class LoadedEmbedder(ReadsPassages):
    """A loaded model, used from one thread at a time."""

    def __init__(self, model: "SentenceTransformer", name: str) -> None:
        self._model, self._name = model, name
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str], kind: Kind, hear: Hear) -> Matrix:
        """Embed n texts, (n, d) float32 with rows of length 1; `hear` is called between two batches and may raise `Cancelled`."""
        distinct = list(dict.fromkeys(texts))
        encode = self._model.encode_document if kind == "passage" else self._model.encode_query
        rows: dict[str, Matrix] = {}
        with self._lock:
            for batch in _batches(distinct):
                hear(len(rows), len(distinct))
                try:
                    vectors = encode(batch, prompt=self._prompt(kind), batch_size=len(batch), show_progress_bar=False)
                except (MemoryError, RuntimeError) as error:
                    raise OutOfMemory(
                        f"{self._name} stopped at a text ({type(error).__name__}); close other programs, set ;precision=fp32, or "
                        "choose a smaller model."
                    ) from None
                # Here, not in the model: bf16 knows a length of 1 to two or three digits.
                rows |= zip(batch, unit(vectors, self._name), strict=True)
        hear(len(distinct), len(distinct))
        size = int(self._model.get_embedding_dimension() or 0)
        return np.stack([rows[text] for text in texts]) if texts else np.zeros((0, size), np.float32)

    def _prompt(self, kind: Kind) -> str:
        return prompt_of(self._model.prompts, kind)

    def tokens(self, text: str) -> int:
        """Exact number of tokens of a text of any length, without special tokens and prompt."""
        tokenizer: Any = self._model.tokenizer
        with self._lock:
            if callable(tokenizer):
                return len(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])
            # That of a table of word vectors has no frame of transformers around it.
            return len(tokenizer.encode(text, add_special_tokens=False).ids)

    def _limit(self) -> int:
        limit = self._model.max_seq_length or 0
        return int(limit) if 0 < limit < _NO_LIMIT else 0

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        prompt = self._prompt("passage")
        with self._lock:
            ids: list[list[int]] = self._model.tokenizer([prompt + text for text in texts], verbose=False)["input_ids"]
        return ids


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Texts of like length, shortest first, so that little is spent on padding."""
    batch: list[str] = []
    for text in sorted(texts, key=len):
        if batch and (len(batch) == _TEXTS or (len(batch) + 1) * len(text) > _CHARACTERS):
            yield batch
            batch = []
        batch.append(text)
    if batch:
        yield batch


@dataclass(frozen=True)
class PassageTokenizer(ReadsPassages):
    """A tokenizer with the prompt that precedes each passage.

    `limit`: tokens that the model reads, special tokens and prompt included; 0 = no limit.
    """

    tokenizer: Any
    limit: int
    prompt: str

    def _limit(self) -> int:
        return self.limit

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [found.ids for found in self.tokenizer.encode_batch_fast([self.prompt + text for text in texts])]


def reading(folder: Path, name: str) -> PassageTokenizer | None:
    """Read a model's tokenizer and input limit from its files; `name` is for messages.

    The limit is found as sentence-transformers finds it: the model's own setting, else the tokenizer's, capped by the number of
    positions of the network.
    """
    kinds = model_folder.modules(folder, name)
    kind, place = kinds[0]
    if not kind.endswith(".Transformer") or not (place / "tokenizer.json").is_file():
        return None
    try:
        settings, tokens, prompts = (
            settings_in(place / "sentence_bert_config.json"),
            settings_in(place / "tokenizer_config.json"),
            settings_in(folder / "config_sentence_transformers.json").get("prompts") or {},
        )
        if settings.get("do_lower_case"):
            return None
        positions = config(place, name).get("max_position_embeddings", -1)
        limit = settings.get("max_seq_length") or min(
            float(tokens.get("model_max_length") or _NO_LIMIT), float(_NO_LIMIT if positions == -1 else positions)
        )
        return PassageTokenizer(whole_tokenizer(place), int(limit) if 0 < limit < _NO_LIMIT else 0, prompt_of(prompts, "passage"))
    except Exception:  # whatever is wrong with a file, loading the model says it better
        return None
