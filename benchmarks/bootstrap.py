"""Speed of the benchmark's statistics: bootstrap, comparison of all pairs of methods, sentence tables.

    python -m benchmarks.bootstrap

Labels and verdicts are random; the time does not depend on them.
"""

import resource
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from benchmarks import machine
from groundscope.grounding.levels import GoldTable, known_supports, span_level
from groundscope.grounding.runs.arrays import SentenceTable
from groundscope.statistics.bootstrap import Draws, intervals_of_many, resamples
from groundscope.statistics.curves import Curve
from groundscope.statistics.metrics import Labels, cells
from groundscope.statistics.significance import compare_all
from groundscope.statistics.tuned import Labelled, choices, nested_interval

METHODS = 15


class Resampling(NamedTuple):
    """Made-up labels (n,), verdicts (METHODS, n) and queries (n,)."""

    gold: Labels
    verdicts: Labels
    groups: np.ndarray[tuple[int], np.dtype[np.int64]]


def made_up(responses: int, queries: int) -> Resampling:
    """Methods that are right 60 to 88 times in 100 and say nothing 5 times."""
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 2, responses).astype(np.int8)
    right = rng.random((METHODS, responses)) < 0.6 + 0.02 * np.arange(METHODS)[:, None]
    verdicts = np.where(rng.random(right.shape) < 0.05, -1, np.where(right, gold, 1 - gold)).astype(np.int8)
    return Resampling(gold, verdicts, rng.integers(0, queries, responses))


def bootstrap(run: Resampling) -> Draws:
    """Draw 2,000 resamples and take the intervals of every score of every method."""
    draws = resamples(run.groups)
    intervals_of_many(np.stack([cells(run.gold, row) for row in run.verdicts]), run.groups, draws)
    return draws


def seconds(work: Callable[[], object]) -> float:
    """Best of three runs, wall clock, after one that is not counted."""
    work()
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)


def by_size() -> Iterator[str]:
    """Two lines a size."""
    for responses, queries in ((2_000, 500), (50_000, 12_000)):
        run = made_up(responses, queries)
        size = f"{METHODS} methods x {responses:,} responses to {queries:,} queries"
        yield f"bootstrap, 2,000 resamples x {size}: {seconds(lambda r=run: bootstrap(r)):.3f} s"  # type: ignore[misc]
        draws = resamples(run.groups)
        taken = seconds(lambda r=run, d=draws: compare_all(r.gold, r.verdicts, r.groups, d))  # type: ignore[misc]
        yield f"all pairs compared, {size}: {taken:.3f} s; memory of the process so far {peak_megabytes()} MB at most"


def tuned_again(responses: int = 2_000, queries: int = 500) -> str:
    """Tune on 2,000 draws of some responses, and read every rule on 2,000 draws of as many others."""
    run = made_up(2 * responses, 2 * queries)
    supports = np.random.default_rng(1).random((METHODS, 2 * responses))
    halves = run.groups < queries, run.groups >= queries

    def part(method: int, half: int) -> Labelled:
        rows = halves[half]
        return Labelled(supports[method : method + 1, rows], run.gold[rows] == 1, run.groups[rows], draws[half])

    draws = [resamples(run.groups[rows]) for rows in halves]
    taken = seconds(lambda: [nested_interval(choices(part(m, 0), Curve.macro_f1), part(m, 1)) for m in range(METHODS)])
    sizes = f"{halves[0].sum():,} responses tuned on and {halves[1].sum():,} others"
    return f"intervals with tuning in them, 2,000 x 2,000 draws x {METHODS} methods x {sizes}: {taken:.3f} s"


def sentences(count: int = 4_000_000) -> Iterator[str]:
    """The supports of sentences and the span level, the method's rows out of order."""
    rng = np.random.default_rng(2)
    place = np.arange(count, dtype=np.int32)
    case, start = place // 20, place % 20 * 100
    gold = GoldTable(case, start, start + 90, rng.integers(-1, 2, count).astype(np.int8), rng.integers(0, 90, count, np.int32))
    order = rng.permutation(count)
    rows = SentenceTable(case[order], start[order], start[order] + 90, rng.random(count), np.full(count, np.nan))
    for name, work in (
        ("supports of sentences", lambda: known_supports(gold, rows)),
        ("span level", lambda: span_level(gold, rows, 0.5)),
    ):
        started = time.perf_counter()
        work()
        yield f"{name}, {count:,} sentences: {time.perf_counter() - started:.2f} s"


def peak_megabytes() -> int:
    """The most memory this process has held, libraries included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def figures() -> Iterator[str]:
    """Every figure, a line each."""
    yield from by_size()
    yield tuned_again()
    yield from sentences()


if __name__ == "__main__":
    machine.show(figures())
