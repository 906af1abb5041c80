"""What is put comes back, without text, within the cap, until it is cleared."""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundscope.storage import support_cache
from groundscope.storage.support_cache import PairCache, digest, pair_key
from tests.groundscope.experiments.jobs import started
from tests.groundscope.storage.cached import TEXT, found_anew, in_table, key_of, logged, noise, noisy_keys, rows_of

keys = st.integers(0, 40).map(key_of)
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
        assert found_anew(Path(folder) / "pairs.sqlite", expected) == expected


def test_more_keys_than_a_query_takes_come_back(cache: PairCache, path: Path) -> None:
    rows = rows_of(20_000)
    cache.put(rows)
    assert cache.get([key_of("unknown"), *rows]) == rows
    assert found_anew(path, rows) == rows


def test_asking_emptying_and_putting_nothing_make_no_file(cache: PairCache, path: Path) -> None:
    assert cache.get([key_of(1)]) == {}
    assert cache.clear()
    cache.put({})
    assert cache.size() == 0
    assert not path.parent.exists()


def test_the_default_cache_follows_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "a"))
    first = support_cache.default()
    assert support_cache.default() is first
    first.put({key_of(1): 0.5})
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "b"))
    assert support_cache.default().get([key_of(1)]) == {}
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "a"))
    assert support_cache.default().get([key_of(1)]) == {key_of(1): 0.5}
    first.close()


@given(st.lists(st.tuples(*[st.text(st.characters(), max_size=3)] * 3), min_size=2, max_size=2, unique=True))
def test_other_signatures_claims_and_contexts_have_other_keys(triples: list[tuple[str, str, str]]) -> None:
    one, two = (pair_key(*map(digest, triple)) for triple in triples)
    assert one != two
    assert len(one) == 16


def test_no_text_is_in_the_files_bytes(cache: PairCache, path: Path) -> None:
    cache.put(rows_of(500))
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
    used, unused = rows_of(50, "used"), rows_of(50, "unused")
    cache.put(used | unused)
    largest = 0
    for i in range(36):
        cache.put(dict.fromkeys(noisy_keys(20_000, f"put {i}"), 0.5))
        assert cache.get(list(used)) == used
        largest = max(largest, cache.size())
    assert cap / 2 < largest <= cap
    assert cache.get(list(unused)) == {}
    cache.close()


def test_reading_the_older_half_alone_stays_under_the_cap(path: Path) -> None:
    cap = 4_000_000
    cache, known = PairCache(path, cap), noisy_keys(72_000, "known")
    cache.put(dict.fromkeys(known, 0.5))
    for start in range(0, len(known), 6_000):
        cache.get(known[start : start + 6_000])
        assert path.stat().st_size <= cap
    cache.close()


def test_the_log_of_sqlite_shrinks_again_after_a_long_reader(path: Path) -> None:
    cap = 6_000_000
    cache = PairCache(path, cap)
    cache.put(rows_of(10))
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM young").fetchall()
        for i in range(12):
            cache.put(rows_of(4_000, f"meanwhile {i} "))
        assert cache.size() > cap
        reader.execute("ROLLBACK")
    cache.put(rows_of(4_000, "later"))
    cache.put(rows_of(4_000, "last"))
    assert cache.size() <= cap
    cache.close()


def test_hits_in_the_older_half_move_to_the_younger(cache: PairCache, path: Path) -> None:
    rows = rows_of(10)
    cache.put(rows)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO old SELECT * FROM young")
        db.execute("DELETE FROM young")
    some = dict(list(rows.items())[:3])
    assert cache.get(list(some)) == some
    assert in_table(path, "young") == set(some)
    cache.put({key_of("another"): 0.5})
    assert cache.get(list(rows)) == rows


HOLDER = """
import json, logging, sys
from pathlib import Path
from groundscope.storage.support_cache import PairCache, digest
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
    child = started(HOLDER, path)
    assert cache.size() > 500_000
    assert cache.clear()
    assert cache.size() < 80_000
    assert logged(child) == ""
    assert cache.get([digest("new"), digest("1")]) == {digest("new"): 0.75}
    assert cache.size() < 80_000


@pytest.mark.usefixtures("impatient")
def test_clearing_says_whether_it_worked(cache: PairCache, path: Path) -> None:
    rows = rows_of(5)
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
    path.write_bytes(noise(50_000))
    assert cache.clear()
    assert cache.size() < 80_000


def test_a_cleared_cache_stays_under_its_cap_as_a_new_one_does(path: Path) -> None:
    cap = 2_000_000
    cache = PairCache(path, cap)
    cache.put(rows_of(50_000))
    cache.clear()
    for i in range(20):
        cache.put(rows_of(4_000, f"later {i} "))
        assert path.stat().st_size <= cap
    cache.close()
