"""What is kept of live answers: numbers by trace, in one SQLite file a feed; texts only where its owner asked for them."""

import json
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from groundscope.cases.dataset import read, to_jsonl
from groundscope.errors import DataError
from groundscope.paths import data_folder, short_name
from groundscope.storage.sqlite import transaction
from groundscope.storage.store_file import Layout, StoreFile, refused
from groundscope.storage.team.acting import require
from groundscope.storage.team.roles import Role
from groundscope.traces.answers import LiveAnswer, LiveFinding, LiveJudgement
from groundscope.traces.files import FilePlace
from groundscope.types import Case

_LAYOUT = Layout(
    """
    CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE files (path TEXT PRIMARY KEY, offset INTEGER, line INTEGER, number INTEGER);
    CREATE TABLE unread (path TEXT, line INTEGER, reason TEXT, PRIMARY KEY (path, line));
    CREATE TABLE answers (trace TEXT, root TEXT, time REAL, day TEXT, version TEXT, state TEXT, passages INTEGER, text BLOB,
        PRIMARY KEY (trace, root)) WITHOUT ROWID;
    CREATE TABLE judgements (method TEXT, signature TEXT, trace TEXT, root TEXT, judged TEXT, status TEXT, support REAL,
        grounded INTEGER, sentences INTEGER, flagged TEXT, seconds REAL, cost REAL, calls INTEGER,
        PRIMARY KEY (method, signature, trace, root)) WITHOUT ROWID;
    CREATE INDEX by_day ON answers (day, version, state)
    """,
    1,
    "GROUNDSCOPE_DATA",
    "a live feed",
    "start it again",
    "this feed",
)
MOST_UNREAD = 1_000
"""Records of which is kept why they cannot be used; of more, only their number."""


def folder() -> Path:
    """Where all feeds are."""
    return data_folder() / "live"


def names() -> list[str]:
    """List the feeds."""
    found = [p for p in folder().glob("*.sqlite") if p.is_file()]
    return [p.stem for p in sorted(found, key=_written, reverse=True)]


def _written(path: Path) -> float:
    times = [p.stat().st_mtime for p in (path, path.with_name(f"{path.name}-wal")) if p.exists()]
    return max(times, default=0.0)


def day_of(time: float | None) -> str:
    """Name the day of a time in UTC; empty if the time is not known or no date."""
    try:
        return datetime.fromtimestamp(time, UTC).date().isoformat() if time is not None else ""
    except (OverflowError, ValueError, OSError):
        return ""


class LiveStore(StoreFile):
    """A feed. Every method raises `StoreError` where the file cannot be read or written."""

    def __init__(self, name: str, *, new: bool = False) -> None:
        """Open nothing yet; `new` = the first use makes the file. Raises `DataError` for a name that cannot be one."""
        super().__init__(folder() / f"{short_name(name, 'A feed')}.sqlite", _LAYOUT)
        self.makes = new
        self.name = name

    def about(self) -> dict[str, Any]:
        """Read what the feed is: where it reads, by which methods, how."""
        with self._writing() as db, self._meaning():
            return {name: json.loads(value) for name, value in db.execute("SELECT name, value FROM about")}

    def say(self, **values: Any) -> None:
        """Keep what the feed is; None removes a value."""
        with self._writing() as db, transaction(db):
            for name, value in values.items():
                db.execute("DELETE FROM about WHERE name = ?", (name,))
                if value is not None:
                    db.execute("INSERT INTO about VALUES (?, ?)", (name, json.dumps(value)))

    def places(self) -> dict[str, FilePlace]:
        """Read where the reading of each file ended."""
        with self._writing() as db:
            return {path: FilePlace(*found) for path, *found in db.execute("SELECT path, offset, line, number FROM files")}

    def keep_places(self, places: dict[str, FilePlace]) -> None:
        """Keep where the reading of files ended."""
        with self._writing() as db, transaction(db):
            db.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", [(path, *p) for path, p in places.items()])

    def keep_unread(self, found: Sequence[tuple[str, int, str]]) -> None:
        """Keep records that cannot be used: file, line, reason."""
        with self._writing() as db, transaction(db):
            (count,) = db.execute("SELECT COUNT(*) FROM unread").fetchone()
            db.executemany("INSERT OR IGNORE INTO unread VALUES (?, ?, ?)", found[: max(0, MOST_UNREAD - count)])

    def unread(self) -> list[tuple[str, int, str]]:
        """Read records that cannot be used: file, line, reason."""
        return self._all("SELECT path, line, reason FROM unread ORDER BY path, line")

    def known(self, keys: Sequence[tuple[str, str]]) -> list[bool]:
        """Find which answers are there already, by trace and root; an empty root stands for any of its trace."""
        with self._writing() as db:
            there = "SELECT 1 FROM answers WHERE trace = ? AND ? IN ('', root) LIMIT 1"
            return [db.execute(there, key).fetchone() is not None for key in keys]

    def keep(self, answers: Sequence[tuple[LiveAnswer, Sequence[LiveJudgement]]]) -> None:
        """Keep answers with their judgements, all or none; one that is there already stays as it is."""
        today = datetime.now(UTC).date().isoformat()
        with self._writing() as db, transaction(db):
            for answer, judgements in answers:
                _insert(db, answer, judgements, today)

    def spent_today(self) -> tuple[float, int]:
        """Sum up today, in UTC: US dollars as far as prices are known, and answers that were judged."""
        today = datetime.now(UTC).date().isoformat()
        sums = "SELECT COALESCE(SUM(cost), 0), COUNT(DISTINCT trace || root) FROM judgements WHERE judged = ?"
        ((dollars, count),) = self._all(sums, today)
        return float(dollars), int(count)

    def methods(self) -> list[tuple[str, str]]:
        """List the methods with their signatures, the newest in front."""
        found = self._all("SELECT method, signature, MAX(judged), COUNT(*) FROM judgements GROUP BY 1, 2 ORDER BY 3 DESC, 4 DESC")
        return [(method, signature) for method, signature, _, _ in found]

    def states(self) -> list[tuple[str, str, str, int, float | None]]:
        """Count the answers: day, version, state, number, the time of the last one."""
        return self._all("SELECT day, version, state, COUNT(*), MAX(time) FROM answers GROUP BY 1, 2, 3 ORDER BY 1")

    def shares(self, method: str, signature: str) -> list[tuple[str, str, float, int, int, int]]:
        """Count a method's verdicts: day, version, time of the first one, verdicts, grounded ones, answers without a verdict."""
        return self._all(
            "SELECT a.day, a.version, MIN(a.time), COUNT(j.grounded), COALESCE(SUM(j.grounded), 0), SUM(j.grounded IS NULL) "
            "FROM judgements j JOIN answers a USING (trace, root) WHERE j.method = ? AND j.signature = ? GROUP BY 1, 2 "
            "ORDER BY 1",
            method,
            signature,
        )

    def worst(self, method: str, signature: str, most: int, since: str = "", version: str | None = None) -> list[LiveFinding]:
        """Find the answers with the lowest support among those that a method calls ungrounded."""
        found = self._all(
            "SELECT trace, root, a.time, a.version, j.support, j.sentences, j.flagged, a.text IS NOT NULL FROM judgements j "
            "JOIN answers a USING (trace, root) WHERE j.method = ? AND j.signature = ? AND j.grounded = 0 AND a.day >= ? "
            "AND a.version = COALESCE(?, a.version) ORDER BY j.support, a.time DESC LIMIT ?",
            method,
            signature,
            since,
            version,
            most,
        )
        with self._meaning():
            return [_finding(*row) for row in found]

    def case(self, trace: str, root: str) -> Case | None:
        """Read the texts of an answer; None = they are not kept."""
        found = self._all("SELECT text FROM answers WHERE trace = ? AND root = ?", trace, root)
        if not found or found[0][0] is None:
            return None
        with self._meaning():
            return read("answer.jsonl", zlib.decompress(found[0][0])).cases[0]

    def forget_texts(self) -> None:
        """Delete all texts; numbers stay."""
        require(Role.LEAD)
        with self._writing() as db, transaction(db):
            db.execute("UPDATE answers SET text = NULL")

    def delete(self) -> None:
        """Delete the feed. Raises `StoreError` while a process reads for it."""
        require(Role.LEAD)
        with self.working():
            self.close()
            try:
                for ending in ("", "-wal", "-shm"):
                    self.path.with_name(self.path.name + ending).unlink(missing_ok=True)
            except OSError as error:
                raise refused(self.path, error, self.layout) from error
        with suppress(OSError):
            self.lock_path.unlink(missing_ok=True)


def _finding(
    trace: str, root: str, time: float | None, version: str, support: float, sentences: int, flagged: str, kept: int
) -> LiveFinding:
    spans = tuple((int(start), int(end), float(share)) for start, end, share in json.loads(flagged))
    return LiveFinding(trace, root, time, version, support, sentences, spans, bool(kept))


def _insert(db: sqlite3.Connection, answer: LiveAnswer, judgements: Sequence[LiveJudgement], today: str) -> None:
    text = zlib.compress(to_jsonl([answer.case]).encode()) if answer.case else None
    key, day = (answer.trace, answer.root), day_of(answer.time)
    row = (*key, answer.time if day else None, day, answer.version, answer.state, answer.passages, text)
    db.execute("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
    for j in judgements:
        db.execute(
            "INSERT OR IGNORE INTO judgements VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (j.method, j.signature, *key, today, j.status, j.support, j.grounded, j.sentences, json.dumps(j.flagged), j.seconds,
             j.cost, j.calls),
        )  # fmt: skip


def opened(name: str) -> LiveStore:
    """Open a feed that is there.

    Raises:
        DataError: there is none of this name; the message names those that are.
    """
    found = names()
    if name not in found:
        there = f"There are: {', '.join(found)}." if found else "There is none yet; `groundscope live FILE` makes one."
        raise DataError(f"There is no feed called {name}. {there}")
    return LiveStore(name)
