"""Runs under way, on disk: every judgement is written as it comes, so that a run can be stopped at any point and goes on later.

One SQLite file in WAL mode in the user's data folder; `GROUNDSCOPE_STORE` names another. What `add` returned from is on disk,
also after `kill -9`. Several processes may read and write it; one run is worked on by one process at a time.
"""

import json
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from evaluation import _run_lock
from evaluation._sqlite import transaction
from evaluation._store_file import VARIABLE, refused
from evaluation._store_reading import StoredRuns
from evaluation.dataset import to_jsonl
from evaluation.errors import StoreError
from evaluation.places import data_folder
from evaluation.plans import Plan, Start, packed, plan_to_json
from evaluation.types import Case, Judgement


def address() -> Path:
    """Where the store is."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else data_folder() / "runs.sqlite"


def now() -> str:
    """The time, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


_KEEP = "INSERT OR IGNORE INTO judgements VALUES (?, ?, ?, ?, ?, ?)"


def _pressed(judgement: Judgement) -> bytes:
    # Numbers of numpy are no numbers to JSON, and a method may well give some.
    return zlib.compress(json.dumps(packed(judgement), separators=(",", ":"), default=_number).encode(), 3)


def _number(value: Any) -> Any:
    if not hasattr(value, "item"):
        raise TypeError(f"{type(value).__name__} is no number")
    return value.item()


class Store(StoredRuns):
    """The store's file; safe to share between threads."""

    def __init__(self, path: Path | None = None) -> None:
        """Open nothing yet."""
        super().__init__(path or address())

    def create(self, plan: Plan, cases: Sequence[Case], judged: Mapping[int, Sequence[Judgement]] | None = None) -> str:
        """Begin a run and give its id; all of it is kept, or nothing.

        Args:
            plan: what it judges by what.
            cases: all of them.
            judged: by the place of a method, its judgement of every case where another tool has made them; none is timed.

        Raises:
            StoreError: it cannot be written.
        """
        run = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid4().hex[:6]}"
        rows = [(run, i, zlib.compress(to_jsonl([case]).encode())) for i, case in enumerate(cases)]
        kept = [
            (run, method, row, j.status, False, _pressed(j))
            for method, judgements in (judged or {}).items()
            for row, j in enumerate(judgements)
        ]
        finished = now() if len(kept) == len(cases) * len(plan.methods) else ""
        with self._writing() as db, transaction(db):
            db.execute("INSERT INTO runs VALUES (?, ?, ?, ?)", (run, now(), finished, plan_to_json(plan)))
            db.executemany("INSERT INTO cases VALUES (?, ?, ?)", rows)
            db.executemany(_KEEP, kept)
        return run

    def add(self, run: str, method: int, row: int, judgement: Judgement, *, timed: bool) -> None:
        """Keep a judgement; one that is there already stays.

        Raises:
            StoreError: it cannot be written.
        """
        with self._writing() as db:
            db.execute(_KEEP, (run, method, row, judgement.status, timed, _pressed(judgement)))

    def started(self, run: str, start: Start) -> int:
        """Keep that work began, and on what machine; gives the number that `spend` takes."""
        values = (run, start.started, json.dumps(start.machine), json.dumps(dict(start.cold)), json.dumps(start.done))
        with self._writing() as db:
            return int(db.execute("INSERT INTO starts VALUES (?, ?, ?, ?, ?, 0, 0.0)", values).lastrowid or 0)

    def spend(self, start: int, calls: int, dollars: float) -> None:
        """Keep what was spent since a start; less than what is kept already changes nothing."""
        with self._writing() as db:
            question = "UPDATE starts SET calls = MAX(calls, ?), dollars = MAX(dollars, ?) WHERE rowid = ?"
            db.execute(question, (calls, dollars, start))

    def finish(self, run: str) -> None:
        """Say that nothing is left to judge."""
        with self._writing() as db:
            db.execute("UPDATE runs SET finished = ? WHERE id = ? AND finished = ''", (now(), run))

    def retry(self, run: str) -> int:
        """Forget the judgements that failed, so that they are made again; gives how many there were.

        What failed in another tool stays: it is not made here.

        Raises:
            StoreError: there is no such run, or a process works on it: it would finish without them.
        """
        with self.working(run):
            ours = [i for i, method in enumerate(self.run(run).plan.methods) if not method.recorded]
            forget = "DELETE FROM judgements WHERE run = ? AND method = ? AND status = 'failed'"
            with self._writing() as db, transaction(db):
                gone = sum(db.execute(forget, (run, method)).rowcount for method in ours)
                if gone:
                    db.execute("UPDATE runs SET finished = '' WHERE id = ?", (run,))
        return gone

    def allow(self, run: str, calls: int | None, dollars: float | None) -> None:
        """Change what a run may spend."""
        plan = replace(self.run(run).plan, calls=calls, dollars=dollars)
        with self._writing() as db:
            db.execute("UPDATE runs SET plan = ? WHERE id = ?", (plan_to_json(plan), run))

    def folder(self, run: str) -> Path:
        """Where the app puts the files of a finished run."""
        return self.path.with_name("runs") / run

    def delete(self, run: str) -> None:
        """Delete a run and everything of it, also the files that the app itself wrote; one that is not there is no error.

        Raises:
            StoreError: a process works on it, or it cannot be deleted.
        """
        if not self._listed(run):
            return
        with self.working(run):
            folder = self.folder(run)
            for path in [folder, *folder.parent.glob(f"{run}.*")]:
                shutil.rmtree(path, ignore_errors=True)
                if path.exists():
                    raise StoreError(f"{path} cannot be deleted; make it writable, then delete the run again.")
            with self._writing() as db:
                with transaction(db):
                    for table, column in (("judgements", "run"), ("cases", "run"), ("starts", "run"), ("runs", "id")):
                        db.execute(f"DELETE FROM {table} WHERE {column} = ?", (run,))  # noqa: S608 - our own names
                # The texts would else stand in SQLite's log.
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with suppress(OSError):
            self._lock_file(run).unlink(missing_ok=True)

    def busy(self, run: str) -> bool:
        """Whether a process works on a run now."""
        return _run_lock.busy(self._lock_file(run))

    @contextmanager
    def working(self, run: str) -> Iterator[None]:
        """Be the one process that works on a run.

        Raises:
            StoreError: another one does, or the folder cannot be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock = _run_lock.taken(self._lock_file(run))
        except OSError as error:
            raise refused(self.path, error) from error
        try:
            yield
        finally:
            lock.release()

    def _lock_file(self, run: str) -> Path:
        return self.path.with_name(f"{self.path.name}.{run}.lock")
