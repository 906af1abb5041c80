"""One job on disk: its plan, its inputs, and every result as it comes.

One SQLite file in WAL mode a job: a kill hurts one, and deleting is unlinking. What a method here returned from is on disk, also
after `kill -9`. Several processes may read it; one works on it at a time.
"""

import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from groundscope.chat.budget import NO_LIMITS, NOTHING, Budget, Cost, Limits
from groundscope.errors import StoreError
from groundscope.experiments.plan import FAILED, Content, Count, Place, Progress, Result, Start, Stored
from groundscope.files import typed
from groundscope.paths import Variable
from groundscope.runtime.machine import stamp
from groundscope.storage.sqlite import Layout, RecordFile, now, transaction
from groundscope.storage.team import Role, require

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


def unpressed(content: bytes) -> Any:
    """Read the JSON that is stored compressed by zlib; `ValueError` or `zlib.error` where it is none."""
    return json.loads(zlib.decompress(content))


_COST = "calls, tokens, dollars, unpriced, unanswered, risk"
# Stage by stage, each the next one that the index has; else every result would be read for one place.
_AT = """WITH RECURSIVE stages(stage) AS (
    SELECT MIN(stage) FROM results
    UNION ALL SELECT (SELECT MIN(r.stage) FROM results r WHERE r.stage > s.stage) FROM stages s WHERE s.stage IS NOT NULL
) SELECT stage, content FROM results
WHERE stage IN (SELECT stage FROM stages) AND part = ? AND other = ? AND row = ? AND status != ?"""
_KEEP = "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def _pressed(content: Any) -> bytes:
    # Numbers of numpy are no numbers to JSON, and a method may well give some.
    return zlib.compress(json.dumps(content, separators=(",", ":"), default=_number).encode(), 3)


def _number(value: Any) -> Any:
    if not hasattr(value, "item"):
        raise TypeError(f"{type(value).__name__} is no number")
    return value.item()


def _row(place: Place, result: Result, cost: Cost) -> tuple[Any, ...]:
    return (result.stage, *place, result.status, result.timed, result.why, *cost, _pressed(result.content))


class JobFile(RecordFile):
    """The file of one job; safe to share between threads. Every method raises `StoreError` where it cannot be read or written."""

    def __init__(self, path: Path, variable: str = Variable.DATA) -> None:
        super().__init__(path, Layout(_TABLES, 2, variable))

    @property
    def id(self) -> str:
        """Names the job in links and commands."""
        return self.path.stem

    def about(self, name: str, default: Any = None) -> Any:
        """Read a fact about the job."""
        rows = self._all("SELECT value FROM about WHERE name = ?", name)
        if not rows and default is None:
            raise StoreError(f"{self.path} holds no job; delete it.")
        return self.meaning(json.loads, rows[0][0]) if rows else default

    def set_about(self, name: str, value: Any) -> None:
        """Keep a fact about the job, as JSON; an older fact of this name is replaced."""
        self._all("INSERT OR REPLACE INTO about VALUES (?, ?)", name, json.dumps(value))

    def meaning(self, read: Callable[..., _T], *stored: Any) -> _T:
        """Parse something that is stored."""
        with self._meaning():
            return read(*stored)

    def plan(self, kind: type[_T]) -> _T:
        """Read the plan."""
        return self.meaning(lambda plan: typed.stored(kind, plan), self.about("plan"))

    def created(self) -> str:
        """Read when the job was made."""
        return str(self.about("created"))

    def finished(self) -> str:
        """Read when nothing was left."""
        return str(self.about("finished", ""))

    def finish(self) -> None:
        """Note that nothing is left; the time of the first note stays."""
        if not self.finished():
            self.set_about("finished", now())

    def limits(self) -> Limits:
        """Read what the whole job may spend."""
        return Limits(*self.about("limits"))

    def allow(self, limits: Limits) -> None:
        """Change what the whole job may spend."""
        require(Role.REVIEWER)
        self.set_about("limits", list(limits))

    def say(self, progress: Progress | None) -> None:
        """Keep what work is at, for other processes; None = no step that takes long."""
        self.set_about("progress", list(progress or ()))

    def at_work(self) -> Progress | None:
        """Read what work is at; None if no step takes long."""
        return self.meaning(lambda found: Progress(*found) if found else None, self.about("progress", []))

    def inputs(self, kind: str, rows: Sequence[int] | None = None) -> list[Any]:
        """Read the inputs of a kind."""
        if rows is None:
            contents = self._all("SELECT content FROM inputs WHERE kind = ? ORDER BY row", kind)
        else:
            query = "SELECT content FROM inputs WHERE kind = ? AND row = ?"
            with self._writing() as db:
                contents = [db.execute(query, (kind, int(row))).fetchone() for row in rows]
        if None in contents:
            raise StoreError(f"{self.path} does not hold this input any more; start a new job.")
        with self._meaning():
            return [unpressed(content) for (content,) in contents]

    def size(self, kind: str) -> int:
        """Count the inputs of a kind."""
        return int(self._all("SELECT COUNT(*) FROM inputs WHERE kind = ?", kind)[0][0])

    def fill(
        self,
        plan: Content,
        inputs: Mapping[str, Sequence[Content]],
        results: Iterable[tuple[Place, Result]] = (),
        limits: Limits = NO_LIMITS,
    ) -> None:
        """Write plan, inputs and the results that exist already; all of it, or nothing."""
        about = {"plan": plan, "created": now(), "limits": list(limits)}
        self.makes = True
        with self._writing() as db, transaction(db):
            db.executemany("INSERT INTO about VALUES (?, ?)", [(name, json.dumps(value)) for name, value in about.items()])
            for kind, rows in inputs.items():
                values = ((kind, row, _pressed(content)) for row, content in enumerate(rows))
                db.executemany("INSERT INTO inputs VALUES (?, ?, ?)", values)
            db.executemany(_KEEP, (_row(place, result, NOTHING) for place, result in results))

    def keep(self, place: Place, result: Result, cost: Cost = NOTHING) -> None:
        """Keep a result; an older one of the same stage and place is replaced."""
        self._all(_KEEP, *_row(place, result, cost))

    def results(self, stage: str, part: int | None = None) -> Iterator[Stored]:
        """Read the results of a stage, faults among them."""
        query = f"SELECT part, other, row, status, timed, {_COST}, why, content FROM results WHERE stage = ?"  # noqa: S608 - ours
        only, values = ("", (stage,)) if part is None else (" AND part = ?", (stage, part))
        rows = self._all(f"{query}{only} ORDER BY part, other, row", *values)
        with self._meaning():
            for row in rows:
                yield Stored(Place(*row[:3]), row[3], bool(row[4]), Cost(*row[5:11]), row[11], unpressed(row[12]))

    def made(self, stage: str, read: Callable[[Content], _T]) -> Iterator[tuple[Stored, _T]]:
        """Read what a stage made, without its faults."""
        for stored in self.results(stage):
            if stored.status != FAILED:
                yield stored, self.meaning(read, stored.content)

    def at(self, place: Place) -> dict[str, Content]:
        """Read what the stages of a place gave."""
        rows = self._all(_AT, *place, FAILED)
        with self._meaning():
            return {stage: unpressed(content) for stage, content in rows}

    def done(self, stage: str) -> set[Place]:
        """List the places with a result of a stage."""
        return {Place(*row) for row in self._all("SELECT part, other, row FROM results WHERE stage = ?", stage)}

    def counts(self, stage: str) -> dict[int, Count]:
        """Count the results of a stage: cheap enough to ask every second."""
        query = "SELECT part, COUNT(*), SUM(status = ?) FROM results WHERE stage = ? GROUP BY part"
        return {part: Count(done, failed) for part, done, failed in self._all(query, FAILED, stage)}

    def faults(self) -> Counter[str]:
        """Count why results of any stage failed."""
        # Part by part, which the index finds; else every result would be read, with all its content.
        query = "SELECT why, COUNT(*) FROM results WHERE stage = ? AND part = ? AND status = ? GROUP BY why"
        reasons: Counter[str] = Counter()
        with self._writing() as db:
            for place in db.execute("SELECT DISTINCT stage, part FROM results").fetchall():
                reasons.update({str(why): int(count) for why, count in db.execute(query, (*place, FAILED))})
        return reasons

    def forget(self, stage: str, places: Iterable[Place]) -> None:
        """Forget results, so that they are made again."""
        with self._writing() as db, transaction(db):
            query = "DELETE FROM results WHERE stage = ? AND part = ? AND other = ? AND row = ?"
            db.executemany(query, ((stage, *place) for place in places))

    def retry(self, but: Iterable[int] = ()) -> int:
        """Forget every fault, so that it is tried again."""
        skipped = set(but)
        with self.working(), self._writing() as db, transaction(db):
            parts = [part for (part,) in db.execute("SELECT DISTINCT part FROM results WHERE status = ?", (FAILED,))]
            query = "DELETE FROM results WHERE status = ? AND part = ?"
            gone = sum(db.execute(query, (FAILED, part)).rowcount for part in parts if part not in skipped)
            if gone:
                db.execute("DELETE FROM about WHERE name = 'finished'")
        return gone

    def charge(self, stage: str, cold: Mapping[str, float] | None = None) -> Budget:
        """Note that work begins, and give a budget that keeps what it spends from now on."""
        counts, before = self.counts(stage), self.spent()
        done = tuple(counts.get(part, Count()).done for part in range(max(counts, default=-1) + 1))
        start = self.start(Start(now(), stamp(), cold or {}, done))
        return Budget(*self.limits(), spent=before, keep=lambda cost: self._spend(start, cost - before))

    def start(self, start: Start) -> int:
        """Note that work begins."""
        values = (start.started, json.dumps(start.machine), json.dumps(dict(start.cold)), json.dumps(start.done), *start.cost)
        with self._writing() as db:
            return int(db.execute("INSERT INTO starts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values).lastrowid or 0)

    def _spend(self, start: int, cost: Cost) -> None:
        """Keep all that was spent since a start; it replaces what was kept for it."""
        columns = ", ".join(f"{name} = ?" for name in _COST.split(", "))
        self._all(f"UPDATE starts SET {columns} WHERE rowid = ?", *cost, start)  # noqa: S608 - our own names

    def starts(self) -> list[Start]:
        """List every time that work began."""
        rows = self._all(f"SELECT started, machine, cold, done, {_COST} FROM starts ORDER BY rowid")  # noqa: S608 - our own names
        with self._meaning():
            return [Start(r[0], tuple(json.loads(r[1])), json.loads(r[2]), tuple(json.loads(r[3])), Cost(*r[4:])) for r in rows]

    def spent(self) -> Cost:
        """Sum what the job cost so far."""
        return sum((start.cost for start in self.starts()), NOTHING)

    def budget(self) -> Budget:
        """Read what the whole job may spend and has spent."""
        return Budget(*self.limits(), spent=self.spent())
