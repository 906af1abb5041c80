"""Several at once, kills and damaged files: the cache loses no more than it must, and stops nothing."""

import os
import signal
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from groundscope.storage.support_cache import CAP, PairCache, digest, pair_key
from tests.groundscope.experiments.jobs import go, started
from tests.groundscope.storage.cached import found_anew, logged, noise, rows_of

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


def test_two_processes_that_write_at_once_lose_nothing(path: Path) -> None:
    children = [started(WRITER, path, name, CAP, 100, 40) for name in ("one", "two")]
    for child in children:
        go(child)
    assert [logged(child) for child in children] == ["", ""]
    expected = _written("one", 100, 40) | _written("two", 100, 40)
    assert found_anew(path, expected) == expected


def test_two_processes_may_both_drop_the_older_half(path: Path) -> None:
    children = [started(WRITER, path, name, 400_000, 120, 100) for name in ("one", "two")]
    for child in children:
        go(child)
    assert [logged(child) for child in children] == ["", ""]
    expected = _written("one", 120, 100) | _written("two", 120, 100)
    found = found_anew(path, expected)
    assert found.items() < expected.items()
    assert len(found) > 1_000


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
