"""Cache of supports of text pairs on disk, so that a repeated run costs almost nothing.

One SQLite file in WAL mode, shared by all processes. A key is a hash of the method's signature and of both texts; no text is
stored. The cache has a younger and an older half: when the younger is full, the older is dropped and the two swap places; entries
used since then are copied over. A cache that cannot be read or written never stops a score: it is skipped, and a damaged file is
replaced by an empty one.
"""

import logging
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from groundscope.storage.sqlite import CacheFile, transaction

CAP = 256_000_000
"""Largest size in bytes: about four million pairs."""

_KEYS_A_QUERY = 900
_TABLE = "(key BLOB PRIMARY KEY, support REAL NOT NULL) WITHOUT ROWID"

_log = logging.getLogger("groundscope")


def default() -> "PairCache":
    """Open the cache in the data folder."""
    return PairCache.shared("pairs.sqlite")


def digest(text: str) -> bytes:
    """Hash a text."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def pair_key(signature: bytes, claim: bytes, context: bytes) -> bytes:
    """Hash a pair of texts under a method."""
    return blake2b(signature + claim + context, digest_size=16).digest()


class PairCache(CacheFile):
    """Map from pair keys to supports, on disk; safe to share between threads."""

    name = "the pair cache"

    def __init__(self, path: Path, cap: int = CAP) -> None:
        super().__init__(path)
        self._cap = cap

    def _set_up(self, db: sqlite3.Connection) -> None:
        super()._set_up(db)
        # Freed pages would be written once more, with zeros, and there is no text in them.
        db.execute("PRAGMA secure_delete = OFF")
        db.execute(f"PRAGMA journal_size_limit = {self._cap // 8}")
        for table in ("young", "old"):
            db.execute(f"CREATE TABLE IF NOT EXISTS {table} {_TABLE}")

    def get(self, keys: Sequence[bytes]) -> dict[bytes, float]:
        """Return the supports of the keys that are cached."""
        return self.trying(lambda db: self._get(db, keys), {}) if keys and self.is_there() else {}

    def put(self, supports: Mapping[bytes, float]) -> None:
        """Store supports; if the cache is full, the least recently used are dropped."""
        if supports:
            self.trying(lambda db: self._put(db, supports.items()), None)

    def clear(self) -> bool:
        """Empty the cache; another process that has the file open continues with an empty cache."""
        try:
            there = self.path.exists()
        except OSError:
            return False
        return self.trying(_empty, False) if there else True

    def _get(self, db: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, float]:
        young = dict(_rows(db, "young", keys))
        again = dict(_rows(db, "old", [key for key in keys if key not in young]))
        try:
            # What is used again must outlive the next drop of the older half.
            self._put(db, again.items())
        except sqlite3.OperationalError as error:
            _log.warning("the pair cache is only read: %s", error)
        return young | again

    def _put(self, db: sqlite3.Connection, rows: Iterable[tuple[bytes, float]]) -> None:
        # In the order of the keys every page is written once, and no transaction touches more pages than it has rows:
        # so two fifths of the cap for each half leave enough for SQLite's log.
        ordered, size = sorted(rows), max(100, self._cap // 50_000)
        for start in range(0, len(ordered), size):
            with transaction(db):
                db.executemany("INSERT OR REPLACE INTO young VALUES (?, ?)", ordered[start : start + size])
                # The user version holds how many pages the older half takes.
                old_pages = db.execute("PRAGMA user_version").fetchone()[0]
                page = db.execute("PRAGMA page_size").fetchone()[0]
                if (_used_pages(db) - old_pages) * page > self._cap * 2 // 5:
                    db.execute("DROP TABLE old")
                    db.execute("ALTER TABLE young RENAME TO old")
                    db.execute(f"PRAGMA user_version = {_used_pages(db)}")
                    db.execute(f"CREATE TABLE young {_TABLE}")


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
    with transaction(db):
        db.execute("DELETE FROM young")
        db.execute("DELETE FROM old")
        db.execute("PRAGMA user_version = 0")
    db.execute("VACUUM")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return True
