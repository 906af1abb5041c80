"""SQLite files that several processes share: one way to open them, and two policies for their faults.

A cache (`CacheFile`) never stops a score: if its file is full, locked or not writable, work continues without it, and a damaged
one is replaced by an empty one. Of a record (`RecordFile`) nothing is lost: each fault is an error that says what to do.
"""

import errno
import logging
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from filelock import FileLock, Timeout

from groundscope.errors import StoreError
from groundscope.paths import data_folder

_Result = TypeVar("_Result")
_log = logging.getLogger("groundscope")
_shared: dict[Path, Any] = {}
"""The caches of this process."""

PATIENCE = 30.0
"""Seconds to wait for another process that writes to a record."""
_BRIEF = 5.0
"""Seconds to wait for one that writes to a cache."""
_MOMENT = 1.0
"""Seconds to wait for the lock: a process that only checks it holds it for a moment."""


def now() -> str:
    """Read the clock: ISO, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class SqliteFile:
    """The connection to one file, opened at the first use; safe to share between threads."""

    patience = PATIENCE

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self.path, timeout=self.patience, check_same_thread=False, isolation_level=None)
            try:
                self._set_up(db)
                # In WAL mode what was committed outlives the process; a cut of power can cost the last results, made again then.
                db.execute("PRAGMA synchronous = NORMAL")
            except BaseException:
                db.close()
                raise
            self._connection = db
        return self._connection

    def _set_up(self, db: sqlite3.Connection) -> None:
        """Prepare a connection that was just opened."""
        use_wal(db, self.patience)

    def is_there(self) -> bool:
        """Check whether the file exists."""
        with suppress(OSError):
            return self.path.exists()
        return False

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


def use_wal(db: sqlite3.Connection, patience: float) -> None:
    """Switch a connection to WAL mode; SQLite itself does not wait if another process is creating the same file.

    Raises sqlite3.OperationalError if the file is still busy after `patience` seconds, or cannot be used.
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


class CacheFile(SqliteFile):
    """A cache that work continues without; one of a kind also creates its tables where it sets the connection up."""

    patience = _BRIEF
    name = "the cache"
    keeps_damaged = False

    @classmethod
    def shared(cls, file: str) -> Self:
        """Find the one of the data folder, which this process opens once."""
        path = data_folder() / file
        cache: Self = _shared.setdefault(path, cls(path))
        return cache

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
                        _log.warning("%s is left out: %s", self.name, error)
                        return otherwise
                    # Else look again first: another process may have found the damage and made a new file meanwhile.
                    if fresh:
                        _log.warning("%s was damaged (%s) and starts empty", self.name, error)
                        self._make_way()
        return otherwise

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
        return [path.with_name(f"{path.name}.damaged") for path in self._files()] if self.keeps_damaged else []

    def _make_way(self) -> None:
        for path in self._files():
            with suppress(OSError):
                if self.keeps_damaged and path.exists():
                    path.replace(path.with_name(f"{path.name}.damaged"))
                path.unlink(missing_ok=True)


def _is_damage(error: Exception) -> bool:
    """Whether the file is none of ours, or no longer; of operational errors only another layout ("no such column") is that."""
    if isinstance(error, sqlite3.OperationalError):
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR
    return isinstance(error, sqlite3.DatabaseError)


class Layout(NamedTuple):
    """What a file holds."""

    tables: str
    version: int
    variable: str
    what: str = "a job"
    again: str = "resume the job"


class RecordFile(SqliteFile):
    """A file that nothing is lost of: each fault of it is an error that says what to do."""

    makes = False
    """Whether a missing file is created."""

    def __init__(self, path: Path, layout: Layout) -> None:
        super().__init__(path)
        self.layout = layout

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The open file, for this thread alone; `StoreError` if it cannot be opened, read or written."""
        with self._lock:
            try:
                # If it cannot be determined whether it is there, opening it says why.
                if self._connection is None and not self.makes and not self.path.exists():
                    raise StoreError(f"{self.path} no longer exists: it was deleted.")
                yield self._open()
            except (sqlite3.Error, OSError) as error:
                self.close()
                raise refused(self.path, error, self.layout) from error

    @contextmanager
    def working(self) -> Iterator[None]:
        """Be the one process that works on it."""
        lock = self._process_lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=_MOMENT, poll_interval=0.05)
        except Timeout:
            raise StoreError("Another process works on this job; pause it there first, or wait until it has finished.") from None
        except OSError as error:
            raise refused(self.path, error, self.layout) from error
        try:
            yield
        finally:
            lock.release()

    def busy(self) -> bool:
        """Check whether a process works on it now."""
        try:
            with self._process_lock().acquire(timeout=0):
                return False
        except Timeout:
            return True
        except OSError:
            return False

    def _process_lock(self) -> FileLock:
        # Not a shared object: the lock holds between threads of this process, too. The system releases it when its holder dies.
        return FileLock(self.lock_path, is_singleton=False)

    @property
    def lock_path(self) -> Path:
        """The file of its lock."""
        return self.path.with_name(f"{self.path.name}.lock")

    def _all(self, query: str, *values: Any) -> list[Any]:
        with self._writing() as db:
            return db.execute(query, values).fetchall()

    @contextmanager
    def _meaning(self) -> Iterator[None]:
        try:
            yield
        except (zlib.error, ValueError, KeyError, TypeError, RecursionError) as error:
            raise refused(self.path, error, self.layout) from error

    def _set_up(self, db: sqlite3.Connection) -> None:
        """Make the tables; `StoreError` if a newer version or another program wrote the file."""
        path, layout = self.path, self.layout
        version, there = _state(db)
        if version > layout.version:
            raise StoreError(
                f"A newer Groundscope wrote {path} (layout {version}; this one reads {layout.version}); "
                f"install the newer one, or set {layout.variable} to another folder."
            )
        if version < layout.version:
            if version:
                raise StoreError(
                    f"An older Groundscope wrote {path}; this one does not read it and leaves it alone. "
                    "Delete it, or move it away."
                )
            if there:
                raise _unreadable(path, layout)
            super()._set_up(db)
            with transaction(db):
                # Another process may have made the tables while this one waited for the lock.
                if _state(db) == (0, 0):
                    for statement in filter(str.strip, layout.tables.split(";")):
                        db.execute(statement)
                    db.execute(f"PRAGMA user_version = {layout.version}")
        # A run's texts are gone when it is deleted.
        db.execute("PRAGMA secure_delete = ON")


def _state(db: sqlite3.Connection) -> tuple[int, int]:
    """The layout's version, and how many tables there are; both of one moment."""
    state: tuple[int, int] = db.execute(
        "SELECT user_version, (SELECT COUNT(*) FROM sqlite_master) FROM pragma_user_version"
    ).fetchone()
    return state


def _unreadable(path: Path, layout: Layout) -> StoreError:
    why = f"{path} is damaged or not a file of {layout.what}"
    return StoreError(f"{why}; move it away, or set {layout.variable} to another folder.")


_STRANGE = {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR}
_CLOSED = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
_HELD = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def refused(path: Path, error: Exception, layout: Layout) -> StoreError:
    """Make the error for a file that cannot be used or holds unreadable content."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _STRANGE or not isinstance(error, sqlite3.Error | OSError):
        return _unreadable(path, layout)
    if code == sqlite3.SQLITE_FULL or getattr(error, "errno", 0) in {errno.ENOSPC, errno.EDQUOT}:
        return StoreError(f"The disk of {path} is full. Every result so far is saved: make room and {layout.again}.")
    if code in _CLOSED or isinstance(error, OSError):
        return StoreError(f"{path} cannot be written; set {layout.variable} to a folder that is writable. Nothing is lost.")
    if code in _HELD:
        return StoreError(f"Another process holds {path}; wait until it is done and {layout.again}. Nothing is lost.")
    return StoreError(f"The store {path} failed ({error}). Every result so far is saved: check the disk and {layout.again}.")


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
