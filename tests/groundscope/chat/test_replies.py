"""Replies are found again, reach the disk only where they may, go from one store into another, and damage stops nothing."""

import json
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.chat import replies as reply_store
from groundscope.chat.messages import Reply, Stop, Usage
from groundscope.chat.replies import ReplyStore
from groundscope.errors import DataError
from groundscope.runtime.retention import keeping
from tests.groundscope.storage.cached import ended, noise, started

TEXT = "The landlord Aurelia Quist kept the deposit."
REPLY = Reply(TEXT, "length", Usage(10, 20, 30, 40), 0.25, 1.5, "model-1", "0123456789abcdef", "2026-01-02T03:04:05+00:00")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "replies.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[ReplyStore]:
    found = ReplyStore(path)
    yield found
    found.close()


def _kept(reply: Reply) -> Reply:
    return Reply(reply.text, reply.stop, reply.usage, reply.cost, reply.seconds, reply.model, reply.marker, reply.at, kept=True)


def _found_anew(path: Path, key: str) -> Reply | None:
    other = ReplyStore(path)
    try:
        return other.get(key)
    finally:
        other.close()


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
        assert found == _kept(REPLY)
    assert store.get("other") is None
    assert store.models() == {"m": 1}
    with keeping():
        store.put("k", "m", Reply("later", cost=None))
    assert store.get("k") == _kept(Reply("later", cost=None))
    assert store.models() == {"m": 1}


def test_looking_and_clearing_make_no_file(store: ReplyStore, path: Path) -> None:
    assert store.get("k") is None
    assert store.models() == {}
    assert list(store.recorded()) == []
    assert store.size() == 0
    assert store.clear()
    assert not path.parent.exists()


@pytest.mark.parametrize("said", [None, False])
def test_without_leave_a_reply_stays_in_memory(store: ReplyStore, path: Path, said: bool | None) -> None:
    if said is None:
        store.put("k", "m", REPLY)
    else:
        with keeping(), keeping(said):
            store.put("k", "m", REPLY)
    assert store.get("k") == _kept(REPLY)
    assert not path.parent.exists()
    assert _found_anew(path, "k") is None
    assert list(store.recorded()) == []
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
    assert b"Aurelia" not in "".join(store.recorded()).encode()
    assert store.get("k") == _kept(REPLY)


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
    assert store.get("k") == _kept(REPLY)
    assert "left out" in caplog.text
    assert TEXT not in caplog.text
    with pytest.raises(DataError, match=r"^rec\.jsonl: .*data folder"):
        store.take_in([_line()], "rec.jsonl")


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
    assert _found_anew(path, "k") == _kept(REPLY)


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
    monkeypatch.setattr(reply_store, "_PATIENCE", 0.2)
    _fill(store, 5)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(isolation)
        other.execute("SELECT COUNT(*) FROM replies").fetchall()
        assert not store.clear()
        assert b"Aurelia" in _bytes(path.parent)
        other.execute("ROLLBACK")
    assert store.clear()
    assert b"Aurelia" not in _bytes(path.parent)


# Recordings

texts = st.text(max_size=40)
replies = st.builds(
    Reply,
    texts,
    st.sampled_from(get_args(Stop)),
    st.builds(Usage, *[st.integers(0, 10**12 - 1)] * 4),
    st.none() | st.floats(0, 1e9),
    st.floats(0, 1e9),
    texts,
    texts,
    texts,
)
rows = st.dictionaries(st.text(min_size=1, max_size=8), st.tuples(st.sampled_from(["m1", "m2", "ü|;"]), replies), max_size=6)


@given(rows, rows)
def test_what_one_store_records_another_takes_in(
    recorded: dict[str, tuple[str, Reply]], there: dict[str, tuple[str, Reply]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one, two = ReplyStore(Path(folder) / "one" / "r.sqlite"), ReplyStore(Path(folder) / "two" / "r.sqlite")
        with keeping():
            for store, content in ((one, recorded), (two, there)):
                for key, (model, reply) in content.items():
                    store.put(key, model, reply)
        lines = list(one.recorded())
        assert all(line.isascii() and line.endswith("\n") and line.count("\n") == 1 for line in lines)
        assert two.take_in(lines, "one.jsonl") == len(recorded.keys() - there.keys())
        for key, (_, reply) in (recorded | there).items():
            assert two.get(key) == _kept(reply)
        assert two.take_in("".join(lines).splitlines(), "again.jsonl") == 0
        assert sorted(set(two.recorded()) - set(lines)) == sorted(set(two.recorded()) - set(one.recorded()))
        assert two.models() == {
            m: sum(model == m for model, _ in (recorded | there).values())
            for m in {model for model, _ in (recorded | there).values()}
        } or any(recorded[k][0] != there[k][0] for k in recorded.keys() & there.keys())
        one.close()
        two.close()


def test_some_models_alone_are_recorded(store: ReplyStore) -> None:
    with keeping():
        for i in range(6):
            store.put(f"k{i}", f"m{i % 3}", Reply(str(i)))
    identities = [json.loads(line)["identity"] for line in store.recorded(["m2", "m0", "other"])]
    assert identities == ["m0", "m0", "m2", "m2"]
    assert len(list(store.recorded())) == 6
    assert list(store.recorded(["other"])) == []


def test_half_an_emoji_from_a_server_goes_round(store: ReplyStore, tmp_path: Path) -> None:
    with keeping():
        store.put("k", "m", Reply("half \ud83d", model="m\ud800"))
    other = ReplyStore(tmp_path / "other" / "r.sqlite")
    assert other.take_in(store.recorded(), "r") == 1
    assert other.get("k") == store.get("k")
    other.close()


GOOD: dict[str, Any] = {
    "recording": "groundscope-replies-1", "key": "k", "identity": "m", "text": TEXT, "stop": "end",
    "usage": {"input": 1, "output": 2, "cache_read": 3, "cache_write": 4}, "cost": 0.5, "seconds": 1.5,
    "model": "x", "marker": "", "at": "",
}  # fmt: skip


def _line(**changed: Any) -> str:
    return json.dumps({**GOOD, **changed})


def _usage(**changed: Any) -> str:
    return _line(usage={**GOOD["usage"], **changed})


def _without(name: str) -> str:
    return json.dumps({k: v for k, v in GOOD.items() if k != name})


BROKEN = {
    "no JSON": "PASS",
    "half a line": _line()[:-20],
    "two in one line": _line() + _line(key="k2"),
    "a list": f"[{_line()}]",
    "a text": '"x"',
    "null": "null",
    "another kind": _line(recording="groundscope-replies-2"),
    "no kind": _without("recording"),
    "not a number": _line(cost=float("nan")),
    "infinite": _line(seconds=float("inf")),
    "too large a number": _line().replace("1.5", "1e999"),
    "too large a whole number": _line().replace("1.5", "1" + "0" * 400),
    "a number of many digits": _line().replace("1.5", "1" * 5_000),
    "less than nothing": _line(cost=-0.1),
    "a cost as text": _line(cost="0.5"),
    "a cost that is true": _line(cost=True),
    "seconds that are true": _line(seconds=True),
    "no seconds": _line(seconds=None),
    "a text that is none": _line(text=None),
    "a text that is a list": _line(text=["x"]),
    "a key that is a number": _line(key=1),
    "an empty key": _line(key=""),
    "an empty identity": _line(identity=""),
    "a stop that is none of them": _line(stop="done"),
    "a stop that is a list": _line(stop=["end"]),
    "tokens that are text": _usage(input="1"),
    "tokens that are true": _usage(output=True),
    "half a token": _usage(input=0.5),
    "fewer than no tokens": _usage(cache_read=-1),
    "too many tokens": _usage(cache_write=10**12),
    "tokens of another kind": _usage(thinking=1),
    "no tokens": _line(usage={}),
    "tokens in a list": _line(usage=[1, 2, 3, 4]),
    "half an emoji": _line(text="\ud800"),
    "half an emoji in the marker": _line(marker="\ud800"),
    "half an emoji in the key": _line(key="k\udfff"),
    "half an emoji in the identity": _line(identity="m\udfff"),
    "a key twice": _line()[:-1] + ', "text": "other"}',
    "a key twice further in": _line().replace('"input": 1', '"input": 1, "input": 2'),
    "nested deeply": '{"recording": ' + "[" * 200_000 + "]" * 200_000 + "}",
    "a huge line": _line(text="x" * 4_000_000),
    **{f"no {name}": _without(name) for name in ("key", "identity", "text", "stop", "usage", "seconds", "model", "marker", "at")},
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_recording_is_named_and_not_taken_in(store: ReplyStore, path: Path, what: str) -> None:
    with pytest.raises(DataError) as raised:
        store.take_in([_line(key="before"), "", BROKEN[what], _line(key="after")], "mine.jsonl")
    assert str(raised.value).startswith("mine.jsonl, line 3: ")
    assert "Aurelia" not in str(raised.value)
    assert not path.exists()
    assert [store.get(k) for k in ("before", "k", "after")] == [None] * 3


def test_a_whole_recording_is_taken_in(store: ReplyStore) -> None:
    whole = [_line(), "\n", _line(key="free", cost=None), _line(key="none", cost=0, seconds=0, extra="ignored")]
    assert store.take_in(whole, "mine.jsonl") == 3
    assert store.get("k") == Reply(TEXT, "end", Usage(1, 2, 3, 4), 0.5, 1.5, "x", kept=True)
    assert store.take_in([], "empty.jsonl") == 0
    assert store.take_in([_line(), _line(key="new"), _line(key="new", text="second")], "more.jsonl") == 1
    assert store.get("new") == Reply(TEXT, "end", Usage(1, 2, 3, 4), 0.5, 1.5, "x", kept=True)


# Damage and company


def _truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 + 100)


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
    "text": lambda path: path.write_text(TEXT, encoding="utf-8"),
    "truncated": _truncated,
    "overwritten": _overwritten,
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "other columns": _other_layout,
}


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


ROWS = {
    "no JSON": "PASS",
    "another version's": '{"text": "x", "thinking": "y"}',
    "a list": "[]",
    "deep": "[" * 100_000,
    "a wrong type": json.dumps({**{k: GOOD[k] for k in GOOD if k not in ("recording", "key", "identity")}, "text": None}),
    "bytes": b"\xff\x00",
    "a number": 5,
}


@pytest.mark.parametrize("row", ROWS)
def test_a_row_that_means_nothing_here_is_left_out(store: ReplyStore, path: Path, row: str) -> None:
    _fill(store, 2)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE replies SET reply = ? WHERE key = 'k0'", (ROWS[row],))
    assert store.get("k0") is None
    assert store.get("k1") is not None
    assert [json.loads(line)["key"] for line in store.recorded()] == ["k1"]
    with keeping():
        store.put("k0", "m", REPLY)
    assert store.get("k0") == _kept(REPLY)


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


def test_threads_share_a_store(store: ReplyStore) -> None:
    def work(name: int) -> bool:
        with keeping(name % 2 == 0):
            for i in range(40):
                store.put(f"{name} {i}", str(name), Reply(f"{name} says {i}"))
        return all(store.get(f"{name} {i}") == Reply(f"{name} says {i}", kept=True) for i in range(40))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    assert store.models() == {str(n): 40 for n in (0, 2, 4, 6)}


WRITER = """
import logging, sys
from pathlib import Path
from groundscope.chat.messages import Reply
from groundscope.runtime.retention import keeping
from groundscope.chat.replies import ReplyStore
logging.basicConfig()
store, name = ReplyStore(Path(sys.argv[1])), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
with keeping():
    for i in range(150):
        store.put(f"{name} {i}", name, Reply(f"{name} says {i}"))
        store.put(f"both {i}", "both", Reply(f"both say {i}"))
        assert store.get(f"{name} {i}") == Reply(f"{name} says {i}", kept=True)
store.close()
"""


def test_two_processes_that_write_at_once_lose_nothing(store: ReplyStore, path: Path) -> None:
    children = [started(WRITER, path, name) for name in ("one", "two")]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    assert [ended(child) for child in children] == ["", ""]
    assert store.models() == {"both": 150, "one": 150, "two": 150}
    for i in range(150):
        for key, text in ((f"one {i}", f"one says {i}"), (f"two {i}", f"two says {i}"), (f"both {i}", f"both say {i}")):
            assert store.get(key) == Reply(text, kept=True)
