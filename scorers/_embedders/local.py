"""Any sentence-transformers model that is on this machine, with its own prompts for questions and passages."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import ScorerUnavailable
from evaluation.rag.types import Hear
from evaluation.types import Matrix
from scorers._embedders import model_folder
from scorers._embedders.loaded import Loaded, load
from scorers._embedders.unloaded import Reading, reading
from scorers._precision import Precision, native


def parse(line: str) -> "Local":
    """Read `local:FOLDER` or `local:HUB/ID@REVISION`, with `;precision=fp32` where the processor's usual one is not wanted.

    Raises:
        ValueError: it names nothing, or an unknown precision.
    """
    place, _, precision = line.removeprefix("local:").partition(";precision=")
    if not place.strip():
        raise ValueError("Name a folder or a hub id, like local:sentence-transformers/all-mpnet-base-v2.")
    if precision not in ("", "bf16", "fp32"):
        raise ValueError(f"precision must be bf16 or fp32, got {precision[:40]!r}.")
    return Local(place.strip(), precision or None)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Local:
    """See `evaluation.rag.types.Embedder`. Safe to call from several threads.

    Attributes:
        place: a folder, or a hub id that is already on this machine.
        chosen: the precision; None = the processor's usual one.
    """

    place: str
    chosen: Precision | None = None

    address = ""
    slice_size = 512

    @property
    def title(self) -> str:
        """What the model is called."""
        return f"{model_folder.name(self.place)}, on this machine"

    @property
    def licence(self) -> str:
        """What the model's card says, or where to look."""
        from huggingface_hub import ModelCard

        with suppress(Exception):  # a damaged card makes its reader fail in many ways
            found = ModelCard.load(self._folder() / "README.md").data.license
            if isinstance(found, str) and found.strip():
                return found.strip()[:60]
        return "see its card"

    @property
    def precision(self) -> Precision:
        """The number format that it runs in."""
        if self.chosen is not None:
            return self.chosen
        with suppress(ScorerUnavailable):
            if any(kind.endswith(".Transformer") for kind, _ in model_folder.modules(self._folder(), self.title)):
                return native()
        # Tables of word vectors gain nothing.
        return "fp32"

    @property
    def signature(self) -> str:
        """Model, what its files are, and precision; the files hold pooling and prompts."""
        name, found = model_folder.name(self.place), "not here"
        with suppress(ScorerUnavailable, OSError):
            found = model_folder.identity(self._folder(), name)
        return f"local:{name}({found})|{self.precision}|its own prompts|length 1"

    def unavailable(self) -> str:
        """Why it cannot be used here, with the mend; empty = it can, as far as can be told without loading it."""
        try:
            model_folder.check(self._folder(), model_folder.name(self.place))
        except ScorerUnavailable as error:
            return str(error)
        return ""

    def price(self, texts: Sequence[str]) -> float | None:
        """Nothing."""
        return 0.0

    def tokens(self, text: str) -> int:
        """How many tokens a text has, without the model's own and without a prompt.

        Raises:
            ScorerUnavailable: it cannot be loaded.
        """
        return self._loaded().tokens(_clean([text])[0])

    def cut(self, texts: Sequence[str]) -> int | None:
        """How many texts are, as passages with their prompt, longer than the model reads; their ends are left out.

        Raises:
            ScorerUnavailable: it cannot be loaded.
        """
        return self._reading().cut(_clean(texts))

    def reads(self) -> int | None:
        """Tokens of a passage that the model reads at most, its own and those of its prompt left out; None = all.

        Raises:
            ScorerUnavailable: it cannot be loaded.
        """
        return self._reading().reads()

    def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """Embed passages: (n, d) float32, rows of length 1. Equal texts are computed once.

        Raises:
            ScorerUnavailable: it is not here, cannot be loaded or gives no usable vectors.
            Cancelled: from `hear`, which is asked between two batches.
        """
        return self._loaded().embed(_clean(texts), "passage", hear)

    def questions(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """As `passages`, for questions."""
        return self._loaded().embed(_clean(texts), "question", hear)

    def _folder(self) -> Path:
        return model_folder.find(self.place)

    def _reading(self) -> Reading | Loaded:
        """What counts tokens: the tokenizer alone where it will do, since a model may take seconds and much memory to load."""
        folder, name = self._folder(), model_folder.name(self.place)
        model_folder.check(folder, name)
        return reading(folder, name) or self._loaded()

    def _loaded(self) -> Loaded:
        folder, name = self._folder(), model_folder.name(self.place)
        return load(folder, model_folder.identity(folder, name), name, self.precision)


def _clean(texts: Sequence[str]) -> list[str]:
    """Texts without half characters, which have no UTF-8 and would stop tokenizers."""
    return [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
