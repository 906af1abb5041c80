"""Bases that cannot be fine-tuned, and pairs that cannot be learned from: one sentence each, and nothing is left behind."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from groundscope.errors import DataError, GroundscopeError, ScorerUnavailable
from groundscope.training.finetuning import check_base, finetune
from groundscope.training.pairs import Pair
from tests.groundscope.training.samples import QUICK, easy

if TYPE_CHECKING:
    import torch

TRAIN, DEV = easy(8, "t"), easy(4, "d")
BERT = {"model_type": "bert", "max_position_embeddings": 128}


@pytest.mark.parametrize(
    ("config", "longest", "words"),
    [
        ({"model_type": "gpt2", "n_positions": 1024}, 64, "The base is of type gpt2, not an encoder (bert, deberta-v2, "),
        ({**BERT, "is_decoder": True}, 64, "The base is of type bert, not an encoder ("),
        ({}, 64, "The base is of type None, not an encoder ("),
        ({"model_type": "<img src=x>\n\x1b[31m"}, 64, "The base is of type imgsrcx31m, not an encoder ("),
        ({"model_type": ["bert"]}, 64, "The base is of type bert, not an encoder ("),
        ({**BERT, "auto_map": {"AutoModel": "x.Y"}}, 64, "The base asks to run code from its own folder (auto_map), which is"),
        (BERT, 129, "The base reads 128 tokens at most, not 129; lower the longest input."),
        # Their first positions are the padding's.
        ({**BERT, "model_type": "roberta", "pad_token_id": 1}, 127, "The base reads 126 tokens at most, not 127;"),
        ({**BERT, "model_type": "mpnet", "pad_token_id": "x"}, 127, "The base reads 126 tokens at most, not 127;"),
        ({**BERT, "model_type": "xlm-roberta", "pad_token_id": 0}, 128, "The base reads 127 tokens at most, not 128;"),
        (None, 64, "The base has no readable config.json; give the folder that holds an encoder's weights."),
    ],
)
def test_a_base_that_is_no_encoder_for_this_is_refused(config: Any, longest: int, words: str, tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    if config is not None:
        (tmp_path / "base" / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(ScorerUnavailable) as caught:
        finetune(TRAIN, DEV, tmp_path / "base", tmp_path / "m", replace(QUICK, longest=longest))
    assert str(caught.value).startswith(words)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "m" / "model").exists()


@pytest.mark.parametrize("text", ["{", "\xff", "[" * 100_000, "[]"])
def test_a_config_that_is_no_json_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(ScorerUnavailable, match=r"^The base has no readable config\.json"):
        check_base(tmp_path, 64)


def test_as_many_tokens_as_there_are_positions_are_fine(tmp_path: Path) -> None:
    for config, longest in (
        (BERT, 128),
        ({**BERT, "model_type": "roberta", "pad_token_id": 1}, 126),
        ({"model_type": "bert"}, 512),
    ):
        (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
        check_base(tmp_path, longest)


def _tensors(base: Path, change: Callable[[dict[str, torch.Tensor]], dict[str, torch.Tensor]]) -> None:
    from safetensors.torch import load_file, save_file

    save_file(change(load_file(base / "model.safetensors")), base / "model.safetensors", {"format": "pt"})


def _no_layer(base: Path) -> None:
    _tensors(base, lambda found: {k: v for k, v in found.items() if "layer.1.attention.self.query" not in k})


def _another_layer(base: Path) -> None:
    import torch

    query = "bert.encoder.layer.1.attention.self.query.weight"
    _tensors(base, lambda found: {**found, query: torch.zeros(16, 16)})


def _no_numbers(base: Path) -> None:
    _tensors(base, lambda found: {k: v * float("nan") for k, v in found.items()})


def _no_tokenizer(base: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (base / name).unlink()


def _another_tokenizer(base: Path) -> None:
    found = json.loads((base / "tokenizer.json").read_text("utf-8"))
    vocabulary = found["model"]["vocab"]
    vocabulary["anotherword"] = len(vocabulary) + 500
    (base / "tokenizer.json").write_text(json.dumps(found), encoding="utf-8")


def _own_code(base: Path) -> None:
    modules = [{"idx": 0, "name": "0", "path": "", "type": "own_code.Model"}]
    (base / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    code = "from pathlib import Path\nPath(__file__).with_name('was_run').touch()\nclass Model:\n    pass\n"
    (base / "own_code.py").write_text(code, encoding="utf-8")


def _config(base: Path) -> None:
    found = json.loads((base / "config.json").read_text("utf-8"))
    (base / "config.json").write_text(json.dumps({**found, "hidden_size": 33}), encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (
            lambda base: (base / "model.safetensors").write_bytes(b"\xff" * 99),
            "The base's weights or its tokenizer cannot be read (",
        ),
        (_config, "The base's weights or its tokenizer cannot be read (ValueError); get them again or choose another."),
        (_own_code, "The base's weights or its tokenizer cannot be read (ValueError); get them again or choose another."),
        (_no_layer, "The base's weights lack 2 layers of its encoder; get them again."),
        (_another_layer, "The base's weights lack 1 layers of its encoder; get them again."),
        (_no_tokenizer, "The base came without the tokenizer that belongs to it; get its files again."),
        (_another_tokenizer, "The base came without the tokenizer that belongs to it; get its files again."),
        (_no_numbers, "The model gives no numbers: choose a lower learning rate, or another base if it does so from the start."),
    ],
)
def test_a_damaged_base_is_reported_and_makes_no_model(
    spoil: Callable[[Path], None], words: str, base: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(base, tmp_path / "base"))
    spoil(copy)
    with pytest.raises(GroundscopeError) as caught:
        finetune(TRAIN, DEV, copy, tmp_path / "m", QUICK)
    assert str(caught.value).startswith(words)
    assert str(caught.value).endswith(".")
    assert not (tmp_path / "m" / "model").exists()
    assert not (copy / "was_run").exists()


@pytest.mark.parametrize(
    ("train", "dev", "words"),
    [
        (TRAIN[::2], DEV, "The train pairs need supported and unsupported sentences; 8 pairs of one kind are there."),
        (TRAIN, DEV[1::2], "The dev pairs need supported and unsupported sentences; 4 pairs of one kind are there."),
        (TRAIN, [*DEV, *TRAIN[:4]], "2 queries are in train and in dev; put each in one of them only, or dev measures nothing."),
    ],
)
def test_pairs_that_cannot_be_learned_from_are_reported(
    train: list[Pair], dev: list[Pair], words: str, base: Path, tmp_path: Path
) -> None:
    with pytest.raises(DataError) as caught:
        finetune(train, dev, base, tmp_path / "m", QUICK)
    assert str(caught.value).startswith(words)
    assert list(tmp_path.iterdir()) == []
