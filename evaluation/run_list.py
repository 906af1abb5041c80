"""Every run there is to look at: those that come with the app, those in the store, and folders that a user names."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

import numpy as np

from evaluation.errors import DataError, GroundscopeError, StoreError
from evaluation.run_data import RunData
from evaluation.run_folder import MANIFEST, export
from evaluation.run_reading import read_folder, read_store
from evaluation.store import Store

_LATEST = 5
"""Runs that expected times are taken from."""

SAMPLES = Path(__file__).resolve().parent.parent / "sample_data" / "runs"


@dataclass(frozen=True, slots=True)
class Entry:
    """A run in a list.

    Attributes:
        id: names it in links and commands.
        name: for people.
        created: ISO time; empty where it has to be read first.
        finished: whether nothing is left to judge.
        folder: where its files are; None = in the store alone.
        comes_with_app: whether it is a sample.
    """

    id: str
    name: str
    created: str = ""
    finished: bool = True
    folder: Path | None = None
    comes_with_app: bool = False


def exported(store: Store, run: str) -> Path:
    """Where the app puts the files of a finished run."""
    return store.folder(run)


def samples() -> list[Entry]:
    """The runs that come with the app."""
    folders = sorted(p.parent for p in SAMPLES.glob(f"*/{MANIFEST}"))
    return [Entry(f.name, f.name.replace("-", " ").capitalize(), folder=f, comes_with_app=True) for f in folders]


def entries(store: Store) -> list[Entry]:
    """All runs, the newest first, the samples last.

    Raises:
        StoreError: the store cannot be read.
    """
    found = []
    for listed in store.runs():
        folder = exported(store, listed.id)
        there = folder if listed.finished and _written(folder) == listed.finished else None
        found.append(Entry(listed.id, listed.plan.name, listed.created, bool(listed.finished), there))
    return [*found, *samples()]


def read(entry: Entry, store: Store) -> RunData:
    """Read a run; a finished one from its files, which are written first where they are not there.

    Raises:
        DataError: its files are not what was written, and the store does not have the run.
        StoreError: it is nowhere.
    """
    if entry.folder is None and entry.finished:
        try:
            return read_folder(files(store, entry.id))
        except DataError:
            return read_store(store, entry.id)
    return replace(read_folder(entry.folder), id=entry.id) if entry.folder else read_store(store, entry.id)


def files(store: Store, run: str) -> Path:
    """The folder of a finished run's files, which are written where they are not there.

    Raises:
        StoreError: the store does not have the run, or it is not finished.
        DataError: they cannot be written.
    """
    folder = exported(store, run)
    if not folder.exists():
        return export(store, run, folder)
    # What failed may have been judged again since the files were written.
    return folder if _written(folder) == store.run(run).finished else write_again(store, run)


def _written(folder: Path) -> str:
    """When the run was finished whose files lie in a folder; empty where that cannot be told."""
    try:
        found = json.loads((folder / MANIFEST).read_text("utf-8"))["finished"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    return str(found)


def write_again(store: Store, run: str) -> Path:
    """Write a run's files anew; those that were there are set aside.

    Raises:
        StoreError: the store does not have the run, or it is not finished.
        DataError: they cannot be written.
    """
    store.run(run)
    folder = exported(store, run)
    try:
        if folder.exists():
            folder.rename(folder.with_name(f"{folder.name}.{uuid4().hex[:6]}.aside"))
    except OSError as error:
        raise DataError(f"{folder} cannot be set aside ({error.strerror}); check the disk.") from None
    return export(store, run, folder)


def folder_of(named: str) -> Path | None:
    """The folder that a run's name stands for, where it is a sample or a folder itself."""
    return next((folder for folder in (Path(named), SAMPLES / named) if _is_run(folder)), None)


def _is_run(folder: Path) -> bool:
    try:
        return (folder / MANIFEST).exists()
    except OSError:
        return False


def find(named: str, store: Store) -> RunData:
    """The run of an id, a sample's name, or in a folder.

    Raises:
        DataError: the folder holds no run, or not what was written.
        StoreError: there is none of this id.
    """
    if _is_run(Path(named)) or "/" in named:
        return read_folder(Path(named))
    for entry in samples():
        if entry.id == named:
            return read(entry, store)
    for entry in entries(store):
        if entry.id == named:
            return read(entry, store)
    raise StoreError(
        f"There is no run {named!r}; `python -m groundscope runs` lists them, and a folder of an exported run works too."
    )


def known_seconds(store: Store) -> Mapping[str, float]:
    """Mean seconds a response by signature, from the latest runs and the samples; later ones win, unless much smaller."""
    found: dict[str, float] = {}
    sizes: dict[str, int] = {}
    there = [e for e in entries(store) if e.finished]
    for entry in reversed([*there[:_LATEST], *[e for e in there[_LATEST:] if e.comes_with_app]]):
        try:
            run = read(entry, store)
        except GroundscopeError:
            continue
        for m, method in enumerate(run.methods):
            # What a local method uses again it will use again then, too; a kept reply says nothing of the next call.
            counted = run.timed[m] if method.asks else run.support[m] >= 0
            seconds = run.seconds[m][counted | run.timed[m]]
            # A handful of small cases says little of a whole set.
            if run.timed[m].any() and 2 * len(seconds) >= sizes.get(method.signature, 0):
                found[method.signature], sizes[method.signature] = float(np.mean(seconds)), len(seconds)
    return found
