"""What is known of a job as a whole: its plan, its inputs, its limits, what work is at, and whether a process works on it."""

import json
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from groundscope.chat.budget import Limits
from groundscope.errors import StoreError
from groundscope.experiments.plan import Progress
from groundscope.paths import DATA_VARIABLE
from groundscope.storage.store_file import Layout, StoreFile
from groundscope.storage.team.acting import require
from groundscope.storage.team.roles import Role

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


def now() -> str:
    """Read the clock."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def unpressed(content: bytes) -> Any:
    """Read the JSON that is stored compressed by zlib; `ValueError` or `zlib.error` where it is none."""
    return json.loads(zlib.decompress(content))


class JobFacts(StoreFile):
    """A job's file without its results. Every method raises `StoreError` where the file cannot be read or written."""

    def __init__(self, path: Path, variable: str = DATA_VARIABLE) -> None:
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

    def plan(self, read: Callable[[Any], _T]) -> _T:
        """Read the plan."""
        return self.meaning(read, self.about("plan"))

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
