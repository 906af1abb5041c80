"""Memory of the scoring worker over many different cases: `python -m benchmarks.memory`."""

import random
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from benchmarks.machine import SAMPLES, show
from components.worker.process import Worker
from groundscope.cases.dataset import read
from groundscope.methods import registry
from groundscope.methods.defaults import DEFAULTS
from groundscope.text.sentences import split
from groundscope.types import Case, Passage

_CASES = 500
_STEP = 50


def cases(count: int, seed: int = 1) -> Iterator[Case]:
    """Cases that differ in every sentence, of 2 to 46 context sentences, growing, and a few of 200."""
    rng = random.Random(seed)  # noqa: S311 - texts, not secrets
    samples = read(SAMPLES.name, SAMPLES.read_bytes()).cases
    sentences = [text for case in samples for text in _sentences(case.response)]
    context = [text for case in samples for passage in case.context for text in _sentences(passage.text)]
    for i in range(count):
        size = rng.randint(2, 6 + 40 * i // count) if i % _STEP != _STEP - 10 else 200
        response = " ".join(_changed(rng.choice(sentences), rng) for _ in range(rng.randint(1, 3 + 12 * i // count)))
        passages = [
            Passage(f"p{k}", " ".join(_changed(rng.choice(context), rng) for _ in range(min(25, size - first))))
            for k, first in enumerate(range(0, size, 25))
        ]
        yield Case(f"made-{i}", "What does the record say?", tuple(passages), response)


def _sentences(text: str) -> list[str]:
    return [text[s.start : s.end] for s in split(text)]


def _changed(text: str, rng: random.Random) -> str:
    """A sentence that was not seen before: some of its words moved, and a number of its own."""
    words = text.split()
    first, last = sorted(rng.sample(range(len(words) + 1), 2))
    return " ".join(
        [*words[:first], *rng.sample(words[first:last], last - first), *words[last:], f"No. {rng.randint(1, 10**9)}."]
    )


def process_ids(worker: Worker) -> list[int]:
    """The ids of the processes of a worker that run now."""
    return [child.process.pid for child in worker._children if child is not None and child.alive]


class Held(NamedTuple):
    """Megabytes of processes: PSS counts a page that they share once, RSS in each of them."""

    pss: float
    rss: float

    def __str__(self) -> str:
        return f"{self.pss:,.0f} MB (PSS; {self.rss:,.0f} MB by RSS)"


def held(*pids: int) -> Held:
    """What processes hold now, together."""
    sums = {"Pss": 0, "Rss": 0}
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            name, _, size = line.partition(":")
            sums[name] = sums.get(name, 0) + (int(size.split()[0]) if name in ("Pss", "Rss") else 0)
    return Held(sums["Pss"] / 1024, sums["Rss"] / 1024)


def family(pid: int) -> list[int]:
    """A process and those that it started, and so on."""
    every: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        # A thread may end meanwhile.
        with suppress(FileNotFoundError):
            every += map(int, (task / "children").read_text().split())
    return [pid, *(member for child in every for member in family(child))]


def figures(count: int = _CASES) -> Iterator[str]:
    """Memory of the worker's process after each fifty cases, by the methods that the app opens with."""
    worker = Worker()
    methods = registry.ready(DEFAULTS)
    yield f"methods: {', '.join(methods)}; nothing is kept on disk"
    try:
        for i, case in enumerate(cases(count)):
            for job in [worker.submit(method, case) for method in methods]:
                job.future.result()
            if i in (0, 9) or (i + 1) % _STEP == 0:
                yield f"after {i + 1:>3} cases: {held(*process_ids(worker))}"
    finally:
        worker.end()


if __name__ == "__main__":
    show(figures(int(sys.argv[1]) if len(sys.argv) > 1 else _CASES))
