"""Folders of sentence-transformers models on this machine: found, checked and identified without loading torch.

Nothing is downloaded, and nothing in a folder is trusted: it may not bring code, and weights must be safetensors.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any

from groundscope.errors import ScorerUnavailable
from groundscope.models.weights.checkpoint import config
from groundscope.models.weights.files import check_ordinary, fingerprint, json_object
from groundscope.paths import PROGRAMS, Variable

MODULES = "modules.json"
_OWN = "sentence_transformers."
_ROUTER = "router_config.json"
_INDEX = "model.safetensors.index.json"
_SETTINGS = (MODULES, _ROUTER, "config_sentence_transformers.json", "sentence_bert_config.json", _INDEX)
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt")
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "spm.model", "spiece.model", "sentencepiece.bpe.model")
_SAMPLE = 1 << 20
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_REVISION = re.compile(r"[\w.-]{1,100}")


def find(line: str) -> Path:
    """Find the folder of a model by a path, or a hub id (with `@revision` unless it is main) that is already here."""
    places = list(_places(line))
    for place in places:
        if _has(place, MODULES):
            check_ordinary(place, name(line))
            return place
    if any(_has(place, "config.json") for place in places):
        raise ScorerUnavailable(
            f"The folder of {name(line)} has no {MODULES}, so it is not known how its model makes one vector of a text; get the "
            "whole model, or choose a sentence-transformers model."
        )
    if (published := _published(line)) is None:
        raise ScorerUnavailable(f"There is no folder {name(line)!r} with a {MODULES}; give a folder or a hub id.")
    model, revision = published
    pinned = f" --revision {revision}" if revision else ""
    raise ScorerUnavailable(
        f"{line} is not on this machine; run `{PROGRAMS}hf download {model}{pinned}` once, or put it into a folder `{model}` "
        f"under {Variable.MODELS}."
    )


def name(line: str) -> str:
    """Name a model without its path, which may be private: its hub id, or the last part of the path, up to 60 characters."""
    return line if _published(line) else (PurePosixPath(line.replace("\\", "/")).name or line)[:60]


def _places(line: str) -> Iterator[Path]:
    try:
        yield Path(line).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):
        return
    if (published := _published(line)) is None:
        return
    model, revision = published
    if root := Variable.MODELS.read():
        yield Path(root) / model
    from huggingface_hub import try_to_load_from_cache

    for file in (MODULES, "config.json"):
        with suppress(ValueError):  # what looks like an id, and is none to the hub
            cached = try_to_load_from_cache(model, file, revision=revision or None)
            if isinstance(cached, str):
                yield Path(cached).parent


def _published(line: str) -> tuple[str, str] | None:
    """A hub id and its revision (empty = main); None where the line can only be a path."""
    model, at, revision = line.partition("@")
    if not _HUB_ID.fullmatch(model) or (at and not _REVISION.fullmatch(revision)):
        return None
    return model, revision


def _has(place: Path, file: str) -> bool:
    try:
        return (place / file).is_file()
    except OSError:  # too long for a path, or not ours to look into
        return False


def modules(folder: Path, called: str) -> list[tuple[str, Path]]:
    """List the modules of a model, those that a router chooses among last; `called` is its name, for messages."""
    try:
        listed = json.loads((folder / MODULES).read_text(encoding="utf-8"))
        parts = [(str(m["type"]), PurePosixPath(m["path"])) for m in listed]
        for kind, path in tuple(parts):
            if kind.endswith(".Router"):
                check_ordinary(folder / path, called)
                chosen = json.loads((folder / path / _ROUTER).read_text(encoding="utf-8"))["types"]
                parts += [(str(inner), path / name) for name, inner in chosen.items()]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ScorerUnavailable(f"The {MODULES} of {called} cannot be read; get the model again.") from None
    if not parts or any(path.is_absolute() or ".." in path.parts for _, path in parts):
        raise ScorerUnavailable(f"The {MODULES} of {called} names no modules inside its folder; get the model again.")
    for place in dict.fromkeys(folder / path for _, path in parts):
        check_ordinary(place, called)
    return [(kind, folder / path) for kind, path in parts]


@contextmanager
def _reading(called: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ScorerUnavailable(
            f"The folder of {called} cannot be read ({type(error).__name__}); check its permissions, or get the model again."
        ) from None


def check(folder: Path, called: str) -> None:
    """Refuse a folder that would run code, holds pickles or lacks files: `ScorerUnavailable` says what to do."""
    with _reading(called):
        for kind, place in modules(folder, called):
            if not kind.startswith(_OWN):
                raise _own_code(called, MODULES)
            _check_module(place, called, pickles=place.iterdir() if place == folder else place.rglob("*"))
            if kind.endswith(".Transformer"):
                _check_transformer(place, called)


def _check_module(place: Path, called: str, pickles: Iterator[Path]) -> None:
    for file in ("config.json", "tokenizer_config.json"):
        if (place / file).is_file() and "auto_map" in _object(place, file, called):
            raise _own_code(called, file)
    for path in pickles if place.is_dir() else ():
        if path.suffix in _PICKLES and not any(path.parent.glob("*.safetensors")):
            raise ScorerUnavailable(
                f"{called} holds a pickle ({path.name[:60]}), which can run code when it is read; get it in safetensors."
            )


def _check_transformer(place: Path, called: str) -> None:
    if not any((place / file).is_file() for file in ("model.safetensors", _INDEX)):
        raise ScorerUnavailable(f"The folder of {called} has no model.safetensors; get the model again.")
    if (place / _INDEX).is_file():
        pieces = _object(place, _INDEX, called).get("weight_map")
        if not isinstance(pieces, dict) or any(not isinstance(p, str) or Path(p).name != p for p in pieces.values()):
            raise ScorerUnavailable(f"The {_INDEX} of {called} names files outside its folder; get the model again.")
    if not any((place / file).is_file() for file in _TOKENIZERS):
        raise ScorerUnavailable(f"{called} came without tokenizer.json or a vocabulary; get the model again.")


def _object(place: Path, file: str, called: str) -> dict[str, Any]:
    if file == "config.json":
        return config(place, called)
    if (content := json_object(place / file)) is None:
        raise ScorerUnavailable(f"The {file} of {called} is no JSON object; get the model again.")
    return content


def _own_code(called: str, file: str) -> ScorerUnavailable:
    return ScorerUnavailable(f"{called} asks in its {file} to run code of its own, which is refused; choose another model.")


def identity(folder: Path, called: str) -> str:
    """Twelve digits of the commit in the hub's cache, else of a hash of weights, configuration, prompts and tokenizer."""
    if folder.parent.name == "snapshots":
        return folder.name[:12]
    with _reading(called):
        return _digest(folder, modules(folder, called))


def _digest(folder: Path, parts: list[tuple[str, Path]]) -> str:
    digest = hashlib.blake2b(digest_size=6)
    for place in dict.fromkeys((folder, *(place for _, place in parts))):
        digest.update(fingerprint(place).encode())
        for path in sorted(place.glob("*")) if place.is_dir() else ():
            if path.name in _SETTINGS:
                digest.update(path.read_bytes())
            elif path.suffix == ".safetensors" and path.name != "model.safetensors":
                # A piece of a large model: its size and its two ends.
                with path.open("rb") as file:
                    digest.update(f"{path.name} {path.stat().st_size} ".encode() + file.read(_SAMPLE))
                    file.seek(max(0, path.stat().st_size - _SAMPLE))
                    digest.update(file.read(_SAMPLE))
    return digest.hexdigest()
