"""Folders of weights: which ones a method reads, how to change what is in them, and what a failure must look like."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from groundscope.methods import registry
from groundscope.models.pairs.method import PairMethod
from groundscope.types import Judgement, Status
from tests.scorers.pair_methods.published import PUBLISHED

if TYPE_CHECKING:
    import torch

Damage = Callable[[Path], object]
Tensors: TypeAlias = "dict[str, torch.Tensor]"

RESPONSE = "The court of appeal dismissed the appeal in 2003. The landlord was awarded costs."
CONTEXT = "The court of appeal dismissed the appeal. Costs of 4,500 euros were awarded to the tenant."

WEIGHTS = {method: published.weights for method, published in PUBLISHED.items()}
TOKENIZERS = {method: published.tokenizer for method, published in PUBLISHED.items()}
# Where the configuration comes from, which is another folder for one of them.
CONFIGS = WEIGHTS | {"hem_v2": TOKENIZERS["hem_v2"]}


def load(method: str, **parameters: Any) -> PairMethod:
    scorer = registry.load(method, **{"precision": "fp32", **parameters})
    assert isinstance(scorer, PairMethod)
    return scorer


def _named(method: str) -> str:
    """The names of all folders that a method reads, as a pattern."""
    return "|".join(re.escape(folders[method]) for folders in (WEIGHTS, CONFIGS, TOKENIZERS))


def check_sentence(note: str) -> None:
    assert note.endswith(".")
    assert not re.search(r"[.!?]\s", note), note
    assert re.search(r"\b(get|give|choose|put)\b", note), note


def check_failed(method: str, judgement: Judgement) -> None:
    assert judgement == Judgement(Status.FAILED, note=judgement.note, context_seen=0.0)
    check_sentence(judgement.note)
    assert re.search(_named(method), judgement.note), judgement.note


def change(file: Path, **entries: Any) -> None:
    found = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**found, **entries}), encoding="utf-8")


def weights_file(folder: Path) -> Path:
    (found,) = [folder / name for name in ("model.safetensors", "pytorch_model.bin") if (folder / name).is_file()]
    return found


def tensors_of(folder: Path) -> Tensors:
    import torch
    from safetensors.torch import load_file

    file = weights_file(folder)
    found: Tensors = load_file(file) if file.suffix == ".safetensors" else torch.load(file, weights_only=True)
    return found


def save(folder: Path, tensors: Tensors) -> None:
    import torch
    from safetensors.torch import save_file

    file = weights_file(folder)
    if file.suffix == ".safetensors":
        save_file(tensors, file, {"format": "pt"})
    else:
        torch.save(tensors, file)


def inner(tensors: Tensors) -> str:
    """A matrix of the model's last layer."""
    return max(name for name, tensor in tensors.items() if tensor.dim() == 2 and re.search(r"\b(layer|block)\.1\.", name))


def without_a_layer(folder: Path) -> None:
    tensors = tensors_of(folder)
    del tensors[inner(tensors)]
    save(folder, tensors)


def with_nan(folder: Path) -> None:
    import torch

    tensors = tensors_of(folder)
    last = (name for name in tensors if name.endswith(("classifier.weight", "classifier.out_proj.weight")))
    name = next(last, inner(tensors))
    save(folder, {**tensors, name: torch.full_like(tensors[name], torch.nan)})


def cut_in_half(folder: Path) -> None:
    file = weights_file(folder)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def as_a_pickle(folder: Path) -> None:
    import torch

    tensors = tensors_of(folder)
    weights_file(folder).unlink()
    torch.save(tensors, folder / "pytorch_model.bin")


def write(name: str, text: str | bytes) -> Damage:
    return lambda folder: (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)


def without(*names: str) -> Damage:
    def remove(folder: Path) -> None:
        there = [folder / name for name in names if (folder / name).exists()]
        assert there
        for file in there:
            file.unlink()

    return remove


AUTO_MAP = {"auto_map": {"AutoConfig": "own.Config", "AutoModelForSequenceClassification": "own.Model"}}


def elsewhere(models: Path, method: str, place: Path, factor: float = 1.0) -> Path:
    """A copy of a method's weights that no method looks for, with other numbers in its last layer."""
    folder = shutil.copytree(models / WEIGHTS[method], place)
    tensors = tensors_of(folder)
    name = inner(tensors)
    save(folder, {**tensors, name: tensors[name] * factor})
    return folder
