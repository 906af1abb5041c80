"""Loaded models: one object for all, as many as half the memory holds, one on a graphics card."""

import pytest

from groundscope.errors import ScorerUnavailable
from scorers._weights import memory


@pytest.fixture(autouse=True)
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_loaded", {})
    monkeypatch.setattr(memory, "_memory", lambda: 1_000)


def hold(name: str, size: int = 200) -> object:
    return memory.held(name, lambda: (object(), size))


def test_a_model_is_loaded_once() -> None:
    assert hold("a") is hold("a")
    assert hold("a") is not hold("b")


def test_the_least_recently_used_goes_when_half_the_memory_is_full() -> None:
    first, second = hold("a"), hold("b")
    assert hold("a") is first
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
