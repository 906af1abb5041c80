"""Loaded models: one object for all, as many as half the memory holds, one on a graphics card."""

import pytest
import torch

from groundscope.errors import ScorerUnavailable
from groundscope.models.weights import memory
from groundscope.runtime.machine import Machine


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_loaded", {})
    monkeypatch.setattr(memory, "_memory", lambda: 1_000)


def hold(name: str, size: int = 200) -> object:
    return memory.held(name, lambda: (object(), size))


def test_a_model_is_loaded_once_until_it_is_the_least_recently_used_and_half_the_memory_is_full() -> None:
    first, second = hold("a"), hold("b")
    assert hold("a") is first is not second
    hold("c")
    assert set(memory._loaded) == {"a", "c"}
    assert hold("b") is not second


def test_a_model_larger_than_that_is_alone() -> None:
    hold("a")
    large = hold("large", 5_000)
    assert set(memory._loaded) == {"large"}
    assert hold("large") is large


def test_on_a_graphics_card_one_model_is_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "device", lambda: "cuda")
    hold("a")

    def build() -> tuple[object, int]:
        # The other is gone before this one takes its place.
        assert not memory._loaded
        return object(), 200

    memory.held("b", build)
    assert set(memory._loaded) == {"b"}


def test_a_model_that_cannot_be_loaded_leaves_nothing() -> None:
    def fails() -> tuple[object, int]:
        raise ScorerUnavailable("The weights are missing; get them.")

    with pytest.raises(ScorerUnavailable):
        memory.held("a", fails)
    assert not memory._loaded


@pytest.mark.parametrize(
    ("graphics", "torch_version", "flags", "wanted"),
    [
        (True, "2.13.0+cu130", frozenset(), "bf16"),
        (True, "2.13.0", frozenset(), "bf16"),
        (True, "2.13.0+cpu", frozenset(), "fp32"),
        (False, "2.13.0", frozenset(), "fp32"),
        (False, "2.13.0+cpu", frozenset({"avx512_bf16"}), "bf16"),
    ],
)
def test_the_fast_number_format_follows_the_graphics_card_that_torch_can_use(
    graphics: bool, torch_version: str, flags: frozenset[str], wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "this_machine", lambda: Machine(8_000_000_000, graphics))
    monkeypatch.setattr(memory, "version", lambda _: torch_version)
    monkeypatch.setattr(memory, "processor_flags", lambda: flags)
    memory.fast.cache_clear()
    memory.native.cache_clear()
    try:
        assert memory.fast() == wanted
    finally:
        memory.fast.cache_clear()
        memory.native.cache_clear()


def test_a_model_on_the_processor_computes_in_the_format_that_was_asked_for() -> None:
    for bf16, dtype in ((True, torch.bfloat16), (False, torch.float32)):
        layer = torch.nn.Linear(2, 2)
        with memory.placed(layer, bf16=bf16)():
            assert layer(torch.ones(1, 2, dtype=dtype)).dtype is dtype
