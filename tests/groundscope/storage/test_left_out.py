"""A cache that cannot be read or written is left out, and no score stops for it."""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from groundscope.storage.support_cache import PairCache, digest
from tests.groundscope.experiments.jobs import started
from tests.groundscope.storage.cached import TEXT, found_anew, in_table, logged, rows_of

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
