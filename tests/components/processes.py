"""Waiting for processes that the app begins, and ending those that a test leaves."""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from components.experiments.jobs import Jobs
from components.worker.process import Worker

PATIENCE = 240.0
"""Seconds after which a wait counts as a hang."""


def until(happens: Callable[[], object]) -> None:
    """Wait until it happens."""
    end = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def end_all(jobs: Jobs) -> None:
    """Kill what still runs, and close what it left open."""
    for job in list(jobs._processes):
        jobs._processes[job].process.kill()
        jobs.wait(job, PATIENCE)
        jobs._forget(job)


@contextmanager
def ended(worker: Worker) -> Iterator[Worker]:
    """A worker that is new; afterwards none of its processes and threads is left."""
    others = set(threading.enumerate())
    yield worker
    worker.end()
    for thread in set(threading.enumerate()) - others:
        if thread.name.startswith("worker-"):
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a process was left running"


def scoring_process(worker: Worker) -> "subprocess.Popen[bytes]":
    """The process that a worker has now."""
    (child,) = worker._children
    assert child is not None
    return child.process
