"""Runs for all pages: listed, read and cached with their verdicts; and what a session has opened and chosen of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from components.state import last_few, own
from groundscope.errors import DataError
from groundscope.experiments.plan import Part
from groundscope.grounding.imported.scores import Recorded
from groundscope.grounding.runs.arrays import Bytes, RunData
from groundscope.grounding.runs.folder import MANIFEST
from groundscope.grounding.runs.listing import RunEntry, entries, facts_at, read
from groundscope.grounding.sharded.columns import FOLDER as COLUMNS
from groundscope.grounding.tuning import Rule, verdicts, without

SET = "run_set"
"""The field of a new run that says which cases are judged."""
METHOD, CAUGHT = "method", "caught"
"""The parameters of a link to the errors page: a method, and who caught an error."""


@dataclass(frozen=True, slots=True)
class RunList:
    """What there is to open, the newest first, the samples last; `trouble` is why files of runs are left out, if any are."""

    entries: dict[str, RunEntry]
    trouble: str = ""


def run_list() -> RunList:
    """All runs: those made here, folders that this session opened, and the samples."""
    listed, problems = entries()
    opened = [RunEntry(name, name, folder=Path(name)) for name in run_folders()]
    # What this session opened stays its own where it is on the list, too.
    return RunList({e.id: e for e in [*opened, *(e for e in listed if e.id not in run_folders())]}, " ".join(problems))


def open_run(entry: RunEntry, left_out: tuple[str, ...] = ()) -> RunData:
    """A run as arrays, without the parts of a sweep that tuning did not choose; read once as long as nothing changes."""
    if entry.folder is None and not entry.finished:
        return without(read(entry), left_out)
    return _read_run(entry, marks(entry.folder), left_out)


def marks(folder: Path | None) -> tuple[tuple[str, int], ...]:
    """Changes when a file of the folder does."""
    there = folder.glob("*") if folder else ()
    # What a folder of shards keeps for itself is no change.
    return tuple(sorted((p.name, p.stat().st_mtime_ns) for p in there if p.name != COLUMNS))


@lru_cache(maxsize=4)
def _read_run(entry: RunEntry, marks: tuple[tuple[str, int], ...], left_out: tuple[str, ...]) -> RunData:
    return without(_read_run(entry, marks, ()), left_out) if left_out else read(entry)


def manifest(folder: Path) -> Mapping[str, Any] | str:
    """The manifest of a run's folder, or an error message."""
    return _manifest(folder, marks(folder))


@lru_cache(maxsize=64)
def _manifest(folder: Path, _marks: tuple[tuple[str, int], ...]) -> Mapping[str, Any] | str:
    try:
        return facts_at(folder)
    except DataError as error:
        return str(error)


def source(entry: RunEntry) -> str:
    """What a run's cases came from; empty where its files cannot be read."""
    if entry.source or entry.folder is None:
        return entry.source
    facts = manifest(entry.folder)
    return "" if isinstance(facts, str) else str(facts["source"])


def open_folder(path: str) -> str:
    """Look at a folder that the user names, and keep it for this session; a DataError if there is no run in it."""
    folder = Path(path.strip()).expanduser()
    try:
        there = (folder / MANIFEST).is_file()
    except (OSError, ValueError):
        there = False
    if not there:
        raise DataError(f"There is no {MANIFEST} in this folder; give the folder that a run was exported to.")
    name = str(folder.resolve())
    read(RunEntry(name, name, folder=folder))
    run_folders().setdefault(name)
    return name


def verdicts_of(run: RunData, rules: dict[str, Rule]) -> Bytes:
    """(m, n) the verdicts of a run by rules: 1 grounded, 0 ungrounded, -1 none."""
    key = (run.id, run.data_hash, run.created, run.finished, tuple(sorted(rules.items(), key=lambda r: r[0])))
    if not run.finished:
        return verdicts(run, rules)
    cache = _verdicts()
    if key not in cache:
        last_few(cache, 8)
        cache[key] = verdicts(run, rules)
    return cache[key]


@lru_cache(maxsize=1)
def _verdicts() -> dict[object, Bytes]:
    return {}


def run_folders() -> dict[str, None]:
    """Folders of runs that this session opened, the oldest first."""
    return own("run_folders", {})


def run_choices() -> dict[str, str]:
    """Which run, thresholds and split the pages of a run show: kept when the user goes from one to the other."""
    return own("run_choices", {})


def parts() -> dict[str, Part]:
    """Parts under names of the user's that this session added, by name."""
    return own("run_parts", {})


def stored_scores() -> dict[str, tuple[Recorded, ...]]:
    """The scores that loaded files of cases held beside their cases, by the name of the set."""
    return own("stored_scores", {})
