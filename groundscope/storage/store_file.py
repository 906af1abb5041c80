"""Open the SQLite file of a job, with a message for each reason why it cannot be opened, read or written."""

import errno
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from filelock import FileLock, Timeout

from groundscope.errors import StoreError
from groundscope.storage.sqlite import SqliteHandle, transaction, use_wal

PATIENCE = 30.0
"""Seconds to wait for another process that writes."""
_MOMENT = 1.0
"""Seconds to wait for the lock: a process that only checks it holds it for a moment."""


class Layout(NamedTuple):
    """What a file holds."""

    tables: str
    version: int
    variable: str
    what: str = "a job"
    again: str = "resume the job"
    this: str = "this job"


class StoreFile(SqliteHandle):
    """A file that nothing is lost of: each fault of it is an error that says what to do."""

    makes = False
    """Whether a missing file is created."""

    def __init__(self, path: Path, layout: Layout) -> None:
        super().__init__(path)
        self.layout = layout

    def _is_there(self) -> bool:
        # If that cannot be determined, opening the file says why.
        with suppress(OSError):
            return self.path.exists()
        return True

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The open file, for this thread alone; `StoreError` if it cannot be opened, read or written."""
        with self._lock:
            try:
                if self._connection is None:
                    if not (self.makes or self._is_there()):
                        raise StoreError(f"{self.path} no longer exists: it was deleted.")
                    self._connection = _opened(self.path, self.layout)
                yield self._connection
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
            raise StoreError(
                f"Another process works on {self.layout.this}; pause it there first, or wait until it has finished."
            ) from None
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


def _opened(path: Path, layout: Layout) -> sqlite3.Connection:
    """Open the store, created if it does not exist; `StoreError` if a newer version or another program wrote it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False, isolation_level=None)
    try:
        _set_up(db, path, layout)
    except BaseException:
        db.close()
        raise
    return db


def _set_up(db: sqlite3.Connection, path: Path, layout: Layout) -> None:
    version, there = _found(db)
    if version > layout.version:
        raise StoreError(
            f"A newer Groundscope wrote {path} (layout {version}; this one reads {layout.version}); "
            f"install the newer one, or set {layout.variable} to another folder."
        )
    if version < layout.version:
        if version:
            raise StoreError(
                f"An older Groundscope wrote {path}; this one does not read it and leaves it alone. Delete it, or move it away."
            )
        if there:
            raise _unreadable(path, layout)
        use_wal(db, PATIENCE)
        with transaction(db):
            # Another process may have made the tables while this one waited for the lock.
            if _found(db) == (0, 0):
                for statement in filter(str.strip, layout.tables.split(";")):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {layout.version}")
    # In WAL mode what was committed outlives the process; a cut of power can cost the last judgements, which are then made again.
    db.execute("PRAGMA synchronous = NORMAL")
    # A run's texts are gone when it is deleted.
    db.execute("PRAGMA secure_delete = ON")


def _found(db: sqlite3.Connection) -> tuple[int, int]:
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
