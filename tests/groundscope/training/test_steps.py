"""The order of pairs, the fp32 copy of bf16 weights, and the loss on words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from groundscope.errors import Cancelled
from groundscope.training._base import in_hardware
from groundscope.training.finetuning import finetune
from tests.groundscope.training.made import noise, stop_at
from tests.groundscope.training.test_resume import LONG, stopped
from tests.groundscope.training.test_training import same, weights

if TYPE_CHECKING:
    import torch
    from sentence_transformers import CrossEncoder

    from groundscope.training._steps import MasterAdamW

PURE = replace(LONG, bf16=True, bf16_weights=True, dropout=0.0)


def order(seed: int, epoch: int = 0) -> list[list[int]]:
    from datasets import Dataset

    from groundscope.training._steps import ByLength

    rows = Dataset.from_dict({"evidence": ["x" * (7 * i % 500) for i in range(1000)], "sentence": ["y"] * 1000})
    sampler = ByLength(rows, batch_size=8, drop_last=False, seed=seed)
    sampler.set_epoch(epoch)
    return list(sampler)


def test_every_pair_comes_once_an_epoch_beside_others_of_its_length() -> None:
    batches = order(1)
    assert sorted(i for b in batches for i in b) == list(range(1000))
    spread = [max(7 * i % 500 for i in b) - min(7 * i % 500 for i in b) for b in batches]
    assert np.mean(spread) < 20
    assert spread != sorted(spread)


def test_the_order_hangs_on_seed_and_epoch_alone() -> None:
    assert order(1) == order(1)
    assert order(1) != order(2)
    assert order(1) != order(1, epoch=1)


def model(seed: int = 0) -> torch.nn.Linear:
    import torch

    torch.manual_seed(seed)
    return torch.nn.Linear(8, 4).bfloat16()


def steps(trained: torch.nn.Linear, optimizer: MasterAdamW, count: int) -> None:
    import torch

    for i in range(count):
        draw = torch.Generator().manual_seed(i)
        trained(torch.randn(16, 8, generator=draw).bfloat16()).pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()


def test_changes_too_small_for_bf16_add_up() -> None:
    import torch

    from groundscope.training._steps import MasterAdamW

    trained = model()
    with torch.no_grad():
        trained.weight.fill_(1.0)
    optimizer = MasterAdamW(trained.parameters(), rate=1e-4, decay=0.0)
    steps(trained, optimizer, 1)
    assert (trained.weight == 1.0).all()
    steps(trained, optimizer, 99)
    assert (trained.weight < 1.0).all()


def test_a_kept_state_goes_on_to_the_same_weights() -> None:
    import torch

    from groundscope.training._steps import MasterAdamW

    whole, halves = model(), model()
    first = MasterAdamW(halves.parameters(), 1e-3, 0.01)
    steps(halves, first, 10)
    again = MasterAdamW(halves.parameters(), 5.0, 0.01)
    again.load_state_dict(first.state_dict())
    steps(halves, again, 10)
    straight = MasterAdamW(whole.parameters(), 1e-3, 0.01)
    steps(whole, straight, 10)
    steps(whole, straight, 10)
    assert torch.equal(whole.weight, halves.weight)
    assert torch.equal(whole.bias, halves.bias)


def test_bf16_weights_are_saved_in_16_bits_and_survive_a_stop(base: Path, tmp_path: Path) -> None:
    import torch

    finetune(noise(30, "t"), noise(12, "dd"), base, tmp_path / "whole", PURE)
    stopped(base, tmp_path / "m", 20, PURE)
    finetune(noise(30, "t"), noise(12, "dd"), base, tmp_path / "m", PURE)
    assert same(tmp_path / "m", tmp_path / "whole")
    if in_hardware():
        assert (tmp_path / "m" / "model.safetensors").stat().st_size < 0.6 * (base / "model.safetensors").stat().st_size
    else:
        assert {v.dtype for v in weights(tmp_path / "m").values()} == {torch.float32}


SENTENCE = "The appeal was dismissed in 2003."
TOLD = [p._replace(wrong=(29, 33), sentence=SENTENCE.replace("2003", "2005")) if p.label < 0.5 else p for p in noise(30, "t")]


@pytest.fixture
def encoder(base: Path) -> CrossEncoder:
    import torch
    from sentence_transformers import CrossEncoder

    torch.manual_seed(0)
    return CrossEncoder(str(base), num_labels=1, device="cpu", local_files_only=True)


def columns(*rows: tuple[str, str, int, int]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


def test_the_words_that_are_wrong_become_tokens(encoder: CrossEncoder) -> None:
    import torch

    from groundscope.training._steps import _overlap

    read = encoder.tokenizer("The court.", SENTENCE, return_offsets_mapping=True, return_tensors="pt")
    words = read.tokens()
    for (start, end), expected in {
        (28, 32): {"2003"},
        (4, 24): {"appeal", "was", "dismissed"},
        (11, 11): {"appeal", "was"},
        (-1, -1): set(),
    }.items():
        found = _overlap(read["offset_mapping"], torch.tensor([start]), torch.tensor([end]))[0]
        of_sentence = [part == 1 for part in read.sequence_ids(0)]
        assert {w for w, f, s in zip(words, found.tolist(), of_sentence, strict=True) if f and s} == expected, (start, end)


def test_without_words_it_is_the_loss_on_labels(encoder: CrossEncoder) -> None:
    import torch
    from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss

    from groundscope.training._steps import OnWords

    loss, plain = OnWords(encoder, 1.0, 64), BinaryCrossEntropyLoss(encoder)
    encoder.eval()
    labels = torch.tensor([0.0, 0.1])
    found = loss(columns(("The court.", SENTENCE, -1, -1), ("It held.", SENTENCE, -1, -1)), labels)
    assert found.item() == pytest.approx(plain([["The court.", "It held."], [SENTENCE, SENTENCE]], labels).item(), abs=1e-5)


def test_a_second_loss_falls_when_the_right_words_are_called_wrong(encoder: CrossEncoder) -> None:
    import torch

    from groundscope.training._steps import OnWords

    loss = OnWords(encoder, 1.0, 64)
    encoder.eval()
    rows, labels = columns(("The court.", SENTENCE, 28, 32), ("The court.", SENTENCE, -1, -1)), torch.tensor([0.0, 1.0])
    before = loss(rows, labels).item()
    optimizer = torch.optim.Adam(loss.parameters(), 3e-3)
    for _ in range(60):
        optimizer.zero_grad()
        loss(columns(("The court.", SENTENCE, 28, 32)), torch.tensor([0.0])).backward()
        optimizer.step()
    assert loss(columns(("The court.", SENTENCE, 28, 32)), torch.tensor([0.0])).item() < 0.2 * before


def test_a_training_on_words_leaves_no_second_output_and_survives_a_stop(base: Path, tmp_path: Path) -> None:
    options = replace(PURE, words=1.0)
    finetune(TOLD, noise(12, "dd"), base, tmp_path / "whole", options)
    with pytest.raises(Cancelled):
        finetune(TOLD, noise(12, "dd"), base, tmp_path / "m", options, watch=stop_at(20))
    finetune(TOLD, noise(12, "dd"), base, tmp_path / "m", options)
    assert same(tmp_path / "m", tmp_path / "whole")
    assert weights(tmp_path / "m").keys() == weights(base).keys()
    finetune(TOLD, noise(12, "dd"), base, tmp_path / "without", replace(options, words=0.0))
    assert not same(tmp_path / "without", tmp_path / "whole")
