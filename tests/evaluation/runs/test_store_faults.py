"""A store that cannot be read or written says so in a sentence with the mend, and loses nothing."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from evaluation.errors import StoreError
from evaluation.store import Store
from evaluation.types import Judgement, Status
from tests.evaluation.runs.scripted import cases_of, finished, planned, two_methods

CASES = cases_of(40)
SCORED = Judgement(Status.SCORED, support=0.5, note="x" * 400)


def _refusals(store: Store, run: str = "20260101-000000-abcdef") -> list[str]:
    """What every use of a store that is of no use says."""
    uses: list[Callable[[], object]] = [
        store.runs,
        lambda: store.run(run),
        lambda: store.cases(run),
        lambda: store.add(run, 0, 0, SCORED, timed=True),
        lambda: store.done(run),
        lambda: list(store.judgements(run, 0)),
        lambda: store.starts(run),
        lambda: store.finish(run),
        lambda: store.delete(run),
        lambda: planned(store, CASES, two_methods()),
    ]
    said = []
    for use in uses:
        with pytest.raises(StoreError) as error:
            use()
        said.append(str(error.value))
    return said


def test_a_store_of_a_newer_version_is_left_alone(store: Store, path: Path) -> None:
    finished(store, CASES, two_methods())
    store.close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 9")
    before = path.read_bytes()
    for said in _refusals(store):
        assert "A newer Groundscope wrote" in said
        assert "layout 9" in said
        assert "install the newer one, or set GROUNDSCOPE_STORE" in said
    assert path.read_bytes() == before


def _overwritten(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(100)
        file.write(os.urandom(path.stat().st_size - 100))


def _other_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE notes (text)")


def _same_version(path: Path) -> None:
    _other_program(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 1")


DAMAGE: dict[str, Callable[[Path], object]] = {
    "garbage": lambda path: path.write_bytes(os.urandom(50_000)),
    "text": lambda path: path.write_text("Not a store at all. " * 100, encoding="utf-8"),
    "overwritten": _overwritten,
    "another program's": _other_program,
    "another program's of this version": _same_version,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_and_one_of_another_program_are_left_alone(store: Store, path: Path, damage: str) -> None:
    finished(store, CASES, two_methods())
    store.close()
    DAMAGE[damage](path)
    before = path.read_bytes()
    for said in _refusals(store):
        assert said == f"{path} is damaged or no store of runs; move it away, or set GROUNDSCOPE_STORE to another file."
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE cases SET content = x'00ff'",
        "UPDATE cases SET content = CAST(zeroblob(20) AS BLOB)",
        "UPDATE judgements SET content = x'789c0300000000'",
        "UPDATE runs SET plan = '{'",
        "UPDATE runs SET plan = '{}'",
        "UPDATE starts SET machine = 'x'",
    ],
)
def test_damaged_content_is_told(store: Store, path: Path, statement: str) -> None:
    run = finished(store, CASES, two_methods())
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(statement)

    def read() -> object:
        return store.run(run), store.cases(run), [list(store.judgements(run, m)) for m in (0, 1)], store.starts(run)

    with pytest.raises(StoreError, match="is damaged or no store of runs; move it away"):
        read()


def test_a_place_where_no_file_can_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "folder", tmp_path / ("a" * 300) / "runs.sqlite", tmp_path / ("b" * 300)):
        for said in _refusals(Store(place)):
            assert said == f"{place} cannot be written; set GROUNDSCOPE_STORE to a file in a folder that can. Nothing is lost."
    below = Store(tmp_path / "file" / "runs.sqlite")
    assert below.runs() == []
    with pytest.raises(StoreError, match="cannot be written; set GROUNDSCOPE_STORE"):
        planned(below, CASES, two_methods())
    with pytest.raises(StoreError, match="cannot be written; set GROUNDSCOPE_STORE"), below.working("x"):
        pass
    assert not below.busy("x")
