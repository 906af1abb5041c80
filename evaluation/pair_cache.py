"""Supports of text pairs kept on disk, so that a repeated run costs almost nothing.

One SQLite file in WAL mode, shared by all processes. A key is a hash of the method's signature and of both texts; no text is
stored. When the newer half of the allowed size is full, the older half is dropped; what was used since then stays. A cache
that cannot be read or written never stops a score: it is left out, and a damaged file is replaced by an empty one.
"""

import logging
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from evaluation.places import data_folder

CAP = 256_000_000
"""Bytes that the cache may take: about five million pairs."""

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
        return self._trying(lambda db: _get(db, keys), {}) if keys and self._path.exists() else {}

    def put(self, supports: Mapping[bytes, float]) -> None:
        """Keep supports; what does not fit pushes out what was not used for longest."""
        if supports:
            self._trying(lambda db: self._put(db, supports), None)

    def size(self) -> int:
        """Bytes on disk."""
        return sum(p.stat().st_size for p in self._files() if p.exists())

    def clear(self) -> None:
        """Forget everything; another process that has the file open goes on with an empty cache."""
        if self._path.exists():
            self._trying(_empty, None)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            self._close()

    def _files(self) -> list[Path]:
        return [self._path.with_name(self._path.name + ending) for ending in ("", "-wal", "-shm")]

    def _trying(self, work: Callable[[sqlite3.Connection], _Result], otherwise: _Result) -> _Result:
        """Do the work, once more with an empty file where it is damaged, or go without."""
        with self._lock:
            for _ in range(2):
                try:
                    return work(self._open())
                except (sqlite3.OperationalError, OSError) as error:
                    # Full, locked or not writable: the score matters more than the cache.
                    _log.warning("the pair cache is left out: %s", error)
                    self._close()
                    return otherwise
                except sqlite3.DatabaseError as error:
                    _log.warning("the pair cache was damaged (%s) and starts empty", error)
                    self._close()
                    for path in self._files():
                        with suppress(OSError):
                            path.unlink(missing_ok=True)
        return otherwise

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self._path, timeout=_PATIENCE, check_same_thread=False, isolation_level=None)
            self._connection = db
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            for table in ("young", "old"):
                db.execute(f"CREATE TABLE IF NOT EXISTS {table} {_TABLE}")
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _put(self, db: sqlite3.Connection, supports: Mapping[bytes, float]) -> None:
        with _transaction(db):
            db.executemany("INSERT OR REPLACE INTO young VALUES (?, ?)", supports.items())
            # The user version holds how many pages the older half takes.
            old_pages = db.execute("PRAGMA user_version").fetchone()[0]
            page = db.execute("PRAGMA page_size").fetchone()[0]
            if (_used_pages(db) - old_pages) * page > self._cap // 2:
                db.execute("DROP TABLE old")
                db.execute("ALTER TABLE young RENAME TO old")
                db.execute(f"PRAGMA user_version = {_used_pages(db)}")
                db.execute(f"CREATE TABLE young {_TABLE}")


def _used_pages(db: sqlite3.Connection) -> int:
    pages: int = db.execute("PRAGMA page_count").fetchone()[0]
    free: int = db.execute("PRAGMA freelist_count").fetchone()[0]
    return pages - free


def _get(db: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, float]:
    found = dict(_rows(db, "young", keys))
    missing = [key for key in keys if key not in found]
    again = dict(_rows(db, "old", missing))
    if again:
        with _transaction(db):
            # What is used again must outlive the next drop of the older half.
            db.executemany("INSERT OR REPLACE INTO young VALUES (?, ?)", again.items())
    return found | again


def _rows(db: sqlite3.Connection, table: str, keys: Sequence[bytes]) -> Iterable[tuple[bytes, float]]:
    for start in range(0, len(keys), _KEYS_A_QUERY):
        some = keys[start : start + _KEYS_A_QUERY]
        marks = ",".join("?" * len(some))
        yield from db.execute(f"SELECT key, support FROM {table} WHERE key IN ({marks})", some)  # noqa: S608 - marks only


def _empty(db: sqlite3.Connection) -> None:
    with _transaction(db):
        db.execute("DELETE FROM young")
        db.execute("DELETE FROM old")
        db.execute("PRAGMA user_version = 0")
    db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


class _transaction:  # noqa: N801 - used as a statement
    """All or nothing, with the write lock taken at the start."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        self._db.execute("ROLLBACK" if kind else "COMMIT")
