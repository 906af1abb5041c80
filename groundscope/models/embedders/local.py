"""Embedders on this machine: the bundled all-MiniLM-L6-v2 and any sentence-transformers model, with its own prompts."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from groundscope.errors import ScorerUnavailable
from groundscope.models.batches import encodable
from groundscope.models.embedders import model_folder, sentences
from groundscope.models.embedders.loaded import LoadedEmbedder, PassageTokenizer, ReadsPassages, load, reading
from groundscope.models.weights.checkpoint import settings_in, whole_tokenizer
from groundscope.models.weights.files import MINILM
from groundscope.models.weights.memory import Precision, native
from groundscope.runtime import extras
from groundscope.runtime.progress import listening
from groundscope.text.embedding import Hear
from groundscope.types import Matrix


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
