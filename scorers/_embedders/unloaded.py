"""What a sentence-transformers model reads of a text, as the files of its tokenizer say: told without loading its weights."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorers._checkpoint import config
from scorers._embedders import model_folder
from scorers._embedders.loaded import prompt_of

_NO_LIMIT = 10**9
"""Models without a limit say infinity, or a number beyond all texts."""


@dataclass(frozen=True)
class Reading:
    """A tokenizer with what goes before each passage.

    Attributes:
        tokenizer: adds the model's own tokens, and cuts nothing.
        limit: tokens that the model reads, its own and the prompt's among them; 0 = any number.
        prompt: goes before each passage.
    """

    tokenizer: Any
    limit: int
    prompt: str

    def cut(self, texts: Sequence[str]) -> int:
        """How many texts are, with their prompt, longer than the model reads."""
        if not self.limit:
            return 0
        found = self.tokenizer.encode_batch_fast([self.prompt + text for text in texts])
        return sum(len(encoding.ids) > self.limit for encoding in found)

    def reads(self) -> int | None:
        """Tokens of a passage that the model reads at most; None = all."""
        return max(0, self.limit - len(self.tokenizer.encode(self.prompt).ids)) if self.limit else None


def reading(folder: Path, name: str) -> Reading | None:
    """How a model reads; None where its files do not tell: then it must be loaded to know.

    The limit is found as sentence-transformers finds it: the one that was set for the model, or else the tokenizer's, as far as
    the network has positions.

    Raises:
        ScorerUnavailable: modules.json or config.json is none.
    """
    kinds = model_folder.modules(folder, name)
    kind, place = kinds[0]
    if not kind.endswith(".Transformer") or not (place / "tokenizer.json").is_file():
        return None
    try:
        own, tokens, prompts = (
            _json(place / "sentence_bert_config.json"),
            _json(place / "tokenizer_config.json"),
            _json(folder / "config_sentence_transformers.json").get("prompts") or {},
        )
        if own.get("do_lower_case"):
            return None
        limit = own.get("max_seq_length") or min(
            float(tokens.get("model_max_length") or _NO_LIMIT), float(_positions(config(place, name)))
        )
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(place / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return Reading(tokenizer, int(limit) if 0 < limit < _NO_LIMIT else 0, prompt_of(prompts, "passage"))
    except Exception:  # whatever is wrong with a file, loading the model says it better
        return None


def _positions(found: dict[str, Any]) -> float:
    positions = found.get("max_position_embeddings", -1)
    return positions if positions != -1 else _NO_LIMIT


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
