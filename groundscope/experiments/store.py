"""One job on disk: its plan, its inputs, and every result as it comes.

One SQLite file in WAL mode a job: a kill hurts one, and deleting is unlinking. What a method here returned from is on disk, also
after `kill -9`. Several processes may read it; one works on it at a time.
"""

import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from groundscope.chat.budget import NO_LIMITS, NOTHING, Budget, Cost, Limits
from groundscope.errors import StoreError
from groundscope.experiments.plan import FAILED, Content, Count, Place, Progress, Result, Start, Stored
from groundscope.machine import stamp
from groundscope.paths import DATA_VARIABLE
from groundscope.storage import lock as locks
from groundscope.storage.sqlite import transaction
from groundscope.storage.store_file import Layout, StoreFile, refused

_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE inputs (kind TEXT, row INTEGER, content BLOB, PRIMARY KEY (kind, row)) WITHOUT ROWID;
CREATE TABLE results (stage TEXT, part INTEGER, other INTEGER, row INTEGER, status TEXT, timed INTEGER, why TEXT,
    calls INTEGER, tokens INTEGER, dollars REAL, unpriced INTEGER, unanswered INTEGER, risk REAL, content BLOB,
    PRIMARY KEY (stage, part, other, row)) WITHOUT ROWID;
CREATE INDEX progress ON results (stage, part, status);
CREATE TABLE starts (started TEXT, machine TEXT, cold TEXT, done TEXT,
    calls INTEGER, tokens INTEGER, dollars REAL, unpriced INTEGER, unanswered INTEGER, risk REAL);
"""
_T = TypeVar("_T")
_COST = "calls, tokens, dollars, unpriced, unanswered, risk"
_KEEP = "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def now() -> str:
    """Read the clock.

    Returns:
        ISO time, UTC, to the second.
    """
    return datetime.now(UTC).isoformat(timespec="seconds")


def pressed(content: Any) -> bytes:
    """Write content as compressed JSON.

    Args:
        content: JSON values; numbers of numpy count as such.

    Returns:
        The JSON, compressed by zlib.

    Raises:
        TypeError: a value cannot be written as JSON.
    """
    # Numbers of numpy are no numbers to JSON, and a method may well give some.
    return zlib.compress(json.dumps(content, separators=(",", ":"), default=_number).encode(), 3)


def _number(value: Any) -> Any:
    if not hasattr(value, "item"):
        raise TypeError(f"{type(value).__name__} is no number")
    return value.item()


def _row(place: Place, result: Result, cost: Cost) -> tuple[Any, ...]:
    return (result.stage, *place, result.status, result.timed, result.why, *cost, pressed(result.content))


class JobFile(StoreFile):
    """The file of one job; safe to share between threads."""

    makes = False

    def __init__(self, path: Path, variable: str = DATA_VARIABLE) -> None:
        """Open nothing yet.

        Args:
            path: of the file.
            variable: of the environment, which names the folder that it is in.
        """
        super().__init__(path)
        self.layout = Layout("file of a job", _TABLES, 2, f"{variable} to another folder", f"{variable} to a folder that can")

    @property
    def id(self) -> str:
        """Names the job in links and commands."""
        return self.path.stem

    def fill(
        self,
        plan: Content,
        inputs: Mapping[str, Sequence[Content]],
        given: Iterable[tuple[Place, Result]] = (),
        limits: Limits = NO_LIMITS,
    ) -> None:
        """Write plan, inputs and the results that exist already; all of it, or nothing.

        Args:
            plan: as JSON.
            inputs: by kind, in the order of their rows.
            given: results of stages that are done beforehand.
            limits: of the whole job.

        Raises:
            StoreError: the file cannot be written.
        """
        about = {"plan": plan, "created": now(), "limits": list(limits)}
        self.makes = True
        with self._writing() as db, transaction(db):
            db.executemany("INSERT INTO about VALUES (?, ?)", [(name, json.dumps(value)) for name, value in about.items()])
            for kind, rows in inputs.items():
                values = ((kind, row, pressed(content)) for row, content in enumerate(rows))
                db.executemany("INSERT INTO inputs VALUES (?, ?, ?)", values)
            db.executemany(_KEEP, (_row(place, result, NOTHING) for place, result in given))

    def about(self, name: str, default: Any = None) -> Any:
        """Read a fact about the job.

        Args:
            name: `plan`, `created`, `limits`, or a name that `set_about` got.
            default: result if the fact is missing; None = the fact is required.

        Returns:
            The fact, as JSON.

        Raises:
            StoreError: the file does not have it, or cannot be read.
        """
        with self._writing() as db:
            found = db.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        if found is None and default is None:
            raise StoreError(f"{self.path} holds no job; delete it.")
        with self._meaning():
            return default if found is None else json.loads(found[0])

    def meaning(self, read: Callable[..., _T], *found: Any) -> _T:
        """Parse something that is stored.

        Args:
            read: parses it; its errors of value, type and key become a `StoreError`.
            *found: what `read` gets.

        Returns:
            What `read` returns.

        Raises:
            StoreError: `read` makes no sense of it.
        """
        with self._meaning():
            return read(*found)

    def set_about(self, name: str, value: Any) -> None:
        """Keep a fact about the job.

        Args:
            name: the fact's; an older fact of this name is replaced.
            value: as JSON.

        Raises:
            StoreError: the file cannot be written.
        """
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, json.dumps(value)))

    def created(self) -> str:
        """Read when the job was made.

        Returns:
            ISO time, UTC.

        Raises:
            StoreError: the file cannot be read.
        """
        return str(self.about("created"))

    def finished(self) -> str:
        """Read when nothing was left.

        Returns:
            ISO time, UTC; empty while something is left.

        Raises:
            StoreError: the file cannot be read.
        """
        return str(self.about("finished", ""))

    def inputs(self, kind: str, rows: Sequence[int] | None = None) -> list[Any]:
        """Read the inputs of a kind.

        Args:
            kind: a key of the inputs that `fill` wrote.
            rows: only these, counted from 0; None = all.

        Returns:
            The inputs as JSON, in the order of `rows`, or of the file if these are None.

        Raises:
            StoreError: they are not there, or cannot be read.
        """
        with self._writing() as db:
            if rows is None:
                found = db.execute("SELECT content FROM inputs WHERE kind = ? ORDER BY row", (kind,)).fetchall()
            else:
                query = "SELECT content FROM inputs WHERE kind = ? AND row = ?"
                found = [db.execute(query, (kind, int(row))).fetchone() for row in rows]
        if None in found:
            raise StoreError(f"{self.path} does not hold this input any more; start a new job.")
        with self._meaning():
            return [json.loads(zlib.decompress(content)) for (content,) in found]

    def size(self, kind: str) -> int:
        """Count the inputs of a kind.

        Args:
            kind: a key of the inputs that `fill` wrote.

        Returns:
            Number of rows; 0 if there is no such kind.

        Raises:
            StoreError: the file cannot be read.
        """
        with self._writing() as db:
            return int(db.execute("SELECT COUNT(*) FROM inputs WHERE kind = ?", (kind,)).fetchone()[0])

    def keep(self, place: Place, result: Result, cost: Cost = NOTHING) -> None:
        """Keep a result; an older one of the same stage and place is replaced.

        Args:
            place: where it belongs.
            result: what the stage gave, or its fault.
            cost: of this result alone.

        Raises:
            StoreError: the file cannot be written.
        """
        with self._writing() as db:
            db.execute(_KEEP, _row(place, result, cost))

    def results(self, stage: str, part: int | None = None) -> Iterator[Stored]:
        """Read the results of a stage, faults among them.

        Args:
            stage: its name.
            part: only of this one; None = of all.

        Yields:
            Results in the order of their places: by part, other part and row.

        Raises:
            StoreError: they cannot be read.
        """
        query = f"SELECT part, other, row, status, timed, {_COST}, why, content FROM results WHERE stage = ?"  # noqa: S608 - ours
        with self._writing() as db:
            if part is None:
                found = db.execute(f"{query} ORDER BY part, other, row", (stage,)).fetchall()
            else:
                found = db.execute(f"{query} AND part = ? ORDER BY other, row", (stage, part)).fetchall()
        with self._meaning():
            for row in found:
                content = json.loads(zlib.decompress(row[12]))
                yield Stored(Place(*row[:3]), row[3], bool(row[4]), Cost(*row[5:11]), row[11], content)

    def at(self, place: Place) -> dict[str, Content]:
        """Read what the stages of a place gave.

        Args:
            place: of the results.

        Returns:
            Contents by stage; faults are left out.

        Raises:
            StoreError: they cannot be read.
        """
        with self._writing() as db:
            query = "SELECT stage, content FROM results WHERE part = ? AND other = ? AND row = ? AND status != ?"
            found = db.execute(query, (*place, FAILED)).fetchall()
        with self._meaning():
            return {stage: json.loads(zlib.decompress(content)) for stage, content in found}

    def done(self, stage: str) -> set[Place]:
        """List the places with a result of a stage.

        Args:
            stage: its name.

        Returns:
            Places, also those whose result is a fault.

        Raises:
            StoreError: the file cannot be read.
        """
        with self._writing() as db:
            rows = db.execute("SELECT part, other, row FROM results WHERE stage = ?", (stage,)).fetchall()
        return {Place(*row) for row in rows}

    def counts(self, stage: str) -> dict[int, Count]:
        """Count the results of a stage: cheap enough to ask every second.

        Args:
            stage: its name.

        Returns:
            Counts by part; a part without results is missing.

        Raises:
            StoreError: the file cannot be read.
        """
        query = "SELECT part, COUNT(*), SUM(status = ?) FROM results WHERE stage = ? GROUP BY part"
        with self._writing() as db:
            return {part: Count(done, failed) for part, done, failed in db.execute(query, (FAILED, stage))}

    def faults(self) -> Counter[str]:
        """Count why results of any stage failed.

        Returns:
            How often each reason came.

        Raises:
            StoreError: the file cannot be read.
        """
        # Part by part, which the index finds; else every result would be read, with all its content.
        one = "SELECT why, COUNT(*) FROM results WHERE stage = ? AND part = ? AND status = ? GROUP BY why"
        found: Counter[str] = Counter()
        with self._writing() as db:
            for place in db.execute("SELECT DISTINCT stage, part FROM results").fetchall():
                found.update({str(why): int(count) for why, count in db.execute(one, (*place, FAILED))})
        return found

    def forget(self, stage: str, places: Iterable[Place]) -> None:
        """Forget results, so that they are made again.

        Args:
            stage: its name; results of other stages stay.
            places: of the results; those without a result are no error.

        Raises:
            StoreError: the file cannot be written.
        """
        with self._writing() as db, transaction(db):
            query = "DELETE FROM results WHERE stage = ? AND part = ? AND other = ? AND row = ?"
            db.executemany(query, ((stage, *place) for place in places))

    def retry(self, but: Iterable[int] = ()) -> int:
        """Forget every fault, so that it is tried again.

        Args:
            but: parts whose faults stay, because they are not made here.

        Returns:
            How many were forgotten.

        Raises:
            StoreError: a process works on the job, which would finish without them; or the file cannot be written.
        """
        kept = set(but)
        with self.working(), self._writing() as db, transaction(db):
            parts = [part for (part,) in db.execute("SELECT DISTINCT part FROM results WHERE status = ?", (FAILED,))]
            query = "DELETE FROM results WHERE status = ? AND part = ?"
            gone = sum(db.execute(query, (FAILED, part)).rowcount for part in parts if part not in kept)
            if gone:
                db.execute("DELETE FROM about WHERE name = 'finished'")
        return gone

    def finish(self) -> None:
        """Note that nothing is left; the time of the first note stays.

        Raises:
            StoreError: the file cannot be written.
        """
        if not self.finished():
            self.set_about("finished", now())

    def charge(self, stage: str, cold: Mapping[str, float] | None = None) -> Budget:
        """Note that work begins, and give a budget that keeps what it spends from now on.

        Args:
            stage: whose results the job is counted by.
            cold: seconds to load parts; see `Start`.

        Returns:
            The limits of the whole job and what it has spent so far; the file gets every change.

        Raises:
            StoreError: the file cannot be read or written.
        """
        counts, before = self.counts(stage), self.spent()
        done = tuple(counts.get(part, Count()).done for part in range(max(counts, default=-1) + 1))
        start = self.start(Start(now(), stamp(), cold or {}, done))
        return Budget(*self.limits(), spent=before, keep=lambda cost: self.spend(start, cost - before))

    def start(self, start: Start) -> int:
        """Note that work begins.

        Args:
            start: its time, machine and the results by then.

        Returns:
            The number that `spend` takes.

        Raises:
            StoreError: the file cannot be written.
        """
        values = (start.started, json.dumps(start.machine), json.dumps(dict(start.cold)), json.dumps(start.done), *start.cost)
        with self._writing() as db:
            return int(db.execute("INSERT INTO starts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values).lastrowid or 0)

    def spend(self, start: int, cost: Cost) -> None:
        """Keep what was spent since a start.

        Args:
            start: the number that `start` gave.
            cost: all of it; it replaces what was kept for this start.

        Raises:
            StoreError: the file cannot be written.
        """
        columns = ", ".join(f"{name} = ?" for name in _COST.split(", "))
        with self._writing() as db:
            db.execute(f"UPDATE starts SET {columns} WHERE rowid = ?", (*cost, start))  # noqa: S608 - our own names

    def starts(self) -> list[Start]:
        """List every time that work began.

        Returns:
            Starts, the earliest first.

        Raises:
            StoreError: the file cannot be read.
        """
        with self._writing() as db:
            found = db.execute(f"SELECT started, machine, cold, done, {_COST} FROM starts ORDER BY rowid").fetchall()  # noqa: S608
        with self._meaning():
            return [Start(r[0], tuple(json.loads(r[1])), json.loads(r[2]), tuple(json.loads(r[3])), Cost(*r[4:])) for r in found]

    def spent(self) -> Cost:
        """Sum what the job cost so far, however often it was started.

        Returns:
            Cost of all starts; without starts `NOTHING`.

        Raises:
            StoreError: the file cannot be read.
        """
        return sum((start.cost for start in self.starts()), NOTHING)

    def limits(self) -> Limits:
        """Read what the whole job may spend.

        Returns:
            Calls and US dollars over all starts; None = no limit.

        Raises:
            StoreError: the file cannot be read.
        """
        return Limits(*self.about("limits"))

    def allow(self, limits: Limits) -> None:
        """Change what the whole job may spend.

        Args:
            limits: over all starts; they replace the earlier limits.

        Raises:
            StoreError: the file cannot be written.
        """
        self.set_about("limits", list(limits))

    def budget(self) -> Budget:
        """Read what the whole job may spend and has spent; unlike that of `charge`, this budget keeps nothing in the file.

        Returns:
            The job's limits and its cost so far.

        Raises:
            StoreError: the file cannot be read.
        """
        return Budget(*self.limits(), spent=self.spent())

    def tell(self, progress: Progress | None) -> None:
        """Keep what work is at, for other processes.

        Args:
            progress: replaces what was kept before; None = no step that takes long.

        Raises:
            StoreError: the file cannot be written.
        """
        self.set_about("progress", list(progress or ()))

    def told(self) -> Progress | None:
        """Read what work is at.

        Returns:
            The step; None if no step takes long.

        Raises:
            StoreError: the file cannot be read.
        """
        found = self.about("progress", [])
        with self._meaning():
            return Progress(*found) if found else None

    @contextmanager
    def working(self) -> Iterator[None]:
        """Be the one process that works on the job.

        Yields:
            Nothing; the lock is held while the block runs.

        Raises:
            StoreError: another one does, or the folder cannot be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock = locks.taken(self.lock_path)
        except OSError as error:
            raise refused(self.path, error, self.layout) from error
        try:
            yield
        finally:
            lock.release()

    def busy(self) -> bool:
        """Check whether a process works on the job now.

        Returns:
            True if the lock is held, also by this process; False if that cannot be determined.
        """
        return locks.busy(self.lock_path)

    @property
    def lock_path(self) -> Path:
        """The file of its lock."""
        return self.path.with_name(f"{self.path.name}.lock")
