"""The judge's own forward pass: that of transformers, each sequence as if alone; its stored weights are made again if damaged."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from groundscope.models.pairs import causal, packed
from groundscope.models.pairs.encoders import TextPair
from groundscope.models.pairs.models import LoadedModel
from groundscope.models.weights import smollm2
from models import lora
from tests.scorers.judges import tiny_llama

RNG = np.random.default_rng(0)
START = RNG.integers(3, 250, 150).tolist()
SEQUENCES = sorted(
    [[*START[:n], *RNG.integers(3, 250, m).tolist()] for n, m in ((0, 30), (150, 9), (150, 35), (150, 60), (90, 400), (0, 800))]
)
SEQUENCES += [SEQUENCES[-1], START]


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("adapter")
    with pytest.MonkeyPatch.context() as patch:
        tiny_llama.install(folder / "base", patch)
        return tiny_llama.adapter(folder / "made")


@pytest.fixture
def base(adapter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    tiny_llama.install(tmp_path / "base", monkeypatch)
    return lora.base_model(torch.float32).eval()


def padded(sequences: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    ids = torch.zeros((len(sequences), max(map(len, sequences))), dtype=torch.long)
    mask = torch.zeros_like(ids)
    for i, sequence in enumerate(sequences):
        ids[i, : len(sequence)], mask[i, : len(sequence)] = torch.tensor(sequence), 1
    return ids, mask, mask


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@torch.inference_mode()
def test_a_sequence_has_the_numbers_of_transformers_and_to_the_bit_those_it_has_alone(base: Any, dtype: torch.dtype) -> None:
    c = base.config
    shape = packed.LlamaShape(c.num_attention_heads, c.num_key_value_heads, c.head_dim, c.rms_norm_eps, 100_000.0)
    model = packed.module(packed.weights_of(base.state_dict(), shape, [5, 6, 7], dtype))
    together = model(*padded(SEQUENCES))
    alone = torch.cat([model(*padded([sequence])) for sequence in SEQUENCES])
    assert torch.equal(together, alone)
    expected = torch.stack([base(torch.tensor([s])).logits[0, -1, [5, 6, 7]] for s in SEQUENCES])
    assert torch.allclose(together.float(), expected, atol=1e-4 if dtype == torch.float32 else 0.1)


def test_a_beginning_is_packed_once_and_neighbours_begin_alike() -> None:
    rows = packed.packing([[1, 2, 3], [1, 2, 4, 5], [1, 2, 4, 5], [9]])
    assert rows == ([1, 2, 3, 4, 5, 9], [0, 1, 2, 2, 3, 0], [[0, 1, 2], [0, 1, 3, 4], [0, 1, 3, 4], [5]], [0, 2, 4, 0])
    texts = [np.array(t, np.int32) for t in ([7, 1], [2, 2, 2], [7, 1, 1], [2, 2])]
    assert [(b.places, b.length) for b in packed.beginning_alike(texts, 5)] == [([3, 1], 3), ([0, 2], 3)]


def supports(loaded: LoadedModel) -> list[float]:
    (encoded,) = loaded.encoder.encode([TextPair("The notice was late.", "The notice was served in 2003.")])
    return loaded.model(*padded([encoded.windows[0].ids.tolist()])).flatten().tolist()  # type: ignore[no-any-return]


def test_a_later_start_reads_what_the_first_one_stored(adapter: Path, base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = supports(causal.load(adapter, "judge", "bf16"))
    path = causal.file_of(adapter, "bf16")
    assert [p.name for p in path.parent.iterdir()] == [path.name], "nothing half-written is left"
    with monkeypatch.context() as without:
        without.setattr(smollm2, "weights", lambda *_: pytest.fail("the base was read again"))
        assert supports(causal.load(adapter, "judge", "bf16")) == first
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[-9] ^= 255
    for damaged in (whole[: len(whole) // 2], bytes(flipped), b""):
        path.write_bytes(damaged)
        assert packed.stored(path) is None
        assert supports(causal.load(adapter, "judge", "bf16")) == first
        assert packed.stored(path)


def test_a_full_disk_costs_the_next_start_its_time_and_nothing_else(
    adapter: Path, base: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = supports(causal.load(adapter, "judge", "fp32"))
    path = causal.file_of(adapter, "fp32")
    path.unlink()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(packed.os, "fsync", full)
    assert supports(causal.load(adapter, "judge", "fp32")) == first
    assert not list(path.parent.iterdir())
