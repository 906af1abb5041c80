"""Tensors of a training checkpoint, a pickle, read without running what it names.

Lightning's checkpoints hold more than tensors: options, callbacks, optimisers, objects of classes that are not installed here.
Only what tensors are made of is built; every other name becomes an inert dictionary.
"""

import pickle
from collections import OrderedDict
from pathlib import Path
from typing import Any

from groundscope.errors import ScorerUnavailable
from scorers._weights.checkpoint import readable

_TENSORS = {
    ("torch._utils", "_rebuild_tensor_v2"),
    ("torch._utils", "_rebuild_parameter"),
    ("torch", "FloatStorage"),
    ("torch", "HalfStorage"),
    ("torch", "BFloat16Storage"),
    ("torch", "LongStorage"),
    ("torch", "BoolStorage"),
}


class _Ignored(dict):  # type: ignore[type-arg]
    """Stands for an object of any other class: takes whatever the pickle does with it, and does nothing."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()

    def __call__(self, *_: Any, **__: Any) -> "_Ignored":
        return self

    def __setstate__(self, _: Any) -> None:
        pass

    def append(self, _: Any) -> None:
        pass

    def extend(self, _: Any) -> None:
        pass


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) in _TENSORS:
            return super().find_class(module, name)
        return _Ignored


class _Reader:
    """What torch asks of a pickle module."""

    Unpickler = _Unpickler
    __name__ = "groundscope"


def tensors_of(path: Path, name: str) -> dict[str, Any]:
    """Read the tensors of a checkpoint's `state_dict`, on the processor."""
    with readable(name):
        import torch

        content = torch.load(path, map_location="cpu", weights_only=False, pickle_module=_Reader)
        state = content.get("state_dict") if isinstance(content, dict) else None
        tensors = {str(k): v.float() for k, v in state.items() if isinstance(v, torch.Tensor)} if isinstance(state, dict) else {}
    if not tensors:
        raise ScorerUnavailable(f"The checkpoint of {name} holds no weights under state_dict; get the published file again.")
    return tensors
