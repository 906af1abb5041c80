"""Runs that the app begins, with their real processes: they work, pause, end with the app, and say why they stopped."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

import scorers
from components.runner import Runner
from evaluation import planning
from evaluation.chat_spec import VARIABLE
from evaluation.store import Store
from evaluation.types import Case, Judgement, Passage, Status

PATIENCE = 60.0
"""Seconds after which a wait counts as a hang."""

TEXT = " ".join(f"Clause {i} binds the tenant of house {i % 70} and nobody else." for i in range(400))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("GROUNDSCOPE_STORE", raising=False)
    monkeypatch.delenv(VARIABLE, raising=False)
    found = Store()
    yield found
    found.close()


@pytest.fixture
def runner() -> Iterator[Runner]:
    found = Runner()
    yield found
    for run in list(found._processes):
        found._processes[run].kill()
        found.wait(run, PATIENCE)
        found._forget(run)


def _begun(store: Store, methods: tuple[str, ...] = ("overlap",), count: int = 400) -> str:
    """Cases that together take long enough to be stopped in between."""
    cases = [Case(f"c{i}", "q", (Passage("p", TEXT),), f"{TEXT} {i}") for i in range(count)]
    runs = [planning.method_run(m, scorers.load(m), {}) for m in methods]
    return store.create(planning.plan("A run", "made", cases, runs), cases)


def _until(happens: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_run_is_worked_on_in_a_process_of_its_own_until_it_is_finished(store: Store, runner: Runner) -> None:
    run = _begun(store, count=20)
    assert not runner.works(run)
    assert runner.begun(run) == ""
    runner.begin(run)
    assert runner.works(run)
    assert runner.begun(run)
    process = runner._processes[run]
    runner.begin(run)
    assert runner._processes[run] is process
    assert process.pid != os.getpid()
    assert runner.wait(run, PATIENCE)
    assert process.returncode == 0
    assert runner.trouble(run) == ""
    assert not runner.works(run)
    assert store.run(run).finished
    assert json.loads((store.folder(run) / "manifest.json").read_text("utf-8"))["id"] == run


def test_a_run_is_paused_after_what_is_being_judged_and_goes_on(store: Store, runner: Runner) -> None:
    run = _begun(store)
    runner.begin(run)
    _until(lambda: store.run(run).done[0] > 2)
    runner.pause(run)
    assert runner.wait(run, PATIENCE)
    assert runner.trouble(run) == ""
    before = store.run(run)
    assert 2 < before.done[0] < 400
    assert not before.finished
    assert not store.busy(run)
    runner.begin(run)
    _until(lambda: store.run(run).done[0] > before.done[0])
    assert runner.trouble(run) == ""
    assert [start.done for start in store.starts(run)] == [(0,), before.done]


def test_a_run_that_is_paused_as_soon_as_it_is_begun_is_paused(store: Store, runner: Runner) -> None:
    run = _begun(store)
    runner.begin(run)
    runner.pause(run)
    assert runner.wait(run, PATIENCE)
    assert runner.trouble(run) == ""
    assert not store.run(run).finished


def test_a_killed_process_is_told_and_what_was_judged_is_kept(store: Store, runner: Runner) -> None:
    run = _begun(store)
    runner.begin(run)
    _until(lambda: store.run(run).done[0] > 2)
    os.kill(runner._processes[run].pid, signal.SIGKILL)
    assert runner.wait(run, PATIENCE)
    assert runner.trouble(run) == "Its process ended (memory may have run out). What was judged is kept: resume it."
    assert store.run(run).done[0] > 2
    assert not store.busy(run)
    runner.begin(run)
    assert runner.trouble(run) == ""
    before = store.run(run).done[0]
    _until(lambda: store.run(run).done[0] > before)


def test_a_run_that_is_refused_says_why(store: Store, runner: Runner) -> None:
    run = _begun(store)
    runner.begin("nobody")
    with store.working(run):
        runner.begin(run)
        assert runner.wait(run, PATIENCE)
    assert runner.trouble(run) == "Another process works on this run; pause it there first, or wait until it has finished."
    assert runner.wait("nobody", PATIENCE)
    assert "There is no run nobody" in runner.trouble("nobody")


def test_a_store_that_breaks_says_why(store: Store, runner: Runner) -> None:
    run = _begun(store)
    store.close()
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute("UPDATE cases SET content = x'00'")
    runner.begin(run)
    assert runner.wait(run, PATIENCE)
    assert "is damaged or no store of runs; move it away" in runner.trouble(run)


def test_a_method_that_has_no_model_fails_on_its_cases_and_can_be_tried_again(store: Store, runner: Runner) -> None:
    run = _begun(store, ("direct", "quip"), 3)
    runner.begin(run)
    assert runner.wait(run, PATIENCE)
    assert store.run(run).failed == (3, 0)
    store.add(run, 0, 9, Judgement(Status.FAILED), timed=False)
    runner.begin(run, retry=True)
    assert runner.wait(run, PATIENCE)
    assert runner.trouble(run) == ""
    assert store.run(run).done == (3, 3)


APP = """
import sys, time
from components.runner import Runner
runner = Runner()
runner.begin(sys.argv[1])
print(runner._processes[sys.argv[1]].pid, flush=True)
time.sleep(600)
"""


def test_a_run_stops_when_the_app_dies(store: Store, tmp_path: Path) -> None:
    run = _begun(store, count=2_000)
    app = subprocess.Popen([sys.executable, "-c", APP, run], stdout=subprocess.PIPE, cwd=Path(__file__).resolve().parents[2])
    try:
        assert app.stdout is not None
        worker = int(app.stdout.readline())
        _until(lambda: store.run(run).done[0] > 2)
        app.kill()
        app.wait(PATIENCE)
        _until(lambda: not store.busy(run))
        _until(lambda: not Path(f"/proc/{worker}").exists() or Path(f"/proc/{worker}/stat").read_text().split()[2] == "Z")
    finally:
        app.kill()
        app.wait(PATIENCE)
        app.stdout.close()  # type: ignore[union-attr]
    assert 2 < store.run(run).done[0] < 2_000
    assert store.run(run).finished == ""
