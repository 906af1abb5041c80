"""`kill -9` at any point: nothing acknowledged is lost, nothing is judged twice, a resumed run equals an uninterrupted one."""

import random
import signal
import threading
import time
from itertools import islice
from pathlib import Path

import pytest

from evaluation import benchmark
from evaluation.benchmark import Outcome
from evaluation.errors import StoreError
from evaluation.run_folder import export
from evaluation.store import Store
from tests.evaluation.runs.scripted import cases_of, ended, finished, go, planned, started, two_methods

CASES = cases_of(60)
KILLS = 6
SAME = ("cases.parquet", "judgements.parquet", "sentences.parquet")

WORKER = """
import sys
from pathlib import Path
from evaluation import benchmark
from evaluation.store import Store
from tests.evaluation.runs.scripted import two_methods
store, run = Store(Path(sys.argv[1])), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
def hear(tick):
    if tick.judgement:
        print(tick.method, tick.row, flush=True)
print(benchmark.work(store, run, two_methods(float(sys.argv[3])), hear=hear))
"""


def _rows(lines: list[str]) -> list[tuple[int, int]]:
    places = {"first": 0, "second": 1}
    whole = [line.split() for line in lines if line.endswith("\n")]
    return [(places[words[0]], int(words[1])) for words in whole if len(words) == 2 and words[0] in places]


def test_a_run_that_is_killed_again_and_again_equals_one_that_is_not(store: Store, path: Path, tmp_path: Path) -> None:
    dice = random.Random(6)  # noqa: S311 - no secret
    run = planned(store, CASES, two_methods())
    acknowledged: list[tuple[int, int]] = []
    for _ in range(KILLS):
        child = started(WORKER, path, run, 0.002)
        go(child)
        assert child.stdout is not None
        seen = list(islice(child.stdout, dice.randrange(10)))
        time.sleep(dice.uniform(0, 0.02 if seen else 0.2))
        child.kill()
        acknowledged += _rows([*seen, *child.stdout])
        child.communicate(timeout=60)
        assert child.returncode == -signal.SIGKILL
        store.close()
        assert set(acknowledged) <= store.done(run)
        assert not store.busy(run)
    assert not store.run(run).finished
    assert benchmark.work(store, run, two_methods(), hear=lambda t: acknowledged.extend(_rows([f"{t.method} {t.row}\n"])))
    assert store.run(run).finished
    assert len(store.done(run)) == 2 * len(CASES)
    judged = [row for row in acknowledged if row[1] >= 0]
    assert len(judged) == len(set(judged))
    whole = finished(store, CASES, two_methods(), "Another name")
    folders = [export(store, r, tmp_path / r) for r in (run, whole)]
    for name in SAME:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()


def test_a_run_is_worked_on_by_one_process_and_free_after_a_kill(store: Store, path: Path) -> None:
    run = planned(store, CASES, two_methods())
    child = started(WORKER, path, run, 0.1)
    go(child)
    assert child.stdout is not None
    assert child.stdout.readline()
    assert store.busy(run)
    with pytest.raises(StoreError, match="Another process works on this run; pause it there first, or wait"):
        benchmark.work(store, run, two_methods())
    other = planned(store, CASES, two_methods())
    assert benchmark.work(store, other, two_methods()) == Outcome(True)
    child.kill()
    child.communicate(timeout=60)
    assert not store.busy(run)
    assert benchmark.work(store, run, two_methods()) == Outcome(True)


def test_whoever_only_asks_whether_a_run_is_busy_keeps_nobody_from_it(store: Store, path: Path) -> None:
    run, asking = planned(store, CASES, two_methods()), threading.Event()

    def ask() -> None:
        other = Store(path)
        while not asking.is_set():
            other.busy(run)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(300):
            with store.working(run):
                pass
    finally:
        asking.set()
        for thread in threads:
            thread.join()


def test_two_processes_work_on_two_runs_of_one_store(store: Store, path: Path) -> None:
    runs = [planned(store, CASES, two_methods()) for _ in range(2)]
    children = [started(WORKER, path, run, 0.0) for run in runs]
    for child in children:
        go(child)
    for child in children:
        assert ended(child).endswith("Outcome(finished=True, why='')\n")
    for run in runs:
        assert store.run(run).done == (60, 60)
        assert store.run(run).finished
