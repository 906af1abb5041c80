"""Where Groundscope stores data that outlives a session: downloaded weights, the pair cache, runs and the user's settings.

One folder in the operating system's usual place for application data; the environment variable `GROUNDSCOPE_DATA` overrides it.
"""

import json
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any
from uuid import uuid4

from platformdirs import user_data_path

from groundscope.errors import DataError

_HERE = Path(__file__).resolve().parent
_INSTALLED = _HERE / "_site"
ROOT = _INSTALLED if _INSTALLED.is_dir() else _HERE.parent
"""The folder that holds the app, its pages, its sample data and the weights that come with it.

A wheel has it inside this package, so that nothing called `pages` or `models` lies beside other people's packages.
"""
PROGRAMS = "" if ROOT == _INSTALLED else ".venv/bin/"
"""Stands before the name of a program in what users are asked to run."""

_setting = threading.Lock()
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")


class Variable(StrEnum):
    """A variable of the environment; `docs/how-to/start.md` has what each sets."""

    DATA = "GROUNDSCOPE_DATA"
    STORE = "GROUNDSCOPE_STORE"
    MODELS = "GROUNDSCOPE_MODELS"
    MODEL = "GROUNDSCOPE_MODEL"
    SERVER_KEY = "GROUNDSCOPE_SERVER_KEY"
    """Another provider's key never goes to an address that a user typed."""
    HOSTS = "GROUNDSCOPE_HOSTS"
    WORKERS = "GROUNDSCOPE_WORKERS"
    DATABASE = "GROUNDSCOPE_DATABASE"
    LEADS = "GROUNDSCOPE_LEADS"
    """Where it is set, the app asks for a login."""

    def read(self) -> str:
        """Its value; empty where it is not set."""
        return os.environ.get(self, "").strip()

    def names(self) -> tuple[str, ...]:
        """Its values, which commas part, in small letters, each once."""
        return tuple(dict.fromkeys(name.strip().casefold() for name in self.read().split(",") if name.strip()))


def data_folder() -> Path:
    """Locate the data folder."""
    named = Variable.DATA.read()
    return Path(named) if named else user_data_path("groundscope", appauthor=False)


def is_short_name(name: str) -> bool:
    """Check whether a text can name what a user makes: a model, a prompt."""
    return bool(_NAME.fullmatch(name))


def short_name(name: str, what: str) -> str:
    """Refuse a name that `is_short_name` does not allow."""
    if not is_short_name(name):
        raise DataError(f"{what}'s name has 1 to 40 small letters, figures and hyphens, such as leases-2026.")
    return name


def settings() -> dict[str, Any]:
    """Read the user's settings."""
    try:
        stored = json.loads((data_folder() / "settings.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return stored if isinstance(stored, dict) else {}


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Let a file be written under a name of its own, then put it in its place as a whole; of one that fails nothing stays."""
    new = path.with_name(f".{path.name}.{uuid4().hex[:8]}.new")
    try:
        yield new
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def replace_text(path: Path, text: str) -> None:
    """Write a text file as a whole, so that readers never see half of it; its folder is made if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8")


def set_setting(name: str, value: Any) -> None:
    """Save one setting."""
    # Sessions are threads: two that wrote at once would share the new file, and one would lose what the other set.
    with _setting:
        values = {**settings(), name: value}
        if value is None:
            del values[name]
        replace_text(data_folder() / "settings.json", json.dumps(values, indent=1))
