"""Loaded models, one object a process for each: on a graphics card one at a time, elsewhere as many as half the memory holds.

The least recently used goes first. A model that is in use stays until its work is done.
"""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, TypeVar

from groundscope.runtime.machine import this_machine

_SHARE = 0.5

_loaded: dict[str, tuple[Any, int]] = {}
_loading = threading.Lock()
_Model = TypeVar("_Model")


def held(signature: str, build: Callable[[], tuple[_Model, int]]) -> _Model:
    """Give a loaded model, or load it; others go if there is no room."""
    with _loading:
        if signature in _loaded:
            # The last one is the one used last.
            _loaded[signature] = found = _loaded.pop(signature)
            return found[0]  # type: ignore[no-any-return]
        if _one_at_a_time():
            _forget(len(_loaded))
        model, size = build()
        _loaded[signature] = (model, size)
        while len(_loaded) > 1 and sum(size for _, size in _loaded.values()) > _SHARE * _memory():
            _forget(1)
        return model


def size_of(model: Any) -> int:
    """Bytes of a torch module's weights and buffers."""
    return sum(t.numel() * t.element_size() for tensors in (model.parameters(), model.buffers()) for t in tensors)


def device() -> str:
    """Where local models run: `cuda` if there is such a device, else `cpu`."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def placed(model: Any, *, bf16: bool) -> Callable[[], AbstractContextManager[Any]]:
    """Move a torch module to where models run here."""
    import torch

    where = device()
    if where == "cuda":
        model.to(where)
        return partial(torch.autocast, where, torch.bfloat16) if bf16 else nullcontext
    model.to(device=where, dtype=torch.bfloat16 if bf16 else torch.float32)
    return nullcontext


def _one_at_a_time() -> bool:
    return bool(_loaded) and device() == "cuda"


def _forget(count: int) -> None:
    for signature in list(_loaded)[:count]:
        del _loaded[signature]
    if count and device() == "cuda":
        import torch

        torch.cuda.empty_cache()


def _memory() -> int:
    return this_machine().memory
