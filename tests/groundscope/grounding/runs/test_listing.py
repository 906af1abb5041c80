"""Every run there is: in the store, in folders and with the app; files that are written, damaged, outdated and written again."""

import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from groundscope.errors import DataError, StoreError
from groundscope.grounding.runs import listing
from groundscope.grounding.runs.folder import MANIFEST, check, export
from groundscope.grounding.runs.listing import (
    RunEntry,
    entries,
    entry_of,
    exported,
    find,
    folder_of,
    put_on_list,
    read,
    run_files,
    samples,
    write_again,
)
from groundscope.grounding.runs.planning import known_seconds
from groundscope.grounding.runs.reader import read_folder, read_store
from groundscope.grounding.runs.store import FOLDER, KIND, plan_of
from groundscope.methods import Method
from groundscope.types import Judgement, Status
from tests.groundscope.commands.conftest import Shell, shell  # noqa: F401 - a fixture
from tests.groundscope.grounding.runs.scripted import Scripted, Steady, add, cases_of, finished, judge, planned, two_methods
from tests.loops import each
from tests.postgres import database, postgres, shared_database  # noqa: F401 - fixtures

CASES = cases_of(8)


@pytest.fixture(autouse=True)
def sample_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The app comes with one run here."""
    place = tmp_path / "samples"
    sample = finished(CASES, {"quick": Steady("sample")}, "The sample")
    export(sample, place / "a-sample")
    FOLDER.delete(sample.id)
    (place / "no-run").mkdir()
    monkeypatch.setattr(listing, "SAMPLES", place)
    monkeypatch.setattr(listing, "COPIES", tmp_path / "copies")
    return place


def test_runs_are_listed_with_the_samples_last() -> None:
    assert entries() == (samples(), [])
    first, second = finished(CASES, two_methods(), "First"), planned(CASES, two_methods(), "Second")
    run_files(first.id)
    found, _ = entries()
    assert [(e.id, e.name, e.finished, e.folder) for e in found] == [
        (second.id, "Second", False, None),
        (first.id, "First", True, exported(first.id)),
        ("a-sample", "A sample", True, listing.SAMPLES / "a-sample"),
    ]
    assert [e.comes_with_app for e in found] == [False, False, True]


def test_a_run_is_read_from_its_files_or_while_it_is_under_way_from_the_store() -> None:
    done, under_way = finished(CASES, two_methods()), planned(CASES, two_methods())
    add(under_way, 0, 0, Judgement(Status.SCORED, support=0.5), timed=True)
    assert not exported(done.id).exists()
    found = {e.id: read(e) for e in entries()[0]}
    before = (exported(done.id) / MANIFEST).stat().st_mtime_ns
    # They are written once.
    assert (run_files(done.id) / MANIFEST).stat().st_mtime_ns == before
    with pytest.raises(StoreError, match="not finished"):
        run_files(under_way.id)
    assert found[done.id].finished
    assert (found[done.id].id, found["a-sample"].id, found["a-sample"].name) == (done.id, "a-sample", "The sample")
    assert not found[under_way.id].finished
    np.testing.assert_array_equal(found[done.id].support, read_store(done).support)


def test_where_files_cannot_be_written_a_run_is_read_from_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = finished(CASES, two_methods())
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setattr(listing, "exported", lambda run: tmp_path / "file" / run)
    (entry,) = (e for e in entries()[0] if e.id == run.id)
    assert read(entry).finished
    with pytest.raises(DataError, match="cannot be written"):
        run_files(run.id)


@pytest.mark.parametrize("manifest", ['{"finished"', "[]", '{"finished": "1999-01-01T00:00:00+00:00"}'])
def test_files_with_a_broken_or_older_manifest_are_set_aside_and_written_again(manifest: str) -> None:
    run = finished(CASES, two_methods())
    folder = run_files(run.id)
    (folder / MANIFEST).chmod(0o644)
    (folder / MANIFEST).write_text(manifest, encoding="utf-8")
    assert next(e for e in entries()[0] if e.id == run.id).folder is None
    assert check(run_files(run.id))["id"] == run.id
    (aside,) = folder.parent.glob("*.aside")
    assert (aside / MANIFEST).read_text("utf-8") == manifest


def test_what_failed_and_was_judged_again_is_in_the_files() -> None:
    def does(_: object) -> None:
        raise OSError("the server is down")

    scorers: dict[str, Method] = {"a": Steady("a", does=does)}
    run = finished(CASES, scorers)
    assert set(read_folder(run_files(run.id)).status[0]) == {4}
    time.sleep(1.1)
    assert run.retry(but=KIND.given(plan_of(run))) == 8
    (entry,) = (e for e in entries()[0] if e.id == run.id)
    assert entry == RunEntry(run.id, "A run", entry.created, finished=False, folder=None, source="cases.jsonl")
    assert (read(entry).status == -1).all()
    assert judge(run, {"a": Steady("a")}).finished
    assert set(find(run.id).status[0]) == {0}
    assert set(read_folder(run_files(run.id)).status[0]) == {0}


def test_edited_files_are_reported_and_can_be_written_again() -> None:
    run = finished(CASES, two_methods())
    folder = run_files(run.id)
    (folder / "effort.parquet").chmod(0o644)
    (folder / "effort.parquet").write_bytes(b"x")
    with pytest.raises(DataError, match=r"effort.parquet in .* is not what was written"):
        find(run.id)
    check(write_again(run.id))
    assert find(run.id).finished
    with pytest.raises(StoreError, match="There is no run 'nobody'"):
        write_again("nobody")


def test_runs_are_found_by_id_by_name_and_by_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = finished(CASES, two_methods())
    folder = export(run, tmp_path / "mine")
    assert find(run.id).id == run.id
    assert find("a-sample").id == "a-sample"
    assert find(str(folder)).id == run.id
    monkeypatch.chdir(tmp_path)
    assert find("mine").id == run.id
    assert folder_of("mine") == Path("mine")
    assert folder_of("a-sample") == listing.SAMPLES / "a-sample"
    assert folder_of(run.id) is None
    shutil.rmtree(folder)
    assert folder_of("mine") is None


@each("named", ["\x1b[31m", "a" * 5_000, "no-run", ""])
def test_a_run_that_is_nowhere_is_reported(named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=r"There is no run .*groundscope runs` lists them"):
        find(named)
    assert folder_of(named) is None
    with pytest.raises(DataError, match="contains no run"):
        find(f"./{named}/nothing")


def test_a_damaged_run_is_named_and_takes_nothing_else_away() -> None:
    stays, broken = finished(CASES, two_methods()), FOLDER.path / "20990101-000000-aaaaaaaa.sqlite"
    broken.write_bytes(b"damaged" * 1_000)
    found, problems = entries()
    assert [e.id for e in found] == [stays.id, "a-sample"]
    assert problems[0].startswith(f"{broken} is damaged")
    assert find("a-sample").name == "The sample"
    with pytest.raises(StoreError, match="damaged"):
        find(broken.stem)


def test_expected_times_come_from_the_latest_run_of_a_signature() -> None:
    assert known_seconds() == {"sample|scripted": 0.125}

    class Slower(Steady):
        def score(self, case: object) -> Judgement:
            return Judgement(Status.SCORED, support=0.5, seconds=4.0)

    finished(CASES, {"quick": Slower("sample"), "failing": Scripted("scripted")})
    run = finished(CASES, {"never": Steady("never")})
    folder = run_files(run.id)
    (folder / "cases.parquet").chmod(0o644)
    (folder / "cases.parquet").write_bytes(b"x")
    found = known_seconds()
    assert found["sample|scripted"] == 4.0
    assert "never|scripted" not in found
    assert 0 < found["scripted|scripted"] < 1
    finished(CASES[:1], {"quick": Steady("sample")})
    assert known_seconds()["sample|scripted"] == 4.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sample = samples()[0].folder
    assert sample
    return Path(shutil.copytree(sample, tmp_path / "shared disk" / "run"))


@pytest.mark.usefixtures("shared_database")
def test_a_folder_on_the_list_is_a_run_for_everyone_until_it_is_dropped(folder: Path) -> None:
    with pytest.raises(DataError):
        put_on_list(folder.parent)
    assert listing.listed_folders() == ()
    entry = put_on_list(folder)
    assert put_on_list(folder) == entry
    (found,) = (e for e in entries()[0] if e.folder == folder)
    assert found == entry
    assert read(entry).data_hash == find(str(folder)).data_hash
    assert entry_of(entry.id).folder == folder
    assert listing.drop_from_list(folder)
    assert not listing.drop_from_list(folder)
    assert all(e.folder != folder for e in entries()[0])
    assert folder.is_dir()


def test_the_command_adds_shows_and_drops(shell: Shell, folder: Path) -> None:  # noqa: F811
    added = shell("runs", "--add", str(folder))
    assert added.code == 0, added.err
    assert next(line for line in added.out.splitlines() if line.startswith(str(folder))).rstrip().endswith("on the list")
    (folder / "manifest.json").unlink()
    assert "manifest.json" in shell("runs").err
    assert str(folder) not in shell("runs", "--drop", str(folder)).out
    assert shell("runs", "--drop", str(folder)).code == 2
