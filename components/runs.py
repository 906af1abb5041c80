"""The runs that pages show, read once and kept; which of them is open. The part that all pages of a run share."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from components import run_state
from evaluation.errors import DataError, GroundscopeError, StoreError
from evaluation.run_data import Bytes, RunData
from evaluation.run_folder import MANIFEST, check
from evaluation.run_list import Entry, entries, read, samples
from evaluation.store import Store
from evaluation.tuning import Rule, verdicts


@lru_cache(maxsize=1)
def store() -> Store:
    """The store of runs."""
    return Store()


@dataclass(frozen=True, slots=True)
class Shelf:
    """What there is to open.

    Attributes:
        entries: by id, the newest first, the samples last.
        trouble: why the store cannot be read; empty where it can.
    """

    entries: dict[str, Entry]
    trouble: str = ""


def shelf() -> Shelf:
    """All runs: those of the store, folders that this session opened, and the samples."""
    trouble = ""
    try:
        found = entries(store())
    except StoreError as error:
        found, trouble = samples(), str(error)
    opened = [Entry(name, name, folder=Path(name)) for name in run_state.run_folders()]
    return Shelf({e.id: e for e in [*opened, *found]}, trouble)


def open_run(entry: Entry) -> RunData:
    """A run as arrays; read once as long as nothing changes.

    Raises:
        DataError: its files are not what was written.
        StoreError: it is not there any more.
    """
    if entry.folder is None and not entry.finished:
        return read(entry, store())
    return _kept(entry, _marks(entry.folder))


def _marks(folder: Path | None) -> tuple[tuple[str, int], ...]:
    """Changes when a file of the folder does."""
    return tuple(sorted((p.name, p.stat().st_mtime_ns) for p in folder.glob("*"))) if folder else ()


@lru_cache(maxsize=4)
def _kept(entry: Entry, _marks: tuple[tuple[str, int], ...]) -> RunData:
    return read(entry, store())


def manifest(folder: Path) -> dict[str, Any] | str:
    """What a run's folder says of itself, or the sentence that says why it cannot be used."""
    return _manifest(folder, _marks(folder))


@lru_cache(maxsize=64)
def _manifest(folder: Path, _marks: tuple[tuple[str, int], ...]) -> dict[str, Any] | str:
    try:
        return check(folder)
    except DataError as error:
        return str(error)


def open_folder(path: str) -> str:
    """Look at a folder that the user names, and keep it for this session; gives the id of its run.

    Raises:
        DataError: there is no run in it.
    """
    folder = Path(path.strip()).expanduser()
    try:
        there = (folder / MANIFEST).is_file()
    except (OSError, ValueError):
        there = False
    if not there:
        raise DataError(f"There is no {MANIFEST} in this folder; give the folder that a run was exported to.")
    name = str(folder.resolve())
    read(Entry(name, name, folder=folder), store())
    run_state.run_folders().setdefault(name)
    return name


def said(run: RunData, rules: dict[str, Rule]) -> Bytes:
    """(m, n) the verdicts of a run by rules: 1 grounded, 0 ungrounded, -1 none."""
    key = (run.id, run.data_hash, run.created, run.finished, tuple(sorted(rules.items(), key=lambda r: r[0])))
    if not run.finished:
        return verdicts(run, rules)
    kept = _verdicts()
    if key not in kept:
        while len(kept) > 8:
            kept.pop(next(iter(kept)))
        kept[key] = verdicts(run, rules)
    return kept[key]


@lru_cache(maxsize=1)
def _verdicts() -> dict[object, Bytes]:
    return {}


def readable(entry: Entry) -> RunData | str:
    """A run, or the sentence that says why it cannot be read."""
    try:
        return open_run(entry)
    except GroundscopeError as error:
        return str(error)
