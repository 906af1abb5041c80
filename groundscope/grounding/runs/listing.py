"""List and open runs: the samples, runs made here, and folders that a user names."""

import json
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from groundscope.errors import DataError, StoreError
from groundscope.experiments.store import JobFile
from groundscope.grounding.runs import added_types
from groundscope.grounding.runs.arrays import AddedTypes, RunData
from groundscope.grounding.runs.folder import MANIFEST, check, export
from groundscope.grounding.runs.reader import read_folder, read_store
from groundscope.grounding.runs.store import FOLDER, exported, keep_types_of, plan_of
from groundscope.paths import ROOT
from groundscope.runtime import extras
from groundscope.storage.database import METADATA, shared
from groundscope.storage.sqlite import now
from groundscope.storage.team import audit

SAMPLES, COPIES = ROOT / "sample_data" / "runs", ROOT / "sample_data" / "copies"


@dataclass(frozen=True, slots=True)
class RunEntry:
    """A run in a list; no `folder` = it has no exported files, an empty `source` (of its cases) = they have to be read first."""

    id: str
    name: str
    created: str = ""
    finished: bool = True
    folder: Path | None = None
    comes_with_app: bool = False
    source: str = ""


def samples() -> list[RunEntry]:
    """List the runs that come with the app."""
    return _shipped(SAMPLES)


def copies() -> list[RunEntry]:
    """List those over copies of cases, which are read by the pages of sensitivity and stability alone."""
    return _shipped(COPIES)


def _shipped(place: Path) -> list[RunEntry]:
    folders = sorted(p.parent for p in place.glob(f"*/{MANIFEST}"))
    return [RunEntry(f.name, f.name.replace("-", " ").capitalize(), folder=f, comes_with_app=True) for f in folders]


def entries() -> tuple[list[RunEntry], list[str]]:
    """List all runs."""
    listed: list[RunEntry] = []
    files, problems = FOLDER.listing()
    for file in files:
        try:
            listed.append(_entry(file))
        except StoreError as error:
            problems.append(str(error))
        finally:
            file.close()
    try:
        listed += listed_folders()
    except StoreError as error:
        problems.append(str(error))
    # A database that does not answer says so for both.
    return [*listed, *samples()], list(dict.fromkeys(problems))


def put_on_list(folder: Path) -> RunEntry:
    """Put the run in a folder on the list for everyone who shares the database; one already listed gets its new description."""
    there = folder.resolve()
    run = read(RunEntry(str(there), there.name, folder=there))
    database = shared()
    row = {"folder": str(there), "name": run.name, "source": run.source, "created": run.created, "added": now()}
    with database.writing() as connection:
        connection.execute(sa.delete(RUNS).where(RUNS.c.folder == str(there)))
        database.add_new(connection, RUNS, row)
        audit.record(connection, "put a run on the list", folder=there.name)
    return RunEntry(str(there), run.name, run.created, folder=there, source=run.source)


def _entry(file: JobFile) -> RunEntry:
    plan, finished, folder = plan_of(file), file.finished(), exported(file.id)
    there = folder if finished and written_at(folder) == finished else None
    return RunEntry(file.id, plan.name, file.created(), bool(finished), there, source=plan.source)


def read(entry: RunEntry) -> RunData:
    """Read a run; a finished one from its files, which are written first if they are missing."""
    if entry.folder:
        return replace(_read_at(entry.folder), id=entry.id)
    if entry.finished:
        with suppress(DataError, extras.PackagesMissing):
            return read_folder(run_files(entry.id))
    with closing(FOLDER.open(entry.id)) as file:
        return read_store(file)


def _read_at(folder: Path) -> RunData:
    """The run in a folder: an exported one, or the shards of `run --on ray`."""
    if not _is_sharded(folder):
        return read_folder(folder)
    from groundscope.grounding.sharded.columns import read_shards

    return read_shards(folder)


def _is_sharded(folder: Path) -> bool:
    """Whether a folder has shards; what reads either kind is imported here, since judging needs none of it."""
    extras.require("runs")
    from groundscope.grounding.sharded.shards import is_sharded

    return is_sharded(folder)


def facts_at(folder: Path) -> Mapping[str, Any]:
    """Read the facts that a list shows about the run in a folder."""
    if not _is_sharded(folder):
        return check(folder)
    run = _read_at(folder)
    return {
        "name": run.name,
        "source": run.source,
        "cases": len(run.ids),
        "methods": [asdict(method) for method in run.methods],
        "created": run.created,
        "machines": [{"from": run.created, "machine": run.machine}] if run.machine else [],
    }


def folder_of(named: str) -> Path | None:
    """Find the folder that a run's name stands for, where it is a folder itself or a sample."""
    return next((folder for folder in (Path(named), SAMPLES / named, COPIES / named) if _is_run(folder)), None)


def _is_run(folder: Path) -> bool:
    try:
        return (folder / MANIFEST).exists()
    except OSError:
        return False


def find(named: str) -> RunData:
    """Read the run of an id, a sample's name, or in a folder."""
    entry = entry_of(named)
    # A folder's run is called by its own id, wherever the folder lies.
    return _read_at(entry.folder) if entry.folder and entry.id == str(entry.folder) else read(entry)


def entry_of(named: str) -> RunEntry:
    """Find the run of an id, a sample's name, or in a folder."""
    if _is_run(Path(named)) or "/" in named:
        return RunEntry(str(Path(named)), named, folder=Path(named))
    for entry in (*samples(), *copies()):
        if entry.id == named:
            return entry
    try:
        file = FOLDER.open(named)
    except StoreError:
        raise StoreError(
            f"There is no run {named!r}; `python -m groundscope runs` lists them, and a folder of an exported run works too."
        ) from None
    with closing(file):
        return _entry(file)


def keep_types(entry: RunEntry, added: Sequence[AddedTypes]) -> None:
    """Keep the error types that a run got besides those of its cases, in place of those kept before."""
    place = entry.folder.resolve() if entry.folder else exported(entry.id).resolve()
    if place.parent in (SAMPLES.resolve(), COPIES.resolve()):
        raise DataError("A sample run cannot be changed; judge its cases in a run of your own, then add types.")
    if entry.folder and _is_sharded(entry.folder):
        raise DataError("A run on Ray cannot be changed; label the cases with types, and judge them again.")
    if not entry.finished:
        raise DataError("Types are added to a finished run; resume it first.")
    # A run of one's own, also where its folder was named by its path.
    if place == exported(place.name).resolve():
        with closing(FOLDER.open(place.name)) as file:
            keep_types_of(file, added)
    if entry.folder is not None:
        data_hash = str(check(entry.folder)["data_hash"])
        try:
            added_types.write(entry.folder, data_hash, added)
        except OSError as error:
            raise DataError(
                f"{entry.folder} cannot be written ({error.strerror}); copy the folder to a place where you may write."
            ) from None


def run_files(run: str) -> Path:
    """Find the folder of a finished run's files; missing files are written first."""
    with closing(FOLDER.open(run)) as file:
        finished = file.finished()
    # What failed may have been judged again since the files were written.
    return exported(run) if finished and written_at(exported(run)) == finished else write_again(run)


def written_at(folder: Path) -> str:
    """Read when the run in a folder was finished."""
    try:
        finished = json.loads((folder / MANIFEST).read_text("utf-8"))["finished"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    return str(finished)


def write_again(run: str) -> Path:
    """Write a run's files again; earlier files are renamed, not deleted."""
    with closing(FOLDER.open(run)) as file:
        folder = exported(run)
        try:
            if file.finished() and folder.exists():
                folder.rename(folder.with_name(f"{folder.name}.{uuid4().hex[:6]}.aside"))
        except OSError as error:
            raise DataError(f"{folder} cannot be set aside ({error.strerror}); check the disk.") from None
        return export(file, folder)


RUNS = sa.Table(
    "runs",
    METADATA,
    sa.Column("folder", sa.Text, primary_key=True),
    *(sa.Column(name, sa.Text, nullable=False) for name in ("name", "source", "created", "added")),
)


def drop_from_list(folder: Path) -> bool:
    """Remove a folder from the list; its files stay."""
    with shared().writing() as connection:
        was_there = bool(connection.execute(sa.delete(RUNS).where(RUNS.c.folder == str(folder))).rowcount)
        audit.record(connection, "took a run off the list", folder=folder.name)
        return was_there


def listed_folders() -> tuple[RunEntry, ...]:
    """Read the list."""
    database = shared()
    if not database.is_there():
        return ()
    query = sa.select(RUNS).order_by(RUNS.c.added.desc(), RUNS.c.folder)
    with database.reading() as connection:
        rows = connection.execute(query).all()
    return tuple(RunEntry(r.folder, r.name, r.created, folder=Path(r.folder), source=r.source) for r in rows)
