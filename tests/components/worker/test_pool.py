"""A pool of two real scoring processes: results, fair turns, cancelling, and what the death of one leaves to the other."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from components.scoring import app_worker
from components.worker.job import Job
from components.worker.process import Worker
from components.worker.scoring_process import processes
from groundscope.errors import GroundscopeError
from groundscope.methods import registry
from groundscope.types import Case, Judgement, Status
from tests.components.processes import PATIENCE, ended
from tests.components.worker.test_process import CASE, LONG
from tests.loops import each

METHOD = "cos_sim:minilm"


@pytest.fixture(scope="module")
def pool() -> Iterator[Worker]:
    """Two processes, both at work."""
    with ended(Worker(processes=2)) as worker:
        _stop(worker, _busy(worker))
        yield worker


def _busy(worker: Worker) -> list[Job]:
    """A long case in each of two processes."""
    jobs = [worker.submit(METHOD, _long(i), session=f"long {i}") for i in range(2)]
    while not (len(_pids(worker)) == 2 and all(job.done for job in jobs) and len({_pid(job) for job in jobs}) == 2):
        assert not any(job.future.done() for job in jobs)
        if len(_pids(worker)) == 2 and _pid(jobs[0]) == _pid(jobs[1]):
            # The second began in the first process, before there was another one: it stays there.
            _stop(worker, [jobs[1]])
            jobs[1] = worker.submit(METHOD, _long(1), session="long 1")
        time.sleep(0.05)
    return jobs


def _long(number: int) -> Case:
    return replace(LONG, id=f"{number}")


def _pids(worker: Worker) -> list[int]:
    return [child.process.pid for child in worker._children if child is not None and child.alive]


def _pid(job: Job) -> int:
    return job.child.process.pid if job.child else 0


def _stop(worker: Worker, jobs: list[Job]) -> None:
    for job in jobs:
        worker.cancel(job)
    assert [job.future.result(PATIENCE) for job in jobs] == [None] * len(jobs)


def _same(judgement: Judgement, direct: Judgement) -> bool:
    return replace(judgement, seconds=0.0) == replace(direct, seconds=0.0)


def test_two_long_cases_run_at_a_time_and_what_runs_pauses_or_waits_is_cancelled_at_once(pool: Worker) -> None:
    first, second = _busy(pool)
    done = second.done
    while second.done == done:
        assert not first.future.done()
        time.sleep(0.01)
    more = [pool.submit(METHOD, _long(i + 2), session=f"more {i}") for i in range(2)]
    waiting = pool.submit("quip", CASE, session="more 0")
    while not all(job.done for job in more):
        assert not waiting.started
        time.sleep(0.01)
    _stop(pool, [waiting])
    assert not waiting.started
    # Two of the four are paused at any time.
    _stop(pool, [first, second, *more])
    assert all(0 < job.done < job.total for job in (first, second))


def test_ten_users_get_each_a_first_result_before_anyone_gets_a_third(pool: Worker) -> None:
    running = _busy(pool)
    finished: list[int] = []
    jobs = []
    for turn in range(3):
        for user in range(10):
            case = replace(CASE, response=f"The court of appeal dismissed claim {user} of {turn}.")
            job = pool.submit("quip", case, session=f"user {user}")
            job.future.add_done_callback(lambda _, user=user: finished.append(user))  # type: ignore[misc]
            jobs.append((job, case))
    for job, case in jobs:
        assert _same(job.future.result(PATIENCE), registry.load("quip").score(case))
    third = min(i for i in range(len(finished)) if finished[: i + 1].count(finished[i]) == 3)
    assert set(finished[:third]) == set(range(10))
    assert not any(job.future.done() for job in running)
    _stop(pool, running)


@pytest.mark.release
def test_a_killed_process_fails_its_own_jobs_alone_and_is_started_again(pool: Worker) -> None:
    killed, other = _busy(pool)
    waiting = [pool.submit(METHOD, replace(CASE, id=f"{i}"), session=f"user {i}") for i in range(6)]
    before = set(_pids(pool))
    os.kill(_pid(killed), signal.SIGKILL)
    lost = killed.future.result(PATIENCE)
    assert (lost.status, "starts again" in lost.note) == (Status.FAILED, True)
    direct = registry.load(METHOD).score(CASE)
    results = [job.future.result(PATIENCE) for job in waiting]
    failed = [result for result in results if result.status is Status.FAILED]
    assert len(failed) <= 1, "one may have been at work in the process that died"
    assert all(_same(result, direct) for result in results if result not in failed)
    assert not other.future.done()
    _stop(pool, [other])
    running = _busy(pool)
    assert len(set(_pids(pool)) - before) == 1
    _stop(pool, running)


def test_one_user_needs_one_process_and_ending_the_pool_fails_what_runs_and_what_waits() -> None:
    with ended(Worker(processes=2)) as worker:
        jobs = [worker.submit(method, CASE, session="me") for method in ("quip", METHOD, "overlap")]
        assert [job.future.result(PATIENCE).status for job in jobs] == [Status.SCORED] * 3
        assert len(_pids(worker)) == 1
        jobs = [worker.submit(METHOD, _long(i), session=name) for i, name in enumerate("aabb")]
        worker.end()
        assert [job.future.result(PATIENCE).status for job in jobs] == [Status.FAILED] * 4
        assert worker.submit("quip", CASE).future.result(PATIENCE).status is Status.SCORED


@each(("number", "count"), [("", 1), (" 4 ", 4)])
def test_the_environment_says_how_many_processes(number: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_WORKERS", number)
    assert processes() == count


@each("number", ["0", "65", "1.5", "²", "9" * 5000])
def test_another_number_of_processes_is_refused_in_words(number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_WORKERS", number)
    app_worker.worker.cache_clear()
    with pytest.raises(GroundscopeError, match=r"^GROUNDSCOPE_WORKERS is .{1,45}\. Set it to a whole number from 1 to 64, "):
        app_worker.worker()
