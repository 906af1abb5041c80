"""The methods: one file each, found by its name.

A file `scorers/quip.py` holds one class with a `score` method; its parameters are dataclass fields. A file may declare
`VARIANTS = {"name": {parameters}}`; each becomes the method id `file:name`. So does what its function `variants()` finds on
this machine. A leading underscore marks a shared helper.
"""

import importlib
import inspect
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from evaluation.chat import ChatModel
from evaluation.errors import ScorerUnavailable
from evaluation.types import Scorer

if TYPE_CHECKING:
    from scorers._embedders import Offer, OfferedEmbedder

_FOLDER = Path(__file__).parent


def names() -> tuple[str, ...]:
    """Every method id, sorted; a file's plain method before its variants. Loads no model and no torch."""
    found: list[str] = []
    for stem in _stems():
        found.append(stem)
        try:
            variants = _variants(_module(stem))
        except ScorerUnavailable:
            continue
        found.extend(f"{stem}:{variant}" for variant in sorted(variants))
    return tuple(found)


def load(name: str, **params: Any) -> Scorer:
    """Build a scorer. Cheap: weights are read at the first score.

    Args:
        name: a method id, `file` or `file:variant`.
        **params: dataclass fields of the scorer, over the variant's.

    Raises:
        ValueError: no such method, or no such parameter.
        ScorerUnavailable: the scorer's file cannot be imported.
    """
    stem, colon, variant = name.partition(":")
    if stem not in _stems():
        raise ValueError(f"no method {name!r}; there are {', '.join(names())}")
    module = _module(stem)
    variants = _variants(module)
    if colon and variant not in variants:
        raise ValueError(
            f"no method {name!r}: {stem} has no variant {variant!r}; there are {', '.join(sorted(variants)) or 'none'}"
        )
    cls = _scorer_class(module)
    allowed = _allowed(cls)
    if unknown := sorted(set(params) - set(allowed)):
        raise ValueError(f"{name} has no parameter {', '.join(unknown)}; there are {', '.join(allowed) or 'none'}")
    return cast(Scorer, cls(**{**variants.get(variant, {}), **params}))


def parameters(name: str) -> tuple[str, ...]:
    """The names of a method's parameters.

    Raises:
        ValueError: no such method.
        ScorerUnavailable: the scorer's file cannot be imported.
    """
    stem = name.partition(":")[0]
    if stem not in _stems():
        raise ValueError(f"no method {name!r}; there are {', '.join(names())}")
    return tuple(_allowed(_scorer_class(_module(stem))))


def chat(line: str) -> ChatModel:
    """The chat model of a spec (see `evaluation.chat_spec`), for pages and experiments that ask one themselves.

    Raises:
        ValueError: the spec means nothing.
    """
    model: ChatModel = _module("_llm").chat(line)
    return model


def base(line: str) -> Path:
    """The folder of an encoder to fine-tune: `minilm`, a folder, or a hub id whose weights are on this machine.

    Raises:
        ScorerUnavailable: it is not here; the message says how to get it.
    """
    folder: Path = _module("_bases").folder(line)
    return folder


def embedder(line: str) -> "OfferedEmbedder":
    """The embedder of a line: `minilm`, `local:FOLDER_OR_HUB_ID`, or `provider:model` with one of openai, isaacus, google.

    Raises:
        ValueError: the line means nothing.
    """
    found: OfferedEmbedder = _module("_embedders").embedder(line)
    return found


def embedders() -> tuple["Offer", ...]:
    """The embedders that a page offers: id, title, the host that texts go to, and why one cannot be used here."""
    found: tuple[Offer, ...] = _module("_embedders").embedders()
    return found


def _variants(module: ModuleType) -> dict[str, dict[str, Any]]:
    """The variants that a file declares, and those that it finds on this machine."""
    found: dict[str, dict[str, Any]] = dict(getattr(module, "VARIANTS", {}))
    if hasattr(module, "variants"):
        found |= module.variants()
    return found


def _allowed(cls: type) -> list[str]:
    return [f.name for f in fields(cls)] if is_dataclass(cls) else list(inspect.signature(cls).parameters)


def _stems() -> tuple[str, ...]:
    return tuple(sorted(p.stem for p in _FOLDER.glob("*.py") if not p.stem.startswith("_")))


@lru_cache
def _module(stem: str) -> ModuleType:
    try:
        return importlib.import_module(f"scorers.{stem}")
    except Exception as error:  # a file that breaks at import, however it does, must not take the others along
        raise ScorerUnavailable(
            f"{stem} cannot be loaded ({type(error).__name__}: {error}); run `make app` again to install what it needs."
        ) from error


def _scorer_class(module: ModuleType) -> type:
    own = [
        cls
        for _, cls in inspect.getmembers(module, inspect.isclass)
        if cls.__module__ == module.__name__ and callable(getattr(cls, "score", None))
    ]
    if len(own) != 1:
        raise ScorerUnavailable(f"{module.__name__} must define exactly one class with a score method, has {len(own)}.")
    return own[0]
