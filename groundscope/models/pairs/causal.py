"""A language model with an adapter that answers whether evidence supports a claim: Yes, Maybe or No."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from groundscope.errors import ScorerUnavailable
from groundscope.models.pairs import packed
from groundscope.models.pairs.encoders import Encoded, PlainText, TextPair, spans, window
from groundscope.models.pairs.models import LoadedModel
from groundscope.models.pairs.scoring import Supports, shares_of
from groundscope.models.weights import checkpoint, smollm2
from groundscope.models.weights.files import fingerprint
from groundscope.models.weights.memory import PairPrecision, import_torch
from groundscope.paths import data_folder

if TYPE_CHECKING:
    import torch

LIMIT = 1_024
"""Tokens of a question: six context sentences and a sentence are seldom more than 400."""
YES, NO = 0, 2


class EvidenceQuestion:
    """The input: the evidence, the claim, and the question after it; long evidence is read in windows."""

    def __init__(self, tokenizer: Any, limit: int) -> None:
        self._tokenizer, self.limit, self._plain = tokenizer, limit, PlainText(tokenizer)

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, without special ones."""
        return [len(self._ids(self._plain(text))) for text in texts]

    def encode(self, pairs: Sequence[TextPair]) -> list[Encoded]:
        """The questions; a claim that would leave the evidence less than half of the room is cut at its end."""
        return [self._encoded(self._plain(pair.claim), self._plain(pair.context)) for pair in pairs]

    def forget(self) -> None:
        """Nothing is kept."""

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return ids

    def _encoded(self, claim: str, evidence: str) -> Encoded:
        before, asked = smollm2.question(self._tokenizer, evidence, claim)
        most = self.limit // 2
        cut = len(asked) > most
        if cut:
            after = self._ids(smollm2.AFTER)
            asked = asked[: most - len(after)] + after
        start = 1 + len(self._ids(smollm2.BEFORE))
        head, body = before[:start], before[start:]
        room = self.limit - len(asked) - len(head)
        return Encoded([window([*head, *body[a:b], *asked]) for a, b in spans(len(body), room)], cut)


def load(folder: Path, name: str, precision: PairPrecision) -> LoadedModel:
    """Load the base with the adapter of a folder, merged: at the first start made and stored, later read from there."""
    if precision == "int8":
        raise ScorerUnavailable(f"{name} does not run in int8; choose bf16 or fp32.")
    import_torch()
    with checkpoint.readable(name, plain=True):
        tokenizer = checkpoint.FileTokenizer(folder)
    path = file_of(folder, precision)
    weights = packed.stored(path)
    if weights is None:
        weights = merged(folder, name, tokenizer, precision)
        # Mapped into memory, so that processes share it; where the disk is full, each has what it made.
        weights = packed.stored(path) or weights if packed.store(path, weights) else weights
    return LoadedModel(
        packed.module(weights),
        EvidenceQuestion(tokenizer, LIMIT),
        tokenizer.pad_token_id or 0,
        fingerprint(folder),
        _values,
        contradicts=True,
        packs=True,
    )


def file_of(folder: Path, precision: str) -> Path:
    """Where the base is stored with the adapter of this folder."""
    return data_folder() / "merged" / f"{fingerprint(folder)}.{smollm2.VERSION}.{precision}.{packed.LAYOUT}.safetensors"


def merged(folder: Path, name: str, tokenizer: Any, precision: str) -> packed.LlamaWeights:
    """The weights of the base with the adapter of a folder; raises as `load`."""
    named = smollm2.weights()
    with checkpoint.readable(name, plain=True):
        import torch

        for weight, change in _changes(folder):
            named[weight] += change
        answers = [ids[0] for ids in tokenizer(list(smollm2.ANSWERS), add_special_tokens=False)["input_ids"]]
        c = smollm2.CONFIG
        turned = c["rope_parameters"]["rope_theta"]
        shape = packed.LlamaShape(c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"], c["rms_norm_eps"], turned)
        return packed.weights_of(named, shape, answers, torch.bfloat16 if precision == "bf16" else torch.float32)


def _changes(folder: Path) -> "Iterator[tuple[str, torch.Tensor]]":
    """What an adapter in peft's form adds to each weight: its two matrices' product, times what the adapter counts."""
    from safetensors.torch import load_file

    config = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))
    tensors = load_file(folder / "adapter_model.safetensors")
    for key, down in tensors.items():
        place, is_down, end = key.partition(".lora_A.")
        if is_down:
            up, place = tensors[f"{place}.lora_B.{end}"], place.removeprefix("base_model.model.")
            patterns = config["alpha_pattern"].items()
            alpha = next((a for pattern, a in patterns if re.search(rf"(?:^|\.){pattern}$", place)), config["lora_alpha"])
            yield f"{place}.weight", up.float() @ down.float() * (alpha / len(down))


def _values(logits: Supports) -> Supports:
    return shares_of(logits)[:, [YES, NO]].astype(np.float32)
