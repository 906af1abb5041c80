"""Jobs that several threads and processes write at once: nothing is lost or doubled."""

import threading
from concurrent.futures import ThreadPoolExecutor

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
    children = [started(MAKER) for _ in range(4)]
    for child in children:
        go(child)
    made = [job for child in children for job in ended(child).split()]
    assert {file.id for file in FOLDER.files()} == set(made)
    assert len(set(made)) == 20
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
