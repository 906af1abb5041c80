"""Every run there is: in the store, in folders and with the app; files that are written, damaged, outdated and written again."""

import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from evaluation import benchmark, run_list
from evaluation.errors import DataError, StoreError
from evaluation.run_folder import MANIFEST, check, export
from evaluation.run_list import Entry, entries, exported, files, find, folder_of, known_seconds, read, samples, write_again
from evaluation.run_reading import read_folder, read_store
from evaluation.store import Store
from evaluation.types import Judgement, Scorer, Status
from tests.evaluation.runs.scripted import Scripted, Steady, cases_of, finished, planned, two_methods

CASES = cases_of(8)


@pytest.fixture(autouse=True)
def sample_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The app comes with one run here."""
    place, store = tmp_path / "samples", Store(tmp_path / "samples.sqlite")
    export(store, finished(store, CASES, {"quick": Steady("sample")}, "The sample"), place / "a-sample")
    store.close()
    (place / "no-run").mkdir()
    monkeypatch.setattr(run_list, "SAMPLES", place)
    return place


def test_runs_are_listed_with_the_samples_last(store: Store) -> None:
    assert entries(store) == samples()
    first, second = finished(store, CASES, two_methods(), "First"), planned(store, CASES, two_methods(), "Second")
    files(store, first)
    found = entries(store)
    assert [(e.id, e.name, e.finished, e.folder) for e in found] == [
        (second, "Second", False, None),
        (first, "First", True, exported(store, first)),
        ("a-sample", "A sample", True, run_list.SAMPLES / "a-sample"),
    ]
    assert [e.comes_with_app for e in found] == [False, False, True]


def test_a_run_is_read_from_its_files_or_while_it_is_under_way_from_the_store(store: Store) -> None:
    done, under_way = finished(store, CASES, two_methods()), planned(store, CASES, two_methods())
    store.add(under_way, 0, 0, Judgement(Status.SCORED, support=0.5), timed=True)
    assert not exported(store, done).exists()
    found = {e.id: read(e, store) for e in entries(store)}
    assert exported(store, done).exists()
    assert found[done].finished
    assert (found[done].id, found["a-sample"].id, found["a-sample"].name) == (done, "a-sample", "The sample")
    assert not found[under_way].finished
    np.testing.assert_array_equal(found[done].support, read_store(store, done).support)


def test_where_files_cannot_be_written_a_run_is_read_from_the_store(store: Store, path: Path) -> None:
    run = finished(store, CASES, two_methods())
    (path.parent / "runs").write_text("in the way", encoding="utf-8")
    (entry,) = (e for e in entries(store) if e.id == run)
    assert read(entry, store).finished
    with pytest.raises(DataError, match="cannot be written"):
        files(store, run)


def test_files_are_written_once(store: Store) -> None:
    run = finished(store, CASES, two_methods())
    folder = files(store, run)
    before = (folder / MANIFEST).stat().st_mtime_ns
    assert files(store, run) == folder
    assert (folder / MANIFEST).stat().st_mtime_ns == before
    with pytest.raises(StoreError, match="not finished"):
        files(store, planned(store, CASES, two_methods()))


@pytest.mark.parametrize("manifest", ["", '{"finished"', "[]", '{"finished": "1999-01-01T00:00:00+00:00"}'])
def test_files_with_a_broken_or_older_manifest_are_set_aside_and_written_anew(store: Store, manifest: str) -> None:
    run = finished(store, CASES, two_methods())
    folder = files(store, run)
    (folder / MANIFEST).chmod(0o644)
    (folder / MANIFEST).write_text(manifest, encoding="utf-8")
    assert next(e for e in entries(store) if e.id == run).folder is None
    assert check(files(store, run))["id"] == run
    (aside,) = folder.parent.glob("*.aside")
    assert (aside / MANIFEST).read_text("utf-8") == manifest


def test_what_failed_and_was_judged_again_is_in_the_files(store: Store) -> None:
    def does(_: object) -> None:
        raise OSError("the server is down")

    scorers: dict[str, Scorer] = {"a": Steady("a", does=does)}
    run = finished(store, CASES, scorers)
    assert set(read_folder(files(store, run)).status[0]) == {4}
    time.sleep(1.1)
    assert store.retry(run) == 8
    (entry,) = (e for e in entries(store) if e.id == run)
    assert entry == Entry(run, "A run", entry.created, finished=False, folder=None)
    assert (read(entry, store).status == -1).all()
    assert benchmark.work(store, run, {"a": Steady("a")}).finished
    assert set(find(run, store).status[0]) == {0}
    assert set(read_folder(files(store, run)).status[0]) == {0}


def test_edited_files_are_told_and_can_be_written_again(store: Store) -> None:
    run = finished(store, CASES, two_methods())
    folder = files(store, run)
    (folder / "effort.parquet").chmod(0o644)
    (folder / "effort.parquet").write_bytes(b"x")
    with pytest.raises(DataError, match=r"effort.parquet in .* is not what was written"):
        find(run, store)
    check(write_again(store, run))
    assert find(run, store).finished
    with pytest.raises(StoreError, match="no run nobody"):
        write_again(store, "nobody")


def test_runs_are_found_by_id_by_name_and_by_folder(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = finished(store, CASES, two_methods())
    folder = export(store, run, tmp_path / "mine")
    assert find(run, store).id == run
    assert find("a-sample", store).id == "a-sample"
    assert find(str(folder), store).id == run
    monkeypatch.chdir(tmp_path)
    assert find("mine", store).id == run
    assert folder_of("mine") == Path("mine")
    assert folder_of("a-sample") == run_list.SAMPLES / "a-sample"
    assert folder_of(run) is None
    shutil.rmtree(folder)
    assert folder_of("mine") is None


@pytest.mark.parametrize("named", ["nobody", "\x1b[31m", "a" * 5_000, "no-run", ""])
def test_a_run_that_is_nowhere_is_told(store: Store, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        StoreError, match=r"There is no run .*groundscope runs` lists them, and a folder of an exported run works"
    ):
        find(named, store)
    assert folder_of(named) is None


def test_a_path_without_a_run_is_told(store: Store, tmp_path: Path) -> None:
    for named in (f"{tmp_path}/nothing", "./nothing", f"{tmp_path}/{'a' * 5_000}"):
        with pytest.raises(DataError, match="holds no run"):
            find(named, store)


def test_a_sample_is_found_though_the_store_is_damaged(store: Store, path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"damaged" * 1_000)
    assert find("a-sample", store).name == "The sample"
    with pytest.raises(StoreError, match="damaged"):
        find("other", store)


def test_expected_times_come_from_the_latest_run_of_a_signature(store: Store) -> None:
    assert known_seconds(store) == {"sample|scripted": 0.125}

    class Slower(Steady):
        def score(self, case: object) -> Judgement:
            return Judgement(Status.SCORED, support=0.5, seconds=4.0)

    finished(store, CASES, {"quick": Slower("sample"), "failing": Scripted("scripted")})
    run = finished(store, CASES, {"never": Steady("never")})
    folder = files(store, run)
    (folder / "cases.parquet").chmod(0o644)
    (folder / "cases.parquet").write_bytes(b"x")
    found = known_seconds(store)
    assert found["sample|scripted"] == 4.0
    assert "never|scripted" not in found
    assert 0 < found["scripted|scripted"] < 1
    finished(store, CASES[:1], {"quick": Steady("sample")})
    assert known_seconds(store)["sample|scripted"] == 4.0
