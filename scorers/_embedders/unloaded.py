"""Input limits of a sentence-transformers model, read from its tokenizer's files without loading its weights."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorers._embedders import model_folder
from scorers._embedders.loaded import ReadsPassages, prompt_of
from scorers._weights.checkpoint import config

_NO_LIMIT = 10**9
"""Models without a limit state infinity, or a number beyond all texts."""


@dataclass(frozen=True)
class PassageTokenizer(ReadsPassages):
    """A tokenizer with the prompt that precedes each passage.

    Attributes:
        limit: tokens that the model reads, special tokens and prompt included; 0 = no limit.
    """

    tokenizer: Any
    limit: int
    prompt: str

    def _limit(self) -> int:
        return self.limit

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [found.ids for found in self.tokenizer.encode_batch_fast([self.prompt + text for text in texts])]


def whole_tokenizer(folder: Path) -> Any:
    """The tokenizer of a folder's tokenizer.json, set to cut and to pad nothing."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def reading(folder: Path, name: str) -> PassageTokenizer | None:
    """Read a model's tokenizer and input limit from its files; `name` is for messages.

    The limit is found as sentence-transformers finds it: the model's own setting, else the tokenizer's, capped by the number of
    positions of the network.

    Raises:
        ScorerUnavailable: modules.json or config.json is not valid.
    """
    kinds = model_folder.modules(folder, name)
    kind, place = kinds[0]
    if not kind.endswith(".Transformer") or not (place / "tokenizer.json").is_file():
        return None
    try:
        settings, tokens, prompts = (
            _json(place / "sentence_bert_config.json"),
            _json(place / "tokenizer_config.json"),
            _json(folder / "config_sentence_transformers.json").get("prompts") or {},
        )
        if settings.get("do_lower_case"):
            return None
        limit = settings.get("max_seq_length") or min(
            float(tokens.get("model_max_length") or _NO_LIMIT), float(_positions(config(place, name)))
        )
        return PassageTokenizer(whole_tokenizer(place), int(limit) if 0 < limit < _NO_LIMIT else 0, prompt_of(prompts, "passage"))
    except Exception:  # whatever is wrong with a file, loading the model says it better
        return None


def _positions(settings: dict[str, Any]) -> float:
    positions = settings.get("max_position_embeddings", -1)
    return positions if positions != -1 else _NO_LIMIT


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content
