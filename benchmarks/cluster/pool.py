"""Ten users of one pool of scoring processes: `python -m benchmarks.cluster.pool` measures their waits, and the memory.

Each user opens samples one after the other, reads each for a while, and waits for all methods of the next. The processors do
nothing else here: no pages are drawn.
"""

import random
import statistics
import threading
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, wait
from typing import NamedTuple

from benchmarks.machine import SAMPLES, show
from benchmarks.memory import held, process_ids
from components.worker.process import Worker
from groundscope.cases.dataset import read
from groundscope.methods import registry
from groundscope.methods.defaults import DEFAULTS
from groundscope.runtime.machine import load
from groundscope.types import Case, Passage

_USERS = 10
_CASES = 5
_READING = 1.0, 5.0
"""Seconds for which a user reads what was judged."""
_POOLS = 1, 2, 4
_LONG = Case(
    "long",
    "What must the parties do?",
    tuple(
        Passage(f"p{i}", " ".join(f"Paragraph {i}.{j} says that party {j} must give notice on day {i + j}." for j in range(100)))
        for i in range(300)
    ),
    "Party 5 must give notice within 9 days. Party 7 need not.",
)
"""Takes minutes."""


class _Wait(NamedTuple):
    """Seconds until the first method's result of a case, and until the last one's."""

    first: float
    last: float


def figures() -> Iterator[str]:
    """Waits of ten users with one, two and four processes, then the same beside an eleventh with a long case."""
    methods = registry.ready(DEFAULTS)
    yield f"methods: {', '.join(methods)}; {_USERS} users, {_CASES} cases each"
    for beside in (False, True):
        for processes in _POOLS:
            worker = Worker(processes=processes)
            try:
                began = time.perf_counter()
                summary = _said(_waits(worker, methods, beside))
                seconds = time.perf_counter() - began
                yield f"{processes} processes{', beside a long case' if beside else ''}: {summary}"
                yield f"  {seconds:.0f} s in all; load average at the end {load()}; {_memory(worker)}"
            finally:
                worker.end()


def _waits(worker: Worker, methods: tuple[str, ...], beside: bool) -> list[_Wait]:
    cases = read(SAMPLES.name, SAMPLES.read_bytes()).cases
    # The model that the app loads at its start.
    worker.prepare(methods[0]).future.result()
    long = [worker.submit(method, _LONG, session="long") for method in methods] if beside else []
    for job in long:
        # As if a page asked for it all the time.
        job.watched = float("inf")
    waits: list[_Wait] = []
    users = [
        threading.Thread(target=_use, args=(worker, methods, cases[i::_USERS][:_CASES], f"user {i}", waits))
        for i in range(_USERS)
    ]
    for user in users:
        user.start()
    for user in users:
        user.join()
    if beside and all(job.future.done() for job in long):
        raise RuntimeError("The long case was done before the users were.")
    return waits


def _use(worker: Worker, methods: tuple[str, ...], cases: tuple[Case, ...], name: str, waits: list[_Wait]) -> None:
    rng = random.Random(name)  # noqa: S311 - pauses, not secrets
    for case in cases:
        time.sleep(rng.uniform(*_READING))
        began = time.perf_counter()
        futures = [worker.submit(method, case, session=name).future for method in methods]
        wait(futures, return_when=FIRST_COMPLETED)
        first = time.perf_counter() - began
        wait(futures)
        waits.append(_Wait(first, time.perf_counter() - began))


def _said(waits: list[_Wait]) -> str:
    lines = []
    for name, seconds in zip(_Wait._fields, zip(*waits, strict=True), strict=True):
        lines.append(f"{name} result: median {statistics.median(seconds):.2f} s, worst {max(seconds):.2f} s")
    return "; ".join(lines)


def _memory(worker: Worker) -> str:
    return ", ".join(str(held(pid)) for pid in process_ids(worker))


if __name__ == "__main__":
    show(figures())
