"""A job's file: shared by processes and threads, and no slower with many results."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from groundscope.experiments.plan import FAILED, Place, Result
from groundscope.experiments.store import JobFile
from tests.groundscope.experiments.jobs import FOLDER, STAGE, begun, ended, go, place, result, started

WRITER = """
import sys
from tests.groundscope.experiments.jobs import FOLDER, place, result
file, part = FOLDER.open(sys.argv[1]), int(sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
for row in range(int(sys.argv[3])):
    file.keep(place(row, part), result(row / 1000))
    file.keep(place(row, 2), result(part / 2))
"""


def test_two_processes_that_write_at_once_lose_and_double_nothing() -> None:
    file = begun()
    children = [started(WRITER, file.id, part, 200) for part in (0, 1)]
    for child in children:
        go(child)
    for child in children:
        ended(child)
    assert file.done(STAGE) == {place(row, part) for part in (0, 1, 2) for row in range(200)}
    for part in (0, 1):
        assert [s.content["value"] for s in file.results(STAGE, part)] == [row / 1000 for row in range(200)]
    assert {s.content["value"] for s in file.results(STAGE, 2)} <= {0.0, 0.5}


MAKER = """
import sys
from tests.groundscope.experiments.jobs import begun
print("ready", flush=True)
sys.stdin.readline()
for _ in range(5):
    print(begun(20).id, flush=True)
"""


def test_processes_may_make_jobs_at_once() -> None:
    children = [started(MAKER) for _ in range(2)]
    for child in children:
        go(child)
    made = [job for child in children for job in ended(child).split()]
    assert {file.id for file in FOLDER.files()} == set(made)
    assert len(set(made)) == 10
    assert all(file.size("rows") == 20 for file in FOLDER.files())


def test_threads_share_one_file() -> None:
    file = begun()

    def work(thread: int) -> None:
        for row in range(40):
            file.keep(place(row, thread % 2), result(thread))
            file.done(STAGE)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert file.done(STAGE) == {place(row, part) for part in (0, 1) for row in range(40)}
    file.close()
    file.close()
    assert len(file.done(STAGE)) == 80


def test_one_that_only_asks_whether_a_job_is_busy_keeps_none_from_it() -> None:
    file, asking = begun(), threading.Event()

    def ask() -> None:
        other = FOLDER.open(file.id)
        while not asking.is_set():
            other.busy()

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(300):
            with file.working():
                pass
    finally:
        asking.set()
        for thread in threads:
            thread.join()


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
    short, long = _file(tmp_path / "short.sqlite", 10), _file(tmp_path / "long.sqlite", 1_000)
    few, many = (_steps(file, Place(1, -1, 5)) for file in (short, long))
    assert few > 0
    assert many <= few + 1


def test_what_a_place_has_is_by_stage_and_without_faults(tmp_path: Path) -> None:
    file = _file(tmp_path / "job.sqlite", 4)
    file.keep(Place(1, -1, 2), Result("b", {}, FAILED, why="no"))
    assert file.at(Place(0, -1, 2)) == {"a": {"n": 2}, "b": {"n": 2}}
    assert file.at(Place(1, -1, 2)) == {"a": {"n": 2}}
    assert file.at(Place(1, 0, 2)) == {}
