"""The bundled all-MiniLM-L6-v2, sharing one copy in memory with COS_SIM."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from groundscope.errors import ScorerUnavailable
from groundscope.runtime.progress import listening
from groundscope.text.embedding import Hear
from groundscope.types import Matrix
from scorers._embedders import sentences
from scorers._embedders.parcels import encodable
from scorers._embedders.sentences import MINILM
from scorers._embedders.unloaded import PassageTokenizer, whole_tokenizer
from scorers._pairs.precision import Precision, native


@dataclass(frozen=True)
class MiniLM:
    """See `groundscope.text.embedding.OfferedEmbedder`. Passages and questions are embedded in the same way.

    Attributes:
        precision: `bf16` or `fp32`; by default that of `cos_sim:minilm`.
    """

    precision: Precision = field(default_factory=native)

    title = "all-MiniLM-L6-v2"
    licence = "Apache-2.0"
    address = ""
    slice_size = 512

    @property
    def signature(self) -> str:
        """Model, package version and precision."""
        return f"minilm:{MINILM.identity()}|{self.precision}|mean-pooled|no prompts|length 1"

    def unavailable(self) -> str:
        """Why it cannot be used here and what to do; empty if it can."""
        try:
            MINILM.folder()
        except ScorerUnavailable as error:
            return str(error)
        return ""

    def price(self, texts: Sequence[str]) -> float | None:
        """Always 0."""
        return 0.0

    def tokens(self, text: str) -> int:
        """Exact number of tokens, without the two special tokens."""
        return len(_reading().tokenizer.encode(encodable(text), add_special_tokens=False).ids)

    def cut(self, texts: Sequence[str]) -> int | None:
        """Number of texts that are longer than the model reads; never None."""
        return _reading().cut(list(map(encodable, texts)))

    def reads(self) -> int | None:
        """Tokens of the longest passage that the model reads whole, without the two special tokens; never None."""
        return _reading().reads()

    def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """Embed texts; (n, 384) float32, bit-identical to the vectors of `cos_sim:minilm`."""
        model = sentences.load(MINILM, self.precision)
        with listening(hear):
            return model.embed(texts).vectors

    def questions(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """Embed questions, in the same way as `passages`."""
        return self.passages(texts, hear)


@lru_cache(maxsize=1)
def _reading() -> PassageTokenizer:
    folder = MINILM.folder()
    limit = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))["max_seq_length"]
    return PassageTokenizer(whole_tokenizer(folder), int(limit), prompt="")
