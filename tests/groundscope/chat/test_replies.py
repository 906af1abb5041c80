"""Replies are found again, reach the disk only where they may, and damage stops nothing."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from groundscope.chat import replies as reply_store
from groundscope.chat.messages import Reply, Usage
from groundscope.chat.replies import ReplyStore
from groundscope.runtime.retention import keeping
from groundscope.storage.sqlite import CacheFile
from tests.groundscope.storage.cached import noise

TEXT = "The landlord Aurelia Quist kept the deposit."
REPLY = Reply(TEXT, "length", Usage(10, 20, 30, 40), 0.25, 1.5, "model-1", "0123456789abcdef", "2026-01-02T03:04:05+00:00")
KEPT = replace(REPLY, kept=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "replies.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[ReplyStore]:
    with closing(ReplyStore(path)) as found:
        yield found


def _found_anew(path: Path, key: str) -> Reply | None:
    with closing(ReplyStore(path)) as other:
        return other.get(key)


def _bytes(folder: Path) -> bytes:
    return b"".join(p.read_bytes() for p in folder.rglob("*") if p.is_file())


def _fill(store: ReplyStore, count: int, text: str = TEXT) -> None:
    with keeping():
        for i in range(count):
            store.put(f"k{i}", "m", Reply(f"{i} {text * 40}"))


def test_a_reply_comes_back_as_it_was_and_marked(store: ReplyStore, path: Path) -> None:
    assert store.get("k") is None
    with keeping():
        store.put("k", "m", REPLY)
    for found in (store.get("k"), _found_anew(path, "k")):
        assert found == KEPT
    assert store.get("other") is None
    assert store.models() == {"m": 1}
    with keeping():
        store.put("k", "m", Reply("later", cost=None))
    assert store.get("k") == Reply("later", cost=None, kept=True)
    assert store.models() == {"m": 1}


def test_looking_and_clearing_make_no_file(store: ReplyStore, path: Path) -> None:
    assert store.get("k") is None
    assert store.models() == {}
    assert store.size() == 0
    assert store.clear()
    assert not path.parent.exists()


def test_without_leave_a_reply_stays_in_memory(store: ReplyStore, path: Path) -> None:
    with keeping(), keeping(False):
        store.put("k", "m", REPLY)
    assert store.get("k") == KEPT
    assert not path.parent.exists()
    assert _found_anew(path, "k") is None
    assert store.models() == {}
    assert store.clear()
    assert store.get("k") is None


def test_without_leave_nothing_is_added_to_a_file_that_is_there(store: ReplyStore, path: Path) -> None:
    with keeping():
        store.put("allowed", "m", Reply("public"))
    store.put("k", "m", REPLY)
    store.close()
    assert b"public" in _bytes(path.parent)
    assert b"Aurelia" not in _bytes(path.parent)
    assert store.get("k") == KEPT


def test_memory_holds_so_many_bytes_and_forgets_the_oldest(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reply_store, "_IN_MEMORY", 55_000)
    store = ReplyStore(path)
    for i in range(8):
        store.put(f"k{i}", "m", Reply(f"{i}" * 10_000))
    assert [store.get(f"k{i}") is not None for i in range(8)] == [False] * 3 + [True] * 5


def test_a_disk_that_cannot_be_written_leaves_replies_in_memory(
    store: ReplyStore, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.write_text("a file where the folder should be", encoding="utf-8")
    with keeping():
        store.put("k", "m", REPLY)
    assert store.get("k") == KEPT
    assert "left out" in caplog.text
    assert TEXT not in caplog.text


def test_the_default_store_follows_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "a"))
    first = reply_store.default()
    assert reply_store.default() is first
    first.put("k", "m", REPLY)
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "b"))
    assert reply_store.default() is not first
    assert reply_store.default().get("k") is None


# Clearing


def test_clearing_leaves_no_text_in_the_files(store: ReplyStore, path: Path) -> None:
    _fill(store, 300)
    with keeping():
        store.put("k0", "m", Reply("put over"))
    store.put("memory", "m", REPLY)
    before = store.size()
    assert b"Aurelia" in _bytes(path.parent)
    assert store.clear()
    assert b"Aurelia" not in _bytes(path.parent)
    assert store.size() < before / 10
    assert [store.get(k) for k in ("k0", "k299", "memory")] == [None] * 3
    assert store.models() == {}
    with keeping():
        store.put("k", "m", REPLY)
    assert _found_anew(path, "k") == KEPT


@pytest.mark.parametrize("damage", ["garbage around the text", "set aside before", "set aside and nothing new"])
def test_clearing_takes_what_was_set_aside_too(store: ReplyStore, path: Path, damage: str) -> None:
    _fill(store, 5)
    store.close()
    path.write_bytes(noise(5_000) + TEXT.encode() + noise(5_000))
    if damage != "garbage around the text":
        assert store.get("k0") is None
        assert path.with_name("replies.sqlite.damaged").exists()
        assert store.size() > 10_000
    if damage == "set aside and nothing new":
        store.close()
        path.unlink()
    assert b"Aurelia" in _bytes(path.parent)
    assert store.clear()
    assert b"Aurelia" not in _bytes(path.parent)
    assert not list(path.parent.glob("*.damaged"))


@pytest.mark.parametrize("isolation", ["BEGIN EXCLUSIVE", "BEGIN"])
def test_clearing_says_so_where_another_keeps_the_texts(
    store: ReplyStore, path: Path, isolation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CacheFile, "patience", 0.2)
    _fill(store, 5)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(isolation)
        other.execute("SELECT COUNT(*) FROM replies").fetchall()
        assert not store.clear()
        assert b"Aurelia" in _bytes(path.parent)
        other.execute("ROLLBACK")
    assert store.clear()
    assert b"Aurelia" not in _bytes(path.parent)


# Damage and company


def _overwritten(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4_096)
        file.write(noise(path.stat().st_size - 8_192))


def _other_layout(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE replies (name, value)")


DAMAGE: dict[str, Callable[[Path], Any]] = {
    "garbage": lambda path: path.write_bytes(noise(50_000)),
    "overwritten": _overwritten,
    "other columns": _other_layout,
}
"""More kinds are those of `tests/groundscope/storage/test_accidents.py`: the file below is the same."""


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_set_aside_and_work_goes_on(
    store: ReplyStore, path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    _fill(store, 200)
    store.close()
    DAMAGE[damage](path)
    damaged = path.read_bytes()
    with keeping():
        for i in range(200):
            assert store.get(f"k{i}") in (None, Reply(f"{i} {TEXT * 40}", kept=True))
            store.put(f"k{i}", "m", Reply(f"new {i}"))
    assert [store.get(f"k{i}") for i in range(200)] == [Reply(f"new {i}", kept=True) for i in range(200)]
    assert _found_anew(path, "k7") == Reply("new 7", kept=True)
    # All but the number of the version, which SQLite itself writes into its head.
    assert path.with_name("replies.sqlite.damaged").read_bytes()[100:] == damaged[100:]
    assert caplog.text.count("damaged") == 1
    assert TEXT not in caplog.text


CONTENT = {name: value for name, value in asdict(REPLY).items() if name != "kept"}
ROWS = {
    "no JSON": "PASS",
    "another version's": '{"text": "x", "thinking": "y"}',
    "a list": "[]",
    "deep": "[" * 100_000,
    "bytes": b"\xff\x00",
    **{
        f"{name}: {value!r}": json.dumps(CONTENT | {name: value})
        for name, value in (
            ("text", None), ("marker", "\ud800"), ("stop", "done"), ("stop", ["end"]), ("cost", -0.1), ("cost", True),
            ("cost", float("nan")), ("seconds", float("inf")), ("usage", {}), ("usage", [1, 2, 3, 4]),
            ("usage", CONTENT["usage"] | {"input": True}), ("usage", CONTENT["usage"] | {"input": 10**12}),
            ("usage", CONTENT["usage"] | {"thinking": 1}),
        )
    },
    "no time": json.dumps({n: v for n, v in CONTENT.items() if n != "at"}),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_a_row_that_means_nothing_here_is_left_out(store: ReplyStore, path: Path, row: str) -> None:
    _fill(store, 2)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE replies SET reply = ? WHERE key = 'k0'", (ROWS[row],))
    assert store.get("k0") is None
    assert store.get("k1") is not None
    with keeping():
        store.put("k0", "m", REPLY)
    assert store.get("k0") == KEPT


def test_a_new_file_that_another_made_meanwhile_is_not_set_aside(store: ReplyStore, path: Path) -> None:
    other = ReplyStore(path)
    _fill(store, 200)
    assert other.get("k1") is not None
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    _overwritten(path)
    _fill(store, 200, "new")
    assert path.with_name("replies.sqlite.damaged").exists()
    with keeping():
        for i in range(200):
            other.put(f"other {i}", "m", Reply("by the other"))
    other.close()
    store.close()
    assert _found_anew(path, "k1") == Reply(f"1 {'new' * 40}", kept=True)
