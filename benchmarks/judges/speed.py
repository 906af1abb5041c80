"""Seconds of the judge that ships: first start, a later one, 8 sentences against 100 source sentences, the next case.

    python -m benchmarks.judges.speed [METHOD]

Starts are those of a process of its own, from the import to the first judgement, in an empty data folder: at the first one the
adapter is merged and stored, later ones read it. Other cases are new texts to a loaded model; nothing comes from a cache.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from benchmarks.machine import SAMPLES, show
from groundscope.cases.dataset import read
from groundscope.methods import Method, registry
from groundscope.methods.defaults import CLASSIFIER
from groundscope.paths import ROOT, Variable
from groundscope.types import Case, Passage

NEXT = 5


def cases() -> tuple[list[Case], list[Case]]:
    """Three cases of 8 sentences and 100 source sentences, no text twice; and cases of the sample set of different queries."""
    samples = [c for c in read(SAMPLES.name, SAMPLES.read_bytes()).cases if c.parent is None]
    texts = list(dict.fromkeys(s for c in samples for p in c.context for s in p.text.split(". ") if len(s) > 60))
    large = []
    for i in range(3):
        some = [f"{text.rstrip('.')}." for text in texts[108 * i : 108 * (i + 1)]]
        large.append(Case(f"large {i}", "", (Passage("p", " ".join(some[:100])),), " ".join(some[100:])))
    return large, list({c.query: c for c in samples}.values())[: NEXT + 1]


def seconds(scorer: Method, case: Case) -> float:
    """Seconds of one judgement.

    Raises:
        RuntimeError: there is none; the message is its note.
    """
    began = time.perf_counter()
    judgement = scorer.score(case)
    if judgement.support is None:
        raise RuntimeError(judgement.note)
    return time.perf_counter() - began


def started(method: str, began: float) -> None:
    """Print the seconds since `began` at the first judgement, then those of the others; called in a fresh process."""
    scorer, (large, small) = registry.load(method), cases()
    seconds(scorer, small[0])
    print(f"{time.perf_counter() - began:.2f}")
    seconds(scorer, large[0])
    print(f"{statistics.median(seconds(scorer, c) for c in large[1:]):.2f}")
    print(f"{statistics.median(seconds(scorer, c) for c in small[1:]):.2f}")


def figures(method: str) -> Iterator[str]:
    """A line each."""
    code = f"import time; t = time.perf_counter(); from benchmarks.judges.speed import started; started({method!r}, t)"
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for _ in range(2):
            done = subprocess.run(  # noqa: S603
                [sys.executable, "-c", code],
                cwd=ROOT,
                env={**os.environ, Variable.DATA: folder},
                capture_output=True,
                text=True,
                check=True,
            )
            runs.append(done.stdout.split())
    (first, *_), (later, large, small) = runs
    yield f"{method}, import to first judgement: {first} s at the first start, {later} s at later ones"
    yield f"{method}, 8 sentences against 100 source sentences, loaded: {large} s; the next case of the sample set: {small} s"


if __name__ == "__main__":
    show(figures(*(sys.argv[1:] or [CLASSIFIER])))
