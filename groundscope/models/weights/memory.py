"""Loaded models and their number format: one object a process for each model, and as many as fit.

On a graphics card one model is held at a time, elsewhere as many as half the memory holds. The least recently
used goes first. A model that is in use stays until its work is done.
"""

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal, TypeVar

from groundscope.runtime.machine import processor_flags, this_machine

_SHARE = 0.5

_loaded: dict[str, tuple[Any, int]] = {}
_loading = threading.Lock()
_changing = threading.Lock()
_importing = threading.Lock()
_Model = TypeVar("_Model")


def import_torch() -> None:
    """Import the library as a whole: a thread that imports it while another one does finds half of it."""
    # Spinning OpenMP threads starve each other when the app and the model share few cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    with _importing:
        import torch  # noqa: F401


def import_transformers() -> None:
    """Import the library as a whole, as `import_torch` does."""
    import_torch()
    with _importing:
        from transformers import AutoModel, AutoTokenizer  # noqa: F401


def held(signature: str, build: Callable[[], tuple[_Model, int]]) -> _Model:
    """Give a loaded model, or load it; others go if there is no room."""
    # A loaded one is not kept waiting by another one's loading, which takes seconds.
    if there := _again(signature):
        return there[0]  # type: ignore[no-any-return]
    with _loading:
        if there := _again(signature):
            return there[0]  # type: ignore[no-any-return]
        if _loaded and device() == "cuda":
            with _changing:
                _forget(len(_loaded))
        model, size = build()
        with _changing:
            _loaded[signature] = (model, size)
            while len(_loaded) > 1 and sum(size for _, size in _loaded.values()) > _SHARE * _memory():
                _forget(1)
        return model


def _again(signature: str) -> tuple[Any, int] | None:
    with _changing:
        if signature not in _loaded:
            return None
        # The last one is the one used last.
        _loaded[signature] = entry = _loaded.pop(signature)
        return entry


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


def _forget(count: int) -> None:
    for signature in list(_loaded)[:count]:
        del _loaded[signature]
    if count and device() == "cuda":
        import torch

        torch.cuda.empty_cache()


def _memory() -> int:
    return this_machine().memory


Precision = Literal["bf16", "fp32"]
PairPrecision = Literal["bf16", "fp32", "int8"]
"""Cross-encoders also run quantised, through onnxruntime. int8 moves supports by some hundredths: other thresholds."""

_BF16_FLAGS = {"avx512_bf16", "amx_bf16"}


@lru_cache(maxsize=1)
def native() -> Precision:
    """The fast number format here: `bf16` where the processor multiplies it in hardware (AVX-512 BF16 or AMX), else `fp32`."""
    return "bf16" if _BF16_FLAGS & processor_flags() else "fp32"


@lru_cache(maxsize=1)
def fast() -> Precision:
    """The fast number format of models that run on a graphics card where there is one: `bf16` there, else `native`."""
    try:
        # Torch without CUDA says so in its version, and need not be loaded for that.
        cuda = this_machine().graphics and not version("torch").endswith("+cpu")
    except PackageNotFoundError:
        cuda = False
    return "bf16" if cuda else native()
