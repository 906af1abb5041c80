"""The data to resume a training, also after the app was closed: its options, files of pairs, and its cases but the samples.

Stored under `trainings` in the data folder, readable only by the user, until the training is finished or deleted.
No streamlit.
"""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from groundscope.cases.dataset import to_jsonl
from groundscope.errors import DataError
from groundscope.methods.defaults import EMBEDDER
from groundscope.paths import data_folder
from groundscope.training.options import Options
from groundscope.training.own_models import folder_of
from groundscope.training.pairs import RECIPES, Recipe
from groundscope.types import Case

RecipeName = Literal["paper", "evidence"]

_NUMBERS = ("epochs", "rate", "batch", "longest", "patience", "seed")
_PARTS = ("evidence", "labels", "smoothing", "scope", "edits")
_REQUEST, _CASES, _FILES = "request.json", "cases", "pairs"
_ENDING = re.compile(r"\.(jsonl|json|csv|parquet|gz)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wish:
    """The training that the user requests; the base is `minilm`, a folder, or a hub id, the embedder a method that embeds."""

    name: str
    recipe: RecipeName
    base: str
    options: Options
    embedder: str = EMBEDDER
    changed: Recipe | None = None
    """The recipe as the user changed it; None = as it is."""
    split: str = "train"
    teacher: str = ""
    """RUN/METHOD; empty = none."""

    def arguments(self) -> list[str]:
        """Arguments of the command, without the cases."""
        # After an equals sign, a value that begins with a hyphen is not read as an option.
        named = [f"--{name}={getattr(self, name)}" for name in ("name", "split", "recipe", "base", "embedder")]
        values = {name: getattr(self.options, name) for name in _NUMBERS}
        numbers = [f"--{name}={f'{value:g}' if isinstance(value, float) else value}" for name, value in values.items()]
        frozen = ["--frozen-embeddings"] if self.options.frozen_embeddings else []
        usual, made = RECIPES[self.recipe], self.changed or RECIPES[self.recipe]
        parts = [f"--{name}={value}" for name in _PARTS if (value := getattr(made, name)) != getattr(usual, name)]
        taught = [f"--teacher={self.teacher}"] if self.teacher else []
        return [*named, *numbers, *frozen, *parts, *taught]


def write(wish: Wish, title: str, cases: Sequence[Case] | None, pairs: Mapping[str, bytes]) -> None:
    """Store the request with the title and all cases of the set, and files of pairs by name; no cases = the samples."""
    place = _place(wish.name)
    try:
        place.mkdir(parents=True, mode=0o700)
        if cases is not None:
            (place / _CASES).mkdir()
            (place / _CASES / file_name(title)).write_text(to_jsonl(cases), encoding="utf-8")
        for number, (name, data) in enumerate(pairs.items(), 1):
            folder = place / _FILES / str(number)
            folder.mkdir(parents=True)
            (folder / file_name(name)).write_bytes(data)
        written = {"title": title, "arguments": wish.arguments()}
        (place / _REQUEST).write_text(json.dumps(written) + "\n", encoding="utf-8")
    except OSError as error:
        shutil.rmtree(place, ignore_errors=True)
        why = error.strerror or type(error).__name__
        raise DataError(
            f"The cases cannot be saved for the training ({why}). Check the data folder and its free space."
        ) from error


def remove(name: str) -> None:
    """Delete the request and its copy of the cases."""
    shutil.rmtree(_place(name), ignore_errors=True)


def names() -> list[str]:
    """The names with a request, or with remains of one."""
    return [path.name for path in _place("").glob("*") if is_name(path.name)]


def arguments(name: str) -> list[str]:
    """Arguments of the command, with the cases; empty if there is no request."""
    stored = _read(name).get("arguments", [])
    found = {"--cases": (_place(name) / _CASES).glob("*"), "--pairs": (_place(name) / _FILES).glob("*/*")} if stored else {}
    files = {option: sorted(map(str, paths)) for option, paths in found.items()}
    return [*stored, *(word for option, paths in files.items() if paths for word in (option, *paths))]


def title(name: str) -> str:
    """The name of the set; empty if unknown."""
    return str(_read(name).get("title", ""))


def is_name(name: str) -> bool:
    """Whether a name is valid for a model."""
    try:
        folder_of(name)
    except DataError:
        return False
    return True


def file_name(title: str) -> str:
    """The file name of a set's cases; the model card shows it."""
    bare = title
    while (shorter := _ENDING.sub("", bare)) != bare:
        bare = shorter
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '-', bare).strip('-.')[:60] or 'cases'}.jsonl"


def _place(name: str) -> Path:
    return data_folder() / "trainings" / name


def _read(name: str) -> dict[str, Any]:
    try:
        found = json.loads((_place(name) / _REQUEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    good = isinstance(found, dict) and isinstance(found.get("arguments"), list)
    return found if good and all(isinstance(a, str) for a in found["arguments"]) else {}
