"""Jobs that the app begins, with their real processes: they work, pause, end with the app, and say why they stopped."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from components.experiments.jobs import Jobs
from groundscope.experiments.listing import Kind, listed, one
from groundscope.experiments.plan import Part, Start
from groundscope.experiments.store import JobFile
from groundscope.grounding.parts import described
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import FOLDER, KIND, exported
from groundscope.methods import registry
from groundscope.paths import Variable
from groundscope.types import Case, Judgement, Passage, Status
from tests.components.begun import arguments, experiment
from tests.components.processes import PATIENCE, end_all, until
from tests.groundscope.grounding.runs.scripted import add, done, failed

TEXT = " ".join(f"Clause {i} binds the tenant of house {i % 70} alone." for i in range(400))


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("GROUNDSCOPE_STORE", raising=False)
    monkeypatch.delenv(Variable.MODEL, raising=False)


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    jobs = Jobs()
    yield jobs
    end_all(jobs)


def _begun(methods: tuple[str, ...] = ("overlap",), count: int = 400) -> JobFile:
    """Cases that together take long enough to be stopped in between."""
    cases = [Case(f"c{i}", "q", (Passage("p", TEXT),), f"{TEXT} {i}") for i in range(count)]
    runs = [described(Part(m), registry.load(m)) for m in methods]
    return FOLDER.open(planning.begin("A run", "made", cases, runs))


def problem(jobs: Jobs, run: JobFile) -> str:
    """What the page says of it."""
    return jobs.problem(one(KIND, run))


def test_a_run_is_worked_on_in_a_process_of_its_own_until_it_is_finished(jobs: Jobs) -> None:
    run = _begun(count=20)
    assert not jobs.works(run.id)
    jobs.resume(run.id)
    assert jobs.works(run.id)
    assert jobs.loading(one(KIND, run))
    process = jobs._processes[run.id].process
    jobs.resume(run.id)
    assert jobs._processes[run.id].process is process
    assert process.pid != os.getpid()
    assert jobs.wait(run.id, PATIENCE)
    assert process.returncode == 0
    assert problem(jobs, run) == ""
    assert not jobs.works(run.id)
    assert run.finished()
    assert json.loads((exported(run.id) / "manifest.json").read_text("utf-8"))["id"] == run.id


def test_a_run_is_paused_after_what_is_being_judged_and_goes_on(jobs: Jobs) -> None:
    run = _begun()
    jobs.resume(run.id)
    until(lambda: done(run)[0] > 2)
    jobs.stop(run.id)
    assert jobs.wait(run.id, PATIENCE)
    assert problem(jobs, run) == ""
    before = done(run)
    assert 2 < before[0] < 400
    assert not run.finished()
    assert not run.busy()
    jobs.resume(run.id)
    until(lambda: done(run)[0] > before[0])
    assert problem(jobs, run) == ""
    assert [start.done for start in run.starts()] == [(), before]


def test_a_job_is_loading_until_it_says_another_start_be_it_of_a_clock_that_was_set_back(jobs: Jobs) -> None:
    run = _begun()
    run.start(Start("2999-01-01T00:00:00+00:00"))
    jobs.resume(run.id, one(KIND, run).started)
    assert jobs.loading(one(KIND, run))
    until(lambda: done(run)[0] > 2)
    assert not jobs.loading(one(KIND, run))


def test_a_run_that_is_paused_as_soon_as_it_is_begun_is_paused(jobs: Jobs) -> None:
    run = _begun()
    jobs.resume(run.id)
    jobs.stop(run.id)
    assert jobs.wait(run.id, PATIENCE)
    assert problem(jobs, run) == ""
    assert not run.finished()


def test_a_killed_process_is_reported_and_what_was_judged_is_kept(jobs: Jobs) -> None:
    run = _begun()
    jobs.resume(run.id)
    until(lambda: done(run)[0] > 2)
    os.kill(jobs._processes[run.id].process.pid, signal.SIGKILL)
    assert jobs.wait(run.id, PATIENCE)
    assert problem(jobs, run) == "Its process ended (memory may have run out). Every result so far is saved; resume the job."
    assert done(run)[0] > 2
    assert not run.busy()
    jobs.resume(run.id)
    assert problem(jobs, run) == ""
    before = done(run)[0]
    until(lambda: done(run)[0] > before)


def test_a_run_that_is_refused_says_why(jobs: Jobs) -> None:
    run = _begun()
    jobs.resume("nobody")
    with run.working():
        jobs.resume(run.id)
        assert jobs.wait(run.id, PATIENCE)
    assert problem(jobs, run) == "Another process works on this job; pause it there first, or wait until it has finished."
    assert jobs.wait("nobody", PATIENCE)
    assert "There is no job 'nobody'" in jobs.problem(replace(one(KIND, run), id="nobody"))


def test_a_job_in_which_everything_failed_is_finished_says_nothing_of_memory_and_can_be_tried_again(jobs: Jobs) -> None:
    run = _begun(("direct",), 2)
    jobs.resume(run.id)
    assert jobs.wait(run.id, PATIENCE)
    assert failed(run) == (2,)
    assert run.finished()
    assert problem(jobs, run) == ""
    # A failure of a case that is not there any more shows that failures are forgotten.
    add(run, 0, 9, Judgement(Status.FAILED), timed=False)
    jobs.resume(run.id, retry=True)
    assert jobs.wait(run.id, PATIENCE)
    assert problem(jobs, run) == ""
    assert done(run) == (2,)


@pytest.mark.parametrize("begin", [arguments, experiment])
def test_jobs_of_every_kind_are_worked_on_in_the_same_way(jobs: Jobs, begin: Callable[[], tuple[Kind, str]]) -> None:
    kind, job = begin()
    jobs.resume(job)
    assert jobs.wait(job, PATIENCE)
    (state,) = listed(kind)[0]
    assert jobs.problem(state) == ""
    assert state.finished
    assert state.done == state.wanted > 0
    assert state.failed == 0


APP = """
import sys, time
from components.experiments.jobs import Jobs
jobs = Jobs()
jobs.resume(sys.argv[1])
print(jobs._processes[sys.argv[1]].process.pid, flush=True)
time.sleep(600)
"""


def test_a_run_stops_when_the_app_dies(tmp_path: Path) -> None:
    run = _begun(count=2_000)
    app = subprocess.Popen([sys.executable, "-c", APP, run.id], stdout=subprocess.PIPE, cwd=Path(__file__).resolve().parents[3])
    try:
        assert app.stdout is not None
        worker = int(app.stdout.readline())
        until(lambda: done(run)[0] > 2)
        app.kill()
        app.wait(PATIENCE)
        until(lambda: not run.busy())
        until(lambda: not Path(f"/proc/{worker}").exists() or Path(f"/proc/{worker}/stat").read_text().split()[2] == "Z")
    finally:
        app.kill()
        app.wait(PATIENCE)
        app.stdout.close()  # type: ignore[union-attr]
    assert 2 < done(run)[0] < 2_000
    assert run.finished() == ""
