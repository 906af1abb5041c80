"""The bundled all-MiniLM-L6-v2, sharing one copy in memory with COS_SIM."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from groundscope.embedding import Hear
from groundscope.errors import ScorerUnavailable
from groundscope.progress import listening
from groundscope.types import Matrix
from scorers._embedders import sentences
from scorers._embedders.sentences import MINILM
from scorers._pairs.precision import Precision, native


@dataclass(frozen=True)
class MiniLM:
    """See `groundscope.embedding.Embedder`. Passages and questions are embedded in the same way.

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
        """Count the tokens of a text.

        Args:
            text: of any length; nothing is cut.

        Returns:
            Exact number of tokens, without the two special tokens.

        Raises:
            ScorerUnavailable: the weights are not here.
        """
        return len(_tokenizer()[0].encode(_clean(text), add_special_tokens=False).ids)

    def cut(self, texts: Sequence[str]) -> int | None:
        """Count the texts that are longer than the model reads; their ends are left out.

        Args:
            texts: passages or questions.

        Returns:
            Number of texts; never None.

        Raises:
            ScorerUnavailable: the weights are not here.
        """
        tokenizer, limit = _tokenizer()
        return sum(len(found.ids) > limit for found in tokenizer.encode_batch_fast(list(map(_clean, texts))))

    def reads(self) -> int | None:
        """Find the length of the longest passage that the model reads whole.

        Returns:
            Tokens, without the two special tokens; never None.

        Raises:
            ScorerUnavailable: the weights are not here.
        """
        tokenizer, limit = _tokenizer()
        return limit - len(tokenizer.encode("").ids)

    def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """Embed texts; bit-identical to the vectors of `cos_sim:minilm`.

        Args:
            texts: n texts.
            hear: progress callback, called between two batches.

        Returns:
            (n, 384) float32, rows of length 1.

        Raises:
            ScorerUnavailable: the weights are not here.
            Cancelled: raised by `hear`.
        """
        model = sentences.load(MINILM, self.precision)
        with listening(hear):
            return model.embed(texts).vectors

    def questions(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """Embed questions, in the same way as `passages`."""
        return self.passages(texts, hear)


def _clean(text: str) -> str:
    # Lone surrogates have no UTF-8 and would stop the tokenizer.
    return text.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=1)
def _tokenizer() -> tuple[Any, int]:
    """The model's tokenizer without its limit, and the limit."""
    from tokenizers import Tokenizer

    folder = MINILM.folder()
    limit = json.loads((folder / "sentence_bert_config.json").read_text(encoding="utf-8"))["max_seq_length"]
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer, int(limit)
