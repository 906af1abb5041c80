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
from uuid import uuid4

from evaluation import _run_lock
from evaluation._own_shape import own_case
from evaluation._sqlite import transaction
from evaluation._store_file import VARIABLE, StoreFile, refused
from evaluation.dataset import to_jsonl
from evaluation.errors import StoreError
from evaluation.places import data_folder
from evaluation.plans import Kept, Listed, Plan, Start, packed, plan_from_json, plan_to_json
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
    return zlib.compress(json.dumps(packed(judgement), separators=(",", ":")).encode(), 3)


class Store(StoreFile):
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

    def runs(self) -> list[Listed]:
        """All runs, the newest first.

        Raises:
            StoreError: the store cannot be read.
        """
        return self._listed()

    def run(self, run: str) -> Listed:
        """One run.

        Raises:
            StoreError: there is none of this id.
        """
        for listed in self._listed(run):
            return listed
        raise StoreError(
            f"There is no run {run} in {self.path}; the runs page and `python -m groundscope runs` list those that are."
        )

    def _listed(self, only: str | None = None) -> list[Listed]:
        if not self._is_there():
            return []
        count = "SELECT method, COUNT(*), SUM(status = 'failed') FROM judgements WHERE run = ? GROUP BY method"
        with self._writing() as db:
            rows = db.execute("SELECT id, created, finished, plan FROM runs ORDER BY created DESC, rowid DESC").fetchall()
            found = [(*row, db.execute(count, row[:1]).fetchall()) for row in rows if only in (None, row[0])]
        listed = []
        with self._meaning():
            for run, created, finished, plan_text, counts in found:
                plan = plan_from_json(plan_text)
                done = {method: (n, failed) for method, n, failed in counts}
                both = [done.get(i, (0, 0)) for i in range(len(plan.methods))]
                listed.append(Listed(run, created, finished, plan, tuple(n for n, _ in both), tuple(f for _, f in both)))
        return listed

    def cases(self, run: str, rows: Sequence[int] | None = None) -> list[Case]:
        """The cases of a run, all of them or those at some rows.

        Raises:
            StoreError: they are not there, or not readable.
        """
        with self._writing() as db:
            if rows is None:
                found = db.execute("SELECT content FROM cases WHERE run = ? ORDER BY row", (run,)).fetchall()
            else:
                question = "SELECT content FROM cases WHERE run = ? AND row = ?"
                found = [db.execute(question, (run, int(row))).fetchone() for row in rows]
        if None in found:
            raise StoreError(f"The run {run} is not in {self.path} any more: it was deleted.")
        with self._meaning():
            return [own_case(json.loads(zlib.decompress(content)), "") for (content,) in found]

    def add(self, run: str, method: int, row: int, judgement: Judgement, *, timed: bool) -> None:
        """Keep a judgement; one that is there already stays.

        Raises:
            StoreError: it cannot be written.
        """
        with self._writing() as db:
            db.execute(_KEEP, (run, method, row, judgement.status, timed, _pressed(judgement)))

    def done(self, run: str) -> set[tuple[int, int]]:
        """What is judged: (method, row)."""
        with self._writing() as db:
            return set(db.execute("SELECT method, row FROM judgements WHERE run = ?", (run,)).fetchall())

    def judgements(self, run: str, method: int) -> Iterator[Kept]:
        """A method's judgements in a run, by row.

        Raises:
            StoreError: they are not readable.
        """
        with self._writing() as db:
            found = db.execute(
                "SELECT row, timed, content FROM judgements WHERE run = ? AND method = ? ORDER BY row", (run, method)
            ).fetchall()
        for row, timed, content in found:
            with self._meaning():
                kept = Kept(method, row, bool(timed), json.loads(zlib.decompress(content)))
            yield kept

    def started(self, run: str, start: Start) -> int:
        """Keep that work began, and on what machine; gives the number that `spend` takes."""
        values = (run, start.started, json.dumps(start.machine), json.dumps(dict(start.cold)), start.done)
        with self._writing() as db:
            return int(db.execute("INSERT INTO starts VALUES (?, ?, ?, ?, ?, 0, 0.0)", values).lastrowid or 0)

    def starts(self, run: str) -> list[Start]:
        """Every time that work began."""
        with self._writing() as db:
            question = "SELECT started, machine, cold, done FROM starts WHERE run = ? ORDER BY rowid"
            found = db.execute(question, (run,)).fetchall()
        with self._meaning():
            return [Start(at, tuple(json.loads(machine)), json.loads(cold), done) for at, machine, cold, done in found]

    def spend(self, start: int, calls: int, dollars: float) -> None:
        """Keep what was spent since a start; less than what is kept already changes nothing."""
        with self._writing() as db:
            question = "UPDATE starts SET calls = MAX(calls, ?), dollars = MAX(dollars, ?) WHERE rowid = ?"
            db.execute(question, (calls, dollars, start))

    def spent(self, run: str) -> tuple[int, float]:
        """Calls made and US dollars spent by a run so far, every time that work on it began."""
        with self._writing() as db:
            calls, dollars = db.execute("SELECT SUM(calls), SUM(dollars) FROM starts WHERE run = ?", (run,)).fetchone()
        return int(calls or 0), float(dollars or 0.0)

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
