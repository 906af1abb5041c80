"""Several at once, kills, damage, full disks and closed folders: the cache loses no more than it must, and stops nothing."""

import os
import signal
import sqlite3
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from groundscope.storage.support_cache import CAP, PairCache, digest, pair_key
from tests.groundscope.experiments.jobs import go, started
from tests.groundscope.storage.cached import TEXT, found_anew, in_table, logged, noise, rows_of

WRITER = """
import logging, sys
from pathlib import Path
from groundscope.storage.support_cache import PairCache, digest, pair_key
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


@pytest.mark.parametrize(("cap", "size"), [(CAP, 40), (400_000, 100)])
def test_two_processes_that_write_at_once_lose_no_more_than_the_older_half(path: Path, cap: int, size: int) -> None:
    children = [started(WRITER, path, name, cap, 100, size) for name in ("one", "two")]
    for child in children:
        go(child)
    assert [logged(child) for child in children] == ["", ""]
    expected = _written("one", 100, size) | _written("two", 100, size)
    held = found_anew(path, expected)
    assert held.items() <= expected.items()
    assert 1_000 < len(held) < len(expected) or (cap == CAP and held == expected)


def test_what_was_put_before_a_kill_is_there_after_it(path: Path) -> None:
    for acknowledged in (1, 40):
        name = f"killed after {acknowledged}"
        child = started(WRITER, path, name, CAP, 100_000, 50)
        assert child.stdout is not None
        go(child)
        for i in range(acknowledged):
            assert child.stdout.readline() == f"{i}\n"
        child.send_signal(signal.SIGKILL)
        child.communicate(timeout=60)
        assert child.returncode == -signal.SIGKILL
        expected = _written(name, acknowledged, 50)
        assert found_anew(path, expected) == expected


def test_threads_share_one_cache(cache: PairCache) -> None:
    def work(name: str) -> bool:
        rows = rows_of(50, name)
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
        file.write(noise(path.stat().st_size - 8_192))


def _of_other_layout(*statements: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.unlink()
        with closing(sqlite3.connect(path)) as db, db:
            for statement in statements:
                db.execute(statement)

    return make


DAMAGE: dict[str, Callable[[Path], Any]] = {
    "garbage": lambda path: path.write_bytes(noise(50_000)),
    "truncated": _truncated,
    "overwritten": _overwritten,
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "other columns": _of_other_layout("CREATE TABLE young (name, value)", "CREATE TABLE old (name, value)"),
    "a view": _of_other_layout("CREATE VIEW young AS SELECT x'00' AS key, 0.5 AS support"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_replaced(cache: PairCache, path: Path, damage: str, caplog: pytest.LogCaptureFixture) -> None:
    rows = rows_of(2_000)
    cache.put(rows)
    cache.close()
    DAMAGE[damage](path)
    assert cache.get(list(rows)).items() <= rows.items()
    cache.put(rows)
    assert "damaged" in caplog.text
    assert cache.get(list(rows)) == rows
    assert found_anew(path, rows) == rows
    caplog.clear()
    cache.put(rows_of(10, "later"))
    assert caplog.text == ""


@pytest.mark.parametrize("damage", ["truncated", "overwritten"])
def test_damage_while_the_file_is_open_stops_nothing(cache: PairCache, path: Path, damage: str) -> None:
    rows = rows_of(2_000)
    cache.put(rows)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    DAMAGE[damage](path)
    assert cache.get(list(rows)).items() <= rows.items()
    cache.put(rows)
    cache.close()
    cache.put(rows)
    assert found_anew(path, rows) == rows


def test_an_empty_file_is_an_empty_cache(cache: PairCache, path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir()
    path.touch()
    rows = rows_of(3)
    assert cache.get(list(rows)) == {}
    cache.put(rows)
    assert found_anew(path, rows) == rows
    assert caplog.text == ""


def test_a_damaged_log_of_sqlite_loses_no_more_than_itself(path: Path) -> None:
    child = started(WRITER, path, "killed", CAP, 100_000, 50)
    assert child.stdout is not None
    go(child)
    assert child.stdout.readline() == "0\n"
    child.kill()
    child.communicate(timeout=60)
    path.with_name("pairs.sqlite-wal").write_bytes(noise(30_000))
    rows = _written("killed", 1, 50)
    cache = PairCache(path)
    assert cache.get(list(rows)).items() <= rows.items()
    cache.put(rows)
    cache.close()
    assert found_anew(path, rows) == rows


NOBODY = 65_534


def test_a_folder_in_place_of_the_file_leaves_the_cache_out(
    cache: PairCache, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.mkdir(parents=True)
    _is_left_out(cache, caplog)
    assert path.is_dir()


def _is_left_out(cache: PairCache, caplog: pytest.LogCaptureFixture) -> None:
    rows = rows_of(3)
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
from groundscope.storage.support_cache import PairCache, digest
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
            log = logged(started(UNWRITABLE, folder / "pairs.sqlite", NOBODY))
        finally:
            folder.chmod(0o755)
        assert mode == 0 or "the pair cache is" in log
        assert "damaged" not in log
        assert found_anew(folder / "pairs.sqlite", {digest("known"): 0.25}) == {digest("known"): 0.25}


FULL = """
import json, logging, resource, signal, sys
from pathlib import Path
from groundscope.storage.support_cache import PairCache, digest
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
    log = logged(started(FULL, path))
    assert "left out" in log
    assert "damaged" not in log
    assert "rollback" not in log
    assert 100_000 < path.stat().st_size <= 300_000
    first = {digest(f"0 {j}"): j / 500 for j in range(500)}
    assert found_anew(path, first) == first
    again = PairCache(path)
    again.put(rows_of(5_000))
    assert again.get([*first, *rows_of(5_000)]) == first | rows_of(5_000)
    again.close()


@pytest.mark.usefixtures("impatient")
def test_a_cache_that_another_one_locks_is_left_out_until_it_is_free(
    cache: PairCache, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows, more = rows_of(5), rows_of(5, "more")
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
    cache.put(rows_of(5))
    assert cache.get(list(rows_of(5))) == rows_of(5)


@pytest.mark.usefixtures("impatient")
def test_what_the_older_half_holds_is_found_though_it_cannot_be_moved(
    cache: PairCache, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = rows_of(5)
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
    assert in_table(path, "young") == set(rows)
