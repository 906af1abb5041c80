"""What a finished run recorded of two methods on the same responses: supports, seconds, and US dollars."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from groundscope.errors import DataError
from groundscope.grounding.latency import timed
from groundscope.grounding.level_results import gold_of, sentences_of
from groundscope.grounding.levels import supports_of
from groundscope.grounding.runs.arrays import PENDING, STATUSES, Integers, RunData
from groundscope.training.cascade_files import Asked, Bools, BothJudged, Cascaded, Floats
from groundscope.types import Status

DEV, TEST = "dev", "test"
_WORKED = [STATUSES.index(s) for s in (Status.SCORED, Status.NOT_ASSESSABLE)]


@dataclass(frozen=True, slots=True)
class PairRecords:
    """What a run recorded of two methods on the same n responses.

    Attributes:
        gold: (n,) True = grounded.
        groups: (n,) codes of the queries.
        seconds: (2, n) what each method took for each response; what was not measured has the mean of what was, NaN if nothing.
        dollars: (2, n) likewise in US dollars.
    """

    judged: BothJudged
    gold: Bools
    groups: Integers
    seconds: Floats
    dollars: Floats

    def take(self, part: int, work: Floats) -> tuple[float, float]:
        """Mean seconds and US dollars of a response of which a method does such shares of its work, (n,) 0 to 1."""
        return float((work * self.seconds[part]).mean()), float((work * self.dollars[part]).mean())


def records(run: RunData, first: int, second: int, split: str) -> PairRecords:
    """Read two methods' records of the labelled responses of a split. Reads and cuts texts: slow on large sets.

    Raises:
        DataError: there are none, or the exported run cannot be read any more.
    """
    rows = run.rows(split)
    rows = rows[(run.status[[first, second]][:, rows] != PENDING).all(axis=0)]
    if not len(rows):
        there = ", ".join(s or "no split" for s in run.labelled_splits()) or "no labelled response at all"
        raise DataError(
            f"No labelled response of {split or 'no split'} is judged by both methods; the run has {there}. Run both methods on "
            f"a set with labelled responses in {DEV} and {TEST}."
        )
    gold = gold_of(run, rows)
    one, two = (supports_of(gold, sentences_of(run, m, rows)) for m in (first, second))
    judged = BothJudged(
        np.searchsorted(rows, gold.case).astype(np.int32),
        one,
        two,
        run.support[first, rows],
        run.support[second, rows],
        np.isin(run.status[second, rows], _WORKED),
    )
    counted = timed(run, rows)[[first, second]]
    seconds = np.stack([_known(run.seconds[m, rows], c) for m, c in zip((first, second), counted, strict=True)])
    paid = [~np.isnan(run.cost[m, rows]) & ((run.calls[m, rows] > 0) | (not run.methods[m].asks)) for m in (first, second)]
    dollars = np.stack([_known(run.cost[m, rows], p) for m, p in zip((first, second), paid, strict=True)])
    return PairRecords(judged, run.gold[rows] == 1, run.groups[rows], seconds, dollars)


def _known(values: Floats, counts: Bools) -> Floats:
    """What counts, and its mean in place of what does not."""
    mean = values[counts].mean() if counts.any() else np.nan
    found: Floats = np.where(counts, values, mean)
    return found


def quickest(run: RunData, methods: Sequence[str]) -> str:
    """Find the method that takes the least time, by a run's own records."""
    counts = timed(run, np.arange(len(run.ids), dtype=np.int32))
    taken_by = {}
    for method in methods:
        place = run.method(method)
        known = run.seconds[place][counts[place]]
        taken_by[method] = float(known.mean()) if known.size else np.inf
    return min(methods, key=taken_by.__getitem__)


def work(judged: BothJudged, doubt: Bools, asked: Asked) -> Floats:
    """Find how much of its work on a whole answer the second method is spared."""
    number = len(judged.answered)
    count, claims = (np.bincount(at, minlength=number) for at in (judged.response[doubt], judged.response))
    return (count > 0).astype(np.float64) if asked == "answer" else count / np.maximum(1, claims)


def taken(found: PairRecords, made: Cascaded, asked: Asked) -> tuple[float, float, float, float]:
    """Work out what a band takes."""
    share = work(found.judged, made.doubtful, asked)
    seconds, dollars = found.take(0, np.ones(len(share)))
    if share.any():
        more = found.take(1, share)
        seconds, dollars = seconds + more[0], dollars + more[1]
    return float(made.doubtful.mean()), float((share > 0).mean()), seconds, dollars
