"""The folder of a kind of job: where it lies, what is made, opened and deleted in it, and what others left there."""

from collections import Counter
from pathlib import Path

import pytest

from groundscope.errors import StoreError
from groundscope.experiments import directory as folders
from groundscope.experiments.plan import Count, Start
from groundscope.grounding.runs.listing import entries, samples
from groundscope.paths import Variable
from groundscope.storage import sqlite
from groundscope.storage.team.acting import Person, Role, acting_as
from tests.groundscope.experiments.jobs import FOLDER, STAGE, begun, place, result


def test_jobs_are_listed_newest_first_also_those_of_one_second() -> None:
    made = [begun().id for _ in range(6)]
    assert [file.id for file in FOLDER.files()] == made[::-1]
    assert all(FOLDER.open(job).about("plan") == {"name": "A job"} for job in made)


def test_looking_makes_no_file(data: Path) -> None:
    assert FOLDER.files() == []
    for job in ("gone", "../jobs", "", "a" * 5_000):
        with pytest.raises(StoreError, match="There is no job"):
            FOLDER.open(job)
        FOLDER.delete(job)
    assert not data.exists()


def test_without_the_database_that_says_what_a_person_may_see_no_job_is_listed_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    job = begun().id
    with acting_as(Person("ben@example.org", Role.REVIEWER)):
        assert [file.id for file in FOLDER.listing()[0]] == [job]
        # Nothing listens there.
        monkeypatch.setenv(Variable.DATABASE, "postgresql+psycopg://tests@127.0.0.1:1/tests")
        files, problems = FOLDER.listing()
        assert (files, len(problems)) == ([], 1)
        assert problems[0].endswith("does not answer.")
        # The samples' run is there still, so that a page has figures to draw with.
        assert entries() == (samples(), problems)


def test_a_job_is_deleted_with_the_folders_that_were_exported_beside_it(data: Path) -> None:
    gone, stays = begun(), begun()
    gone.keep(place(0), result())
    for name in (gone.id, f"{gone.id}.abc.aside", stays.id):
        (data / "jobs" / name).mkdir()
        (data / "jobs" / name / "file").write_text("x", encoding="utf-8")
    gone.close()
    FOLDER.delete(gone.id)
    assert {p.name.partition(".")[0] for p in (data / "jobs").iterdir()} == {stays.id}
    assert (data / "jobs" / stays.id / "file").exists()


def test_a_deleted_job_does_not_come_back_when_it_is_read(data: Path) -> None:
    gone, other = begun(), begun()
    open_elsewhere = FOLDER.open(gone.id)
    open_elsewhere.close()
    gone.close()
    FOLDER.delete(gone.id)
    for use in (open_elsewhere.created, lambda: open_elsewhere.inputs("rows"), lambda: open_elsewhere.keep(place(0), result())):
        with pytest.raises(StoreError, match="no longer exists: it was deleted"):
            use()
    assert [file.id for file in FOLDER.files()] == [other.id]


def test_a_job_that_is_worked_on_is_neither_deleted_nor_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_MOMENT", 0.1)
    file = begun()
    file.keep(place(0), result(status="failed", why="Why."))
    with FOLDER.open(file.id).working():
        assert file.busy()
        for use in (lambda: FOLDER.delete(file.id), file.retry):
            with pytest.raises(StoreError, match="Another process works on this job"):
                use()
    assert not file.busy()
    assert file.counts(STAGE) == {0: Count(1, 1)}
    assert file.retry() == 1


def test_another_folder_is_named_by_the_environment(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_STORE", str(tmp_path / "mine"))
    assert begun().path.parent == FOLDER.path == tmp_path / "mine"
    assert not data.exists()


def test_what_an_older_version_wrote_is_named(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data.mkdir()
    assert FOLDER.problems() == []
    (data / "jobs.sqlite").write_bytes(b"x")
    says = "An older Groundscope wrote {}; this one leaves it alone: move it away, or delete it."
    assert FOLDER.problems() == [says.format(data / "jobs.sqlite")]
    (tmp_path / "mine").write_bytes(b"x")
    monkeypatch.setenv("GROUNDSCOPE_STORE", str(tmp_path / "mine"))
    assert FOLDER.problems() == [says.format(tmp_path / "mine")]
    assert FOLDER.files() == []


def test_a_job_that_cannot_be_made_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for place_ in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / ("a" * 300)):
        monkeypatch.setenv("GROUNDSCOPE_STORE", str(place_))
        with pytest.raises(
            StoreError, match=r"cannot be written; set GROUNDSCOPE_STORE to a folder that is writable\. Nothing is lost\."
        ):
            begun()


def test_an_exported_folder_that_stays_keeps_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    file = begun()
    (FOLDER.path / file.id).mkdir()
    monkeypatch.setattr(folders.shutil, "rmtree", lambda path, ignore_errors: None)
    with pytest.raises(StoreError, match="cannot be deleted; make it writable, then delete it again"):
        FOLDER.delete(file.id)
    assert file.created()


def test_faults_and_starts_add_up() -> None:
    file = begun()
    for row, why in enumerate(("One.", "One.", "Two.")):
        file.keep(place(row, row % 2), result(status="failed", why=why))
    file.keep(place(9), result())
    assert file.faults() == Counter({"One.": 2, "Two.": 1})
    starts = [Start("2026-01-02T00:00:00+00:00", ("x", "y"), {"a": 1.5}), Start("2026-01-01T00:00:00+00:00", ("z",), {}, (4, 0))]
    for start in starts:
        file.start(start)
    assert file.starts() == starts
    assert file.retry(but=[1]) == 2
    assert file.faults() == Counter({"One.": 1})
