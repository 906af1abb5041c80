"""Supports of text pairs kept on disk, so that a repeated run costs almost nothing.

One SQLite file in WAL mode, shared by all processes. A key is a hash of the method's signature and of both texts; no text is
stored. There is a younger and an older half; when the younger one is full, the older one is dropped and they change places;
what was used since then stays. A cache that cannot be read or written never stops a score: it is left out, and a damaged
file is replaced by an empty one.
"""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from evaluation.places import data_folder

CAP = 256_000_000
"""Bytes that the cache may take: about four million pairs."""

_KEYS_A_QUERY = 900
_PATIENCE = 5.0
"""Seconds to wait for another process that writes."""
_TABLE = "(key BLOB PRIMARY KEY, support REAL NOT NULL) WITHOUT ROWID"

_Result = TypeVar("_Result")
_log = logging.getLogger("groundscope")
_opened: dict[Path, "PairCache"] = {}
_opening = threading.Lock()


def default() -> "PairCache":
    """The cache in the data folder; one object a process."""
    path = data_folder() / "pairs.sqlite"
    with _opening:
        if path not in _opened:
            _opened[path] = PairCache(path)
        return _opened[path]


def digest(text: str) -> bytes:
    """16 bytes that stand for a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def pair_key(signature: bytes, claim: bytes, context: bytes) -> bytes:
    """The key of a pair, of three digests."""
    return blake2b(signature + claim + context, digest_size=16).digest()


class PairCache:
    """A map from pair keys to supports, on disk; safe to share between threads."""

    def __init__(self, path: Path, cap: int = CAP) -> None:
        """Open nothing yet.

        Args:
            path: the file.
            cap: bytes it may take.
        """
        self._path, self._cap = path, cap
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def get(self, keys: Sequence[bytes]) -> dict[bytes, float]:
        """The supports of those keys that are known."""
        return self._trying(lambda db: self._get(db, keys), {}) if keys and self._is_there() else {}

    def put(self, supports: Mapping[bytes, float]) -> None:
        """Keep supports; what does not fit pushes out what was not used for longest."""
        if supports:
            self._trying(lambda db: self._put(db, supports.items()), None)

    def size(self) -> int:
        """Bytes on disk."""
        found = 0
        for path in self._files():
            with suppress(OSError):
                found += path.stat().st_size
        return found

    def clear(self) -> bool:
        """Forget everything; another process that has the file open goes on with an empty cache.

        Returns:
            Whether nothing is kept now; not so where the file cannot be written or another process holds it.
        """
        try:
            there = self._path.exists()
        except OSError:
            return False
        return self._trying(_empty, False) if there else True

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            self._close()

    def _is_there(self) -> bool:
        with suppress(OSError):
            return self._path.exists()
        return False

    def _files(self) -> list[Path]:
        return [self._path.with_name(self._path.name + ending) for ending in ("", "-wal", "-shm")]

    def _trying(self, work: Callable[[sqlite3.Connection], _Result], otherwise: _Result) -> _Result:
        """Do the work, once more with an empty file where it is damaged, or go without."""
        with self._lock:
            for _ in range(2):
                try:
                    return work(self._open())
                except (sqlite3.DatabaseError, OSError) as error:
                    self._close()
                    if not _is_damage(error):
                        # Full, locked or not writable: the score matters more than the cache.
                        _log.warning("the pair cache is left out: %s", error)
                        return otherwise
                    _log.warning("the pair cache was damaged (%s) and starts empty", error)
                    for path in self._files():
                        with suppress(OSError):
                            path.unlink(missing_ok=True)
        return otherwise

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self._path, timeout=_PATIENCE, check_same_thread=False, isolation_level=None)
            self._connection = db
            _use_wal(db)
            db.execute("PRAGMA synchronous = NORMAL")
            # Freed pages would be written once more, with zeros, and there is no text in them.
            db.execute("PRAGMA secure_delete = OFF")
            db.execute(f"PRAGMA journal_size_limit = {self._cap // 8}")
            for table in ("young", "old"):
                db.execute(f"CREATE TABLE IF NOT EXISTS {table} {_TABLE}")
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _get(self, db: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, float]:
        found = dict(_rows(db, "young", keys))
        again = dict(_rows(db, "old", [key for key in keys if key not in found]))
        try:
            # What is used again must outlive the next drop of the older half.
            self._put(db, again.items())
        except sqlite3.OperationalError as error:
            _log.warning("the pair cache is only read: %s", error)
        return found | again

    def _put(self, db: sqlite3.Connection, rows: Iterable[tuple[bytes, float]]) -> None:
        # In the order of the keys every page is written once, and no transaction touches more pages than it has rows:
        # so two fifths of the cap for each half leave enough for SQLite's log.
        ordered, size = sorted(rows), max(100, self._cap // 50_000)
        for start in range(0, len(ordered), size):
            with _transaction(db):
                db.executemany("INSERT OR REPLACE INTO young VALUES (?, ?)", ordered[start : start + size])
                # The user version holds how many pages the older half takes.
                old_pages = db.execute("PRAGMA user_version").fetchone()[0]
                page = db.execute("PRAGMA page_size").fetchone()[0]
                if (_used_pages(db) - old_pages) * page > self._cap * 2 // 5:
                    db.execute("DROP TABLE old")
                    db.execute("ALTER TABLE young RENAME TO old")
                    db.execute(f"PRAGMA user_version = {_used_pages(db)}")
                    db.execute(f"CREATE TABLE young {_TABLE}")


def _is_damage(error: Exception) -> bool:
    """Whether the file is none of ours, or no longer; of operational errors only another layout ("no such column") is that."""
    if isinstance(error, sqlite3.OperationalError):
        return getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR
    return isinstance(error, sqlite3.DatabaseError)


def _use_wal(db: sqlite3.Connection) -> None:
    """Switch to WAL mode, for which SQLite does not wait by itself where another process makes the same file."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _used_pages(db: sqlite3.Connection) -> int:
    pages: int = db.execute("PRAGMA page_count").fetchone()[0]
    free: int = db.execute("PRAGMA freelist_count").fetchone()[0]
    return pages - free


def _rows(db: sqlite3.Connection, table: str, keys: Sequence[bytes]) -> Iterable[tuple[bytes, float]]:
    for start in range(0, len(keys), _KEYS_A_QUERY):
        some = keys[start : start + _KEYS_A_QUERY]
        marks = ",".join("?" * len(some))
        yield from db.execute(f"SELECT key, support FROM {table} WHERE key IN ({marks})", some)  # noqa: S608 - marks only


def _empty(db: sqlite3.Connection) -> bool:
    with _transaction(db):
        db.execute("DELETE FROM young")
        db.execute("DELETE FROM old")
        db.execute("PRAGMA user_version = 0")
    db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return True


class _transaction:  # noqa: N801 - used as a statement
    """All or nothing, with the write lock taken at the start."""

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
