"""A job of many results is no slower at each of them than a short one."""

from pathlib import Path

from groundscope.experiments.plan import FAILED, Place, Result
from groundscope.experiments.store import JobFile


def _file(path: Path, rows: int) -> JobFile:
    file = JobFile(path)
    results = ((Place(part, -1, row), Result(stage, {"n": row})) for part in range(3) for row in range(rows) for stage in "ab")
    file.fill({"name": "x"}, {}, results)
    return file


def _steps(file: JobFile, place: Place) -> int:
    """Instructions of the database, in tens, to find what a place has."""
    count = 0

    def hear() -> None:
        nonlocal count
        count += 1

    with file._writing() as db:
        db.set_progress_handler(hear, 10)
    file.at(place)
    with file._writing() as db:
        db.set_progress_handler(None, 0)
    return count


def test_what_a_place_has_is_found_by_the_index(tmp_path: Path) -> None:
    short, long = _file(tmp_path / "short.sqlite", 10), _file(tmp_path / "long.sqlite", 3_000)
    few, many = (_steps(file, Place(1, -1, 5)) for file in (short, long))
    assert few > 0
    assert many <= few + 1


def test_what_a_place_has_is_by_stage_and_without_faults(tmp_path: Path) -> None:
    file = _file(tmp_path / "job.sqlite", 4)
    file.keep(Place(1, -1, 2), Result("b", {}, FAILED, why="no"))
    assert file.at(Place(0, -1, 2)) == {"a": {"n": 2}, "b": {"n": 2}}
    assert file.at(Place(1, -1, 2)) == {"a": {"n": 2}}
    assert file.at(Place(1, 0, 2)) == {}


def test_a_job_without_results_has_nothing_anywhere(tmp_path: Path) -> None:
    assert _file(tmp_path / "job.sqlite", 0).at(Place(0, -1, 0)) == {}
