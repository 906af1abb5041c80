"""Embedders on this machine: the bundled all-MiniLM-L6-v2 and any sentence-transformers model, with its own prompts.

Models are loaded with strict checks, and run in batches that can be cancelled; input limits come from files.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from groundscope.errors import OutOfMemory, ScorerUnavailable
from groundscope.models.batches import encodable
from groundscope.models.embedders import model_folder, sentences
from groundscope.models.embedders.clients import Kind
from groundscope.models.embedders.vectors import unit
from groundscope.models.weights.checkpoint import check_keys, config, readable, settings_in, whole_tokenizer, without_pooler
from groundscope.models.weights.files import MINILM
from groundscope.models.weights.memory import Precision, native
from groundscope.runtime import extras
from groundscope.runtime.progress import listening
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


def parse(line: str) -> "Local":
    """Parse `local:FOLDER` or `local:HUB/ID@REVISION`, with `;precision=fp32` to override the processor's default.

    The folder is looked for when it is used.
    """
    place, _, precision = line.removeprefix("local:").partition(";precision=")
    if not place.strip():
        raise ValueError("Name a folder or a hub id, like local:sentence-transformers/all-mpnet-base-v2.")
    if precision not in ("", "bf16", "fp32"):
        raise ValueError(f"precision must be bf16 or fp32, got {precision[:40]!r}.")
    return Local(place.strip(), precision or None)  # type: ignore[arg-type]


class _OnMachine(ABC):
    """What embedders on this machine share. Several threads may call them."""

    address = ""
    slice_size = 512

    @abstractmethod
    def _check(self) -> None:
        """Refuse to work where it cannot, as far as the files show."""

    @abstractmethod
    def _reading(self) -> ReadsPassages:
        """What counts tokens."""

    def unavailable(self) -> str:
        """Why it cannot be used here and what to do; empty if nothing prevents it, as far as the files show."""
        try:
            self._check()
        except ScorerUnavailable as error:
            return str(error)
        return ""

    def price(self, texts: Sequence[str]) -> float | None:
        """Always 0."""
        return 0.0

    def cut(self, texts: Sequence[str]) -> int | None:
        """Number of texts that are, as passages with their prompt, longer than the model reads; never None."""
        return self._reading().cut(list(map(encodable, texts)))

    def reads(self) -> int | None:
        """Tokens of the longest passage that the model reads whole, without special tokens and prompt; None = no limit."""
        return self._reading().reads()


@dataclass(frozen=True)
class Local(_OnMachine):
    """Any sentence-transformers model.

    `place`: a folder, or a hub id that is already on this machine. `chosen`: the precision; None = the processor's default.
    """

    place: str
    chosen: Precision | None = None

    @property
    def title(self) -> str:
        """Name of the model."""
        return f"{model_folder.name(self.place)}, on this machine"

    @property
    def precision(self) -> Precision:
        """Number format that it runs in."""
        if self.chosen is not None:
            return self.chosen
        with suppress(ScorerUnavailable):
            if any(kind.endswith(".Transformer") for kind, _ in model_folder.modules(self._folder(), self.title)):
                return native()
        # Tables of word vectors gain nothing.
        return "fp32"

    @property
    def signature(self) -> str:
        """Model, hash of its files, which include pooling and prompts, and precision."""
        name, identity = model_folder.name(self.place), "not here"
        with suppress(ScorerUnavailable, OSError):
            identity = model_folder.identity(self._folder(), name)
        return f"local:{name}({identity})|{self.precision}|its own prompts|length 1"

    def _check(self) -> None:
        extras.require("models")
        model_folder.check(self._folder(), model_folder.name(self.place))

    def tokens(self, text: str) -> int:
        """Exact number of tokens, without special tokens and prompt; loads the model."""
        return self._loaded().tokens(encodable(text))

    def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """Embed passages. Equal texts are computed once; what is longer than the model reads is cut at its end."""
        return self._loaded().embed(list(map(encodable, texts)), "passage", hear)

    def questions(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """As `passages`, for questions."""
        return self._loaded().embed(list(map(encodable, texts)), "question", hear)

    def _folder(self) -> Path:
        return model_folder.find(self.place)

    def _reading(self) -> ReadsPassages:
        """The tokenizer alone if it suffices, since loading a model may take seconds and much memory."""
        folder, name = self._folder(), model_folder.name(self.place)
        model_folder.check(folder, name)
        return reading(folder, name) or self._loaded()

    def _loaded(self) -> LoadedEmbedder:
        folder, name = self._folder(), model_folder.name(self.place)
        return load(folder, model_folder.identity(folder, name), name, self.precision)


@dataclass(frozen=True)
class MiniLM(_OnMachine):
    """The bundled model, by default in the precision of `cos_sim:minilm`; it embeds passages and questions in the same way."""

    precision: Precision = field(default_factory=native)

    title = "all-MiniLM-L6-v2"

    @property
    def signature(self) -> str:
        """Model, package version and precision."""
        return f"minilm:{MINILM.identity()}|{self.precision}|mean-pooled|no prompts|length 1"

    def _check(self) -> None:
        MINILM.folder()

    def _reading(self) -> PassageTokenizer:
        return _minilm_tokenizer()

    def tokens(self, text: str) -> int:
        """Exact number of tokens, without the two special tokens."""
        return len(self._reading().tokenizer.encode(encodable(text), add_special_tokens=False).ids)

    def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """Embed texts; (n, 384) float32, bit-identical to the vectors of `cos_sim:minilm`."""
        model = sentences.load(MINILM, self.precision)
        with listening(hear):
            return model.embed(texts).vectors

    def questions(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """Embed questions, in the same way as `passages`."""
        return self.passages(texts, hear)


@lru_cache(maxsize=1)
def _minilm_tokenizer() -> PassageTokenizer:
    folder = MINILM.folder()
    limit = settings_in(folder / "sentence_bert_config.json")["max_seq_length"]
    return PassageTokenizer(whole_tokenizer(folder), int(limit), prompt="")
