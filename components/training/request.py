"""The data to resume a training, also after the app was closed: its options, and its cases but the samples.

Stored under `trainings` in the data folder, readable only by the user, until the training is finished or deleted.
No streamlit.
"""

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from groundscope.cases.dataset import to_jsonl
from groundscope.errors import DataError
from groundscope.paths import data_folder
from groundscope.training.own_models import folder_of
from groundscope.types import Case

_REQUEST, _CASES, _FILES = "request.json", "cases", "pairs"
_ENDING = re.compile(r"\.(jsonl|json|csv|parquet|gz)$", re.IGNORECASE)


def write(name: str, options: Sequence[str], title: str, cases: Sequence[Case] | None) -> None:
    """Store the request: the options of the command, the title of the set and all its cases; no cases = the samples."""
    place = _place(name)
    try:
        place.mkdir(parents=True, mode=0o700)
        if cases is not None:
            (place / _CASES).mkdir()
            (place / _CASES / file_name(title)).write_text(to_jsonl(cases), encoding="utf-8")
        # After an equals sign, a value that begins with a hyphen is not read as an option.
        written = {"title": title, "arguments": [f"--name={name}", *options]}
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
    """Arguments of the command, with the cases; empty if there is no request.

    Requests of earlier versions have files of pairs, too.
    """
    stored = _read(name).get("arguments", [])
    folders = {"--cases": (_place(name) / _CASES).glob("*"), "--pairs": (_place(name) / _FILES).glob("*/*")} if stored else {}
    files = {option: sorted(map(str, paths)) for option, paths in folders.items()}
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
        parsed = json.loads((_place(name) / _REQUEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    good = isinstance(parsed, dict) and isinstance(parsed.get("arguments"), list)
    return parsed if good and all(isinstance(a, str) for a in parsed["arguments"]) else {}
