"""Cache of chat model replies: a rerun sends and pays nothing twice, and needs no key.

The key of a reply is a hash of model and prompt; the prompt itself, and so the case, is not stored. A reply may quote the case,
so it is written to disk only if the case may leave a trace (`groundscope.runtime.retention`); otherwise it lives as long as the
process.
"""

import json
import sqlite3
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import asdict, astuple, replace
from pathlib import Path
from typing import Any

from groundscope.chat.messages import Reply
from groundscope.files.typed import from_json
from groundscope.runtime.byte_cache import MEGABYTE, ByteLRU
from groundscope.runtime.progress import scoped
from groundscope.runtime.retention import may_keep
from groundscope.storage.sqlite import CacheFile, transaction

_IN_MEMORY = 64 * MEGABYTE
_LARGEST = 10**12

_shared: ContextVar["ReplyStore | None"] = ContextVar("groundscope_replies", default=None)


def default() -> "ReplyStore":
    """Open the store in the data folder."""
    shared = _shared.get()
    return ReplyStore.shared("replies.sqlite") if shared is None else shared


def shared(store: "ReplyStore") -> AbstractContextManager[object]:
    """Keep the replies of this block elsewhere than in the data folder, as where many machines share them."""
    return scoped(_shared, store)


class ReplyStore(CacheFile):
    """Map from prompt keys to replies, on disk or, if that is not allowed, in memory; safe to share between threads."""

    name = "the store of replies"
    keeps_damaged = True

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._memory = ByteLRU(_IN_MEMORY)

    def _set_up(self, db: sqlite3.Connection) -> None:
        super()._set_up(db)
        db.execute(
            "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, model TEXT NOT NULL, reply TEXT NOT NULL) WITHOUT ROWID"
        )

    def get(self, key: str) -> Reply | None:
        """Look up the reply of a key, in memory and on disk."""
        reply: Reply | None = self._memory.get(key)
        if reply is None and self.is_there():
            query = "SELECT reply FROM replies WHERE key = ?"
            row = self.trying(lambda db: db.execute(query, (key,)).fetchone(), None)
            reply = _kept(row[0]) if row else None
        return None if reply is None else replace(reply, kept=True)

    def put(self, key: str, model: str, reply: Reply) -> None:
        """Store a reply: on disk before this returns, if that is allowed and possible, else in memory."""
        if not (may_keep() and self.trying(lambda db: _put(db, key, model, reply), False)):
            self._memory.put(key, reply)

    def models(self) -> dict[str, int]:
        """Count the replies on disk."""
        if not self.is_there():
            return {}
        count = "SELECT model, COUNT(*) FROM replies GROUP BY model ORDER BY model"
        return self.trying(lambda db: dict(db.execute(count).fetchall()), {})

    def clear(self) -> bool:
        """Delete all replies, on disk and in memory."""
        self._memory.clear()
        emptied = self.trying(_empty, False) if self.is_there() else True
        # What was set aside holds replies too, and emptying a damaged file has just set it aside.
        return self.drop_damaged() and emptied


def _put(db: sqlite3.Connection, key: str, model: str, reply: Reply) -> bool:
    with transaction(db):
        db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", (key, model, json.dumps(_content(reply))))
    return True


def _empty(db: sqlite3.Connection) -> bool:
    db.execute("PRAGMA secure_delete = ON")
    with transaction(db):
        db.execute("DELETE FROM replies")
    db.execute("VACUUM")
    # Another process that is reading keeps SQLite's log, and in it the texts.
    busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _kept(content: str) -> Reply | None:
    """Parse a stored reply; None if another version wrote it in an unknown form."""
    try:
        reply = from_json(Reply, content)
    except (TypeError, ValueError):
        return None
    numbers = (*astuple(reply.usage), reply.seconds, reply.cost or 0.0)
    whole = _content(reply) == {"forced": True} | json.loads(content)
    return reply if whole and all(0 <= number < _LARGEST for number in numbers) else None


def _content(reply: Reply) -> dict[str, Any]:
    return {name: value for name, value in asdict(reply).items() if name != "kept"}


_APART = 1_000
"""More tries and samples than any judgement asks for."""
_repeat: ContextVar[int] = ContextVar("groundscope_repeat", default=0)


def repeat(number: int) -> AbstractContextManager[object]:
    """Ask the same once more, while the block runs: each number has replies of its own, which are kept like any others."""
    return scoped(_repeat, number)


def reply_number(number: int) -> int:
    """Number a reply among all that there are to a prompt."""
    return number + _APART * _repeat.get()
