"""A tiny language model in SmolLM2's layout, in the place of the package with its weights."""

from pathlib import Path
from typing import Any

import pytest

from groundscope.models.weights import smollm2
from models import lora
from models.lora import AdaptedModel, Training, rows, train
from models.smollm2 import complete, together
from tests.groundscope.training.samples import easy
from tests.scorers import tiny

_TEXT = f"Evidence: {tiny.TEXT}\nClaim: {tiny.TEXT}\nSupported? Yes Maybe No Yes Maybe No. "


def tokenizer(folder: Path) -> Any:
    """Byte pairs whose answers are one token each, with the special tokens of SmolLM2."""
    from transformers import PreTrainedTokenizerFast

    backend = tiny.byte_pairs(["<|endoftext|>", "<|im_start|>", "<|im_end|>"], 500, _TEXT)
    names = {"bos_token": "<|im_start|>", "eos_token": "<|im_end|>", "pad_token": "<|im_end|>"}
    made = PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=8192, **names)
    made.save_pretrained(folder)
    return made


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `groundscope.models.weights.smollm2` load the tiny one; its weights are the same at each load."""
    from transformers import LlamaConfig, LlamaForCausalLM

    tokens = tokenizer(folder)
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2, "head_dim": 16}
    config = {**smollm2.CONFIG, **sizes, "vocab_size": len(tokens), "num_key_value_heads": 1}

    def weights() -> dict[str, Any]:
        named: dict[str, Any] = tiny.seeded(LlamaForCausalLM(LlamaConfig(**config))).state_dict()
        del named["lm_head.weight"]
        return named

    monkeypatch.setattr(smollm2, "folder", lambda: folder)
    monkeypatch.setattr(lora, "tokenizer", lambda: tokens)
    monkeypatch.setattr(smollm2, "CONFIG", config)
    monkeypatch.setattr(smollm2, "weights", weights)


def adapter(folder: Path) -> Path:
    """A finished training of an adapter, as `models.smollm2` leaves it; `install` comes first."""
    how = Training(tokens=400, epochs=1, rate=1e-2)
    adapted = AdaptedModel(how)
    legal, dev = easy(8, "t"), easy(4, "d")
    packed, looked = (rows(adapted.tokens, together(some), how) for some in (legal, dev))
    complete(folder, adapted.tokens, legal, dev, train(adapted, packed, looked, how, folder))
    return folder
