"""A SQLite file that several processes share and that never stops a score: WAL mode, one lock a process.

If the file is full, locked or not writable, work continues without it. A damaged file is replaced by an empty one.
"""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

_Result = TypeVar("_Result")
_log = logging.getLogger("groundscope")


class SqliteHandle:
    """The connection to one file, opened at the first use; safe to share between threads."""

    path: Path

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None:
                with suppress(sqlite3.Error):
                    self._connection.close()
                self._connection = None

    def __del__(self) -> None:
        """Close the file where no one did: from Python 3.13 on, an open connection that is dropped is warned about."""
        if getattr(self, "_connection", None) is not None:
            self.close()


class SqliteFile(SqliteHandle):
    """A cache that work continues without; `setup`: creates tables and sets pragmas; called each time the file is opened."""

    def __init__(
        self,
        path: Path,
        name: str,
        setup: Callable[[sqlite3.Connection], None],
        patience: Callable[[], float],
        *,
        keep_damaged: bool = False,
    ) -> None:
        super().__init__(path)
        self._name, self._setup, self._patience, self._keep_damaged = name, setup, patience, keep_damaged

    def trying(self, work: Callable[[sqlite3.Connection], _Result], otherwise: _Result) -> _Result:
        """Run work on the database; retry once with an empty file if it is damaged."""
        with self._lock:
            for _ in range(3):
                fresh = self._connection is None
                try:
                    return work(self._open())
                except (sqlite3.DatabaseError, OSError) as error:
                    self.close()
                    if not _is_damage(error):
                        # Full, locked or not writable: the score matters more than the cache.
                        _log.warning("%s is left out: %s", self._name, error)
                        return otherwise
                    # Else look again first: another process may have found the damage and made a new file meanwhile.
                    if fresh:
                        _log.warning("%s was damaged (%s) and starts empty", self._name, error)
                        self._make_way()
        return otherwise

    def is_there(self) -> bool:
        """Check whether the file exists."""
        with suppress(OSError):
            return self.path.exists()
        return False

    def size(self) -> int:
        """Measure the file."""
        total = 0
        for path in (*self._files(), *self._damaged()):
            with suppress(OSError):
                total += path.stat().st_size
        return total

    def drop_damaged(self) -> bool:
        """Delete damaged files that were moved aside."""
        for path in self._damaged():
            with suppress(OSError):
                path.unlink(missing_ok=True)
        with suppress(OSError):
            return not any(path.exists() for path in self._damaged())
        return False

    def _files(self) -> list[Path]:
        return [self.path.with_name(self.path.name + ending) for ending in ("", "-wal", "-shm")]

    def _damaged(self) -> list[Path]:
        return [path.with_name(f"{path.name}.damaged") for path in self._files()] if self._keep_damaged else []

    def _make_way(self) -> None:
        for path in self._files():
            with suppress(OSError):
                if self._keep_damaged and path.exists():
                    path.replace(path.with_name(f"{path.name}.damaged"))
                path.unlink(missing_ok=True)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self.path, timeout=self._patience(), check_same_thread=False, isolation_level=None)
            self._connection = db
            use_wal(db, self._patience())
            db.execute("PRAGMA synchronous = NORMAL")
            self._setup(db)
        return self._connection


def _is_damage(error: Exception) -> bool:
    """Whether the file is none of ours, or no longer; of operational errors only another layout ("no such column") is that."""
    if isinstance(error, sqlite3.OperationalError):
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR
    return isinstance(error, sqlite3.DatabaseError)


def use_wal(db: sqlite3.Connection, patience: float) -> None:
    """Switch a connection to WAL mode; SQLite itself does not wait if another process is creating the same file.

    Raises:
        sqlite3.OperationalError: the file is still busy after that time, or cannot be used.
    """
    until = time.monotonic() + patience
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.02)


class transaction:  # noqa: N801 - used as a statement
    """A write transaction as a context manager: all or nothing, write lock taken at the start."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if not kind:
                self._db.execute("COMMIT")
        finally:
            # SQLite itself may have rolled back, as where the disk is full.
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
