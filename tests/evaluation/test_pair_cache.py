"""The pair cache: what is put comes back, within its cap, and nothing that happens to the file stops a score."""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from hashlib import shake_256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import pair_cache
from evaluation.pair_cache import CAP, PairCache, digest, pair_key

ROOT = Path(__file__).resolve().parents[2]
TEXT = "The landlord Aurelia Quist kept the deposit."
NOBODY = 65_534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "pairs.sqlite"


@pytest.fixture
def cache(path: Path) -> Iterator[PairCache]:
    found = PairCache(path)
    yield found
    found.close()


def _key(name: object) -> bytes:
    return pair_key(digest("signature"), digest(TEXT), digest(str(name)))


def _noise(size: int, seed: str = "noise") -> bytes:
    return shake_256(seed.encode()).digest(size)


def _noisy_keys(count: int, seed: str) -> list[bytes]:
    found = _noise(16 * count, seed)
    return [found[i : i + 16] for i in range(0, len(found), 16)]


def _rows(count: int, name: str = "") -> dict[bytes, float]:
    return {_key(f"{name}{i}"): i / count for i in range(count)}


def _get(path: Path, wanted: dict[bytes, float]) -> dict[bytes, float]:
    """What a process that starts now finds."""
    other = PairCache(path)
    try:
        return other.get(list(wanted))
    finally:
        other.close()


def _in_table(path: Path, table: str) -> set[bytes]:
    with closing(sqlite3.connect(path)) as db:
        return {key for (key,) in db.execute(f"SELECT key FROM {table}")}  # noqa: S608 - a table's name


keys = st.integers(0, 40).map(_key)
supports = st.floats(0, 3)


@settings(max_examples=30)
@given(first=st.dictionaries(keys, supports, max_size=20), second=st.dictionaries(keys, supports, max_size=20), asked=keys)
def test_what_is_put_comes_back_exactly(first: dict[bytes, float], second: dict[bytes, float], asked: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        cache = PairCache(Path(folder) / "pairs.sqlite")
        cache.put(first)
        cache.put(second)
        expected = first | second
        assert cache.get(list(expected)) == expected
        assert cache.get([asked, *first, asked]) == {k: expected[k] for k in {asked, *first} & set(expected)}
        cache.close()
        assert _get(Path(folder) / "pairs.sqlite", expected) == expected


def test_more_keys_than_a_query_takes_come_back(cache: PairCache, path: Path) -> None:
    rows = _rows(20_000)
    cache.put(rows)
    assert cache.get([_key("unknown"), *rows]) == rows
    assert _get(path, rows) == rows


def test_asking_emptying_and_putting_nothing_make_no_file(cache: PairCache, path: Path) -> None:
    assert cache.get([_key(1)]) == {}
    assert cache.clear()
    cache.put({})
    assert cache.size() == 0
    assert not path.parent.exists()


def test_the_default_cache_follows_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "a"))
    first = pair_cache.default()
    assert pair_cache.default() is first
    first.put({_key(1): 0.5})
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "b"))
    assert pair_cache.default().get([_key(1)]) == {}
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "a"))
    assert pair_cache.default().get([_key(1)]) == {_key(1): 0.5}
    first.close()


@given(st.lists(st.tuples(*[st.text(st.characters(), max_size=3)] * 3), min_size=2, max_size=2, unique=True))
def test_other_signatures_claims_and_contexts_have_other_keys(triples: list[tuple[str, str, str]]) -> None:
    one, two = (pair_key(*map(digest, triple)) for triple in triples)
    assert one != two
    assert len(one) == 16


def test_claim_and_context_are_no_equals() -> None:
    assert pair_key(digest("s"), digest("a"), digest("b")) != pair_key(digest("s"), digest("b"), digest("a"))
    assert pair_key(digest("s"), digest("ab"), digest("c")) != pair_key(digest("s"), digest("a"), digest("bc"))


def test_no_text_is_in_the_files_bytes(cache: PairCache, path: Path) -> None:
    cache.put(_rows(500))
    files = [file for file in path.parent.iterdir() if file.is_file()]
    assert path in files
    for file in files:
        found = file.read_bytes()
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            assert TEXT[:12].encode(encoding) not in found
        assert digest(TEXT) not in found


def test_the_size_stays_under_the_cap_and_what_is_used_survives(path: Path) -> None:
    cap = 24_000_000
    cache = PairCache(path, cap)
    used, unused = _rows(50, "used"), _rows(50, "unused")
    cache.put(used | unused)
    largest = 0
    for i in range(36):
        cache.put(dict.fromkeys(_noisy_keys(20_000, f"put {i}"), 0.5))
        assert cache.get(list(used)) == used
        largest = max(largest, cache.size())
    assert cap / 2 < largest <= cap
    assert cache.get(list(unused)) == {}
    cache.close()


def test_reading_the_older_half_alone_stays_under_the_cap(path: Path) -> None:
    cap = 4_000_000
    cache, known = PairCache(path, cap), _noisy_keys(72_000, "known")
    cache.put(dict.fromkeys(known, 0.5))
    for start in range(0, len(known), 6_000):
        cache.get(known[start : start + 6_000])
        assert path.stat().st_size <= cap
    cache.close()


def test_the_log_of_sqlite_shrinks_again_after_a_long_reader(path: Path) -> None:
    cap = 6_000_000
    cache = PairCache(path, cap)
    cache.put(_rows(10))
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM young").fetchall()
        for i in range(12):
            cache.put(_rows(4_000, f"meanwhile {i} "))
        assert cache.size() > cap
        reader.execute("ROLLBACK")
    cache.put(_rows(4_000, "later"))
    cache.put(_rows(4_000, "last"))
    assert cache.size() <= cap
    cache.close()


def test_hits_in_the_older_half_move_to_the_younger(cache: PairCache, path: Path) -> None:
    rows = _rows(10)
    cache.put(rows)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO old SELECT * FROM young")
        db.execute("DELETE FROM young")
    some = dict(list(rows.items())[:3])
    assert cache.get(list(some)) == some
    assert _in_table(path, "young") == set(some)
    cache.put({_key("another"): 0.5})
    assert cache.get(list(rows)) == rows


WRITER = """
import logging, sys
from pathlib import Path
from evaluation.pair_cache import PairCache, digest, pair_key
logging.basicConfig()
cache = PairCache(Path(sys.argv[1]), int(sys.argv[3]))
print("ready", flush=True)
sys.stdin.readline()
for i in range(int(sys.argv[4])):
    cache.put({pair_key(digest("s"), digest(sys.argv[2]), digest(f"{i} {j}")): i / 1e6 for j in range(int(sys.argv[5]))})
    print(i, flush=True)
"""


def _written(name: str, puts: int, size: int) -> dict[bytes, float]:
    return {pair_key(digest("s"), digest(name), digest(f"{i} {j}")): i / 1e6 for i in range(puts) for j in range(size)}


def _start(code: str, *arguments: object) -> "subprocess.Popen[str]":
    child = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def _ended(child: "subprocess.Popen[str]") -> str:
    """What the child logged."""
    _, err = child.communicate("go\n", timeout=60)
    assert child.returncode == 0, err
    return str(err)


def test_two_processes_that_write_at_once_lose_nothing(path: Path) -> None:
    children = [_start(WRITER, path, name, CAP, 100, 40) for name in ("one", "two")]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    assert [_ended(child) for child in children] == ["", ""]
    expected = _written("one", 100, 40) | _written("two", 100, 40)
    assert _get(path, expected) == expected


def test_two_processes_may_both_drop_the_older_half(path: Path) -> None:
    children = [_start(WRITER, path, name, 400_000, 120, 100) for name in ("one", "two")]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    assert [_ended(child) for child in children] == ["", ""]
    expected = _written("one", 120, 100) | _written("two", 120, 100)
    found = _get(path, expected)
    assert found.items() < expected.items()
    assert len(found) > 1_000


def test_what_was_put_before_a_kill_is_there_after_it(path: Path) -> None:
    for acknowledged in (1, 5, 40):
        name = f"killed after {acknowledged}"
        child = _start(WRITER, path, name, CAP, 100_000, 50)
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write("go\n")
        child.stdin.flush()
        for i in range(acknowledged):
            assert child.stdout.readline() == f"{i}\n"
        child.send_signal(signal.SIGKILL)
        child.communicate(timeout=60)
        assert child.returncode == -signal.SIGKILL
        expected = _written(name, acknowledged, 50)
        assert _get(path, expected) == expected


def test_threads_share_one_cache(cache: PairCache) -> None:
    def work(name: str) -> bool:
        rows = _rows(50, name)
        for key, support in rows.items():
            cache.put({key: support})
        return cache.get(list(rows)) == rows

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, map(str, range(8))))


def _truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 + 100)


def _overwritten(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4_096)
        file.write(_noise(path.stat().st_size - 8_192))


def _of_other_layout(*statements: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.unlink()
        with closing(sqlite3.connect(path)) as db, db:
            for statement in statements:
                db.execute(statement)

    return make


DAMAGE: dict[str, Callable[[Path], Any]] = {
    "garbage": lambda path: path.write_bytes(_noise(50_000)),
    "text": lambda path: path.write_text(TEXT, encoding="utf-8"),
    "truncated": _truncated,
    "overwritten": _overwritten,
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "head only": lambda path: path.write_bytes(path.read_bytes()[:100]),
    "other columns": _of_other_layout("CREATE TABLE young (name, value)", "CREATE TABLE old (name, value)"),
    "more columns": _of_other_layout("CREATE TABLE young (key PRIMARY KEY, support, more)"),
    "a view": _of_other_layout("CREATE VIEW young AS SELECT x'00' AS key, 0.5 AS support"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_replaced(cache: PairCache, path: Path, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    rows = _rows(5_000)
    cache.put(rows)
    cache.close()
    DAMAGE[damage](path)
    assert cache.get(list(rows)).items() <= rows.items()
    cache.put(rows)
    assert "damaged" in caplog.text
    assert TEXT not in caplog.text
    assert cache.get(list(rows)) == rows
    assert _get(path, rows) == rows
    caplog.clear()
    cache.put(_rows(10, "later"))
    assert caplog.text == ""


@pytest.mark.parametrize("damage", ["garbage", "truncated", "overwritten", "zeros"])
def test_damage_while_the_file_is_open_stops_nothing(cache: PairCache, path: Path, damage: str) -> None:
    rows = _rows(5_000)
    cache.put(rows)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    DAMAGE[damage](path)
    assert cache.get(list(rows)).items() <= rows.items()
    cache.put(rows)
    cache.close()
    cache.put(rows)
    assert _get(path, rows) == rows


def test_an_empty_file_is_an_empty_cache(cache: PairCache, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir()
    path.touch()
    rows = _rows(3)
    assert cache.get(list(rows)) == {}
    cache.put(rows)
    assert _get(path, rows) == rows
    assert caplog.text == ""


def test_a_damaged_log_of_sqlite_loses_no_more_than_itself(path: Path) -> None:
    child = _start(WRITER, path, "killed", CAP, 100_000, 50)
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write("go\n")
    child.stdin.flush()
    assert child.stdout.readline() == "0\n"
    child.kill()
    child.communicate(timeout=60)
    path.with_name("pairs.sqlite-wal").write_bytes(_noise(30_000))
    rows = _written("killed", 1, 50)
    cache = PairCache(path)
    assert cache.get(list(rows)).items() <= rows.items()
    cache.put(rows)
    cache.close()
    assert _get(path, rows) == rows


def test_a_folder_in_place_of_the_file_leaves_the_cache_out(
    cache: PairCache, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.mkdir(parents=True)
    _is_left_out(cache, caplog)
    assert path.is_dir()


def test_a_file_in_place_of_the_data_folder_leaves_the_cache_out(
    cache: PairCache, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.parent.write_text(TEXT, encoding="utf-8")
    _is_left_out(cache, caplog)
    assert path.parent.read_text(encoding="utf-8") == TEXT


def test_a_path_that_no_system_takes_leaves_the_cache_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    _is_left_out(PairCache(tmp_path / ("a" * 5_000) / "pairs.sqlite"), caplog)


def _is_left_out(cache: PairCache, caplog: pytest.LogCaptureFixture) -> None:
    rows = _rows(3)
    assert cache.get(list(rows)) == {}
    cache.put(rows)
    assert "left out" in caplog.text
    assert TEXT not in caplog.text
    assert cache.get(list(rows)) == {}
    cache.clear()
    cache.size()
    cache.close()


UNWRITABLE = """
import json, logging, os, sys
from pathlib import Path
from evaluation.pair_cache import PairCache, digest
logging.basicConfig()
cache = PairCache(Path(sys.argv[1]))
os.setgroups([]) if os.geteuid() == 0 else None
os.setgid(int(sys.argv[2])) if os.geteuid() == 0 else None
os.setuid(int(sys.argv[2])) if os.geteuid() == 0 else None
print("ready", flush=True)
sys.stdin.readline()
found = cache.get([digest("known")])
cache.put({digest("new"): 0.5})
assert cache.get([digest("new")]) == {}
assert found in ({}, {digest("known"): 0.25}), found
assert not cache.clear()
cache.size()
cache.close()
"""


@pytest.mark.parametrize("mode", [0o555, 0o000], ids=["read-only", "not to be entered"])
def test_a_folder_without_permission_leaves_the_cache_out(mode: int) -> None:
    # Not in pytest's own folder, which nobody but its owner may enter.
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        folder = Path(name) / "data"
        cache = PairCache(folder / "pairs.sqlite")
        cache.put({digest("known"): 0.25})
        cache.close()
        (folder / "pairs.sqlite").chmod(0o444)
        folder.chmod(mode)
        try:
            # Root may write everywhere, so the child becomes someone else.
            log = _ended(_start(UNWRITABLE, folder / "pairs.sqlite", NOBODY))
        finally:
            folder.chmod(0o755)
        assert mode == 0 or "the pair cache is" in log
        assert "damaged" not in log
        assert _get(folder / "pairs.sqlite", {digest("known"): 0.25}) == {digest("known"): 0.25}


FULL = """
import json, logging, resource, signal, sys
from pathlib import Path
from evaluation.pair_cache import PairCache, digest
logging.basicConfig()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
cache = PairCache(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for i in range(60):
    rows = {digest(f"{i} {j}"): j / 500 for j in range(500)}
    cache.put(rows)
    assert cache.get(list(rows)).items() <= rows.items()
rows = {digest(f"0 {j}"): j / 500 for j in range(500)}
assert cache.get(list(rows)) == rows
"""


def test_a_full_disk_keeps_what_is_there(path: Path) -> None:
    log = _ended(_start(FULL, path))
    assert "left out" in log
    assert "damaged" not in log
    assert "rollback" not in log
    assert 100_000 < path.stat().st_size <= 300_000
    first = {digest(f"0 {j}"): j / 500 for j in range(500)}
    assert _get(path, first) == first
    again = PairCache(path)
    again.put(_rows(5_000))
    assert again.get([*first, *_rows(5_000)]) == first | _rows(5_000)
    again.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_cache, "_PATIENCE", 0.2)


@pytest.mark.usefixtures("impatient")
def test_a_cache_that_another_one_locks_is_left_out_until_it_is_free(
    cache: PairCache, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows, more = _rows(5), _rows(5, "more")
    cache.put(rows)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        cache.put(more)
        assert "left out" in caplog.text
        assert "locked" in caplog.text
        assert cache.get(list(rows | more)) == rows
        other.execute("ROLLBACK")
    cache.put(more)
    assert cache.get(list(rows | more)) == rows | more
    assert "damaged" not in caplog.text


@pytest.mark.usefixtures("impatient")
def test_a_file_that_another_one_is_making_is_left_out(cache: PairCache, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        other.execute("CREATE TABLE other (x)")
        _is_left_out(cache, caplog)
        other.execute("COMMIT")
    assert "damaged" not in caplog.text
    cache.put(_rows(5))
    assert cache.get(list(_rows(5))) == _rows(5)


@pytest.mark.usefixtures("impatient")
def test_what_the_older_half_holds_is_found_though_it_cannot_be_moved(
    cache: PairCache, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = _rows(5)
    cache.put(rows)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO old SELECT * FROM young")
        db.execute("DELETE FROM young")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert cache.get(list(rows)) == rows
        assert "only read" in caplog.text
        other.execute("ROLLBACK")
    assert cache.get(list(rows)) == rows
    assert _in_table(path, "young") == set(rows)


def test_clearing_empties_and_shrinks_the_file(cache: PairCache, path: Path) -> None:
    rows = _rows(20_000)
    cache.put(rows)
    assert cache.size() > 500_000
    assert cache.clear()
    assert cache.size() < 80_000
    assert cache.get(list(rows)) == {}
    cache.put(rows)
    assert _get(path, rows) == rows


HOLDER = """
import json, logging, sys
from pathlib import Path
from evaluation.pair_cache import PairCache, digest
logging.basicConfig()
cache = PairCache(Path(sys.argv[1]))
rows = {digest(str(i)): 0.5 for i in range(20_000)}
cache.put(rows)
assert cache.get(list(rows)) == rows
print("ready", flush=True)
sys.stdin.readline()
assert cache.get(list(rows)) == {}
cache.put({digest("new"): 0.75})
assert cache.get([digest("new")]) == {digest("new"): 0.75}
"""


def test_clearing_works_while_another_process_has_the_file_open(cache: PairCache, path: Path) -> None:
    child = _start(HOLDER, path)
    assert cache.size() > 500_000
    assert cache.clear()
    assert cache.size() < 80_000
    assert _ended(child) == ""
    assert cache.get([digest("new"), digest("1")]) == {digest("new"): 0.75}
    assert cache.size() < 80_000


@pytest.mark.usefixtures("impatient")
def test_clearing_says_whether_it_worked(cache: PairCache, path: Path) -> None:
    rows = _rows(5)
    cache.put(rows)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert not cache.clear()
        other.execute("ROLLBACK")
    assert cache.get(list(rows)) == rows
    assert cache.clear()
    assert cache.get(list(rows)) == {}


def test_clearing_a_damaged_file_works(cache: PairCache, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(_noise(50_000))
    assert cache.clear()
    assert cache.size() < 80_000


def test_a_cleared_cache_stays_under_its_cap_as_a_new_one_does(path: Path) -> None:
    cap = 2_000_000
    cache = PairCache(path, cap)
    cache.put(_rows(50_000))
    cache.clear()
    for i in range(20):
        cache.put(_rows(4_000, f"later {i} "))
        assert path.stat().st_size <= cap
    cache.close()
