"""How long a response takes: mean seconds, as the paper measures it over dev with the model loaded, and what a mean hides.

Only results that were timed count: what was kept from an earlier run, warm-up, failures and what is not judged yet say nothing
of a method's speed.
"""

from dataclasses import dataclass

import numpy as np

from groundscope.grounding.runs.arrays import PENDING, STATUSES, Bools, Floats, Integers, RunData
from groundscope.statistics.bootstrap import Draws, Interval, NormalDraws, by_group, drawn_queries, limits, resampled_sums
from groundscope.types import Status

PAPERS_SPLIT = "dev"
"""The split that the paper measures latency over."""
RESOLUTION = 1e-6
"""Seconds below which a time is no measurement: a method that reports less, such as 0, was faster than its clock counts."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds a response, wall clock, the model loaded; NaN where nothing was timed."""

    responses: int
    timed: int
    mean: float
    interval: Interval
    p50: float
    p95: float


def timed(run: RunData, rows: Integers) -> Bools:
    """Find the results whose seconds count, (m, k): those that were timed, have seconds, and neither failed nor are pending."""
    states = run.status[:, rows]
    judged = (states != PENDING) & (states != STATUSES.index(Status.FAILED))
    counts: Bools = run.timed[:, rows] & judged & ~np.isnan(run.seconds[:, rows])
    return counts


def latencies(run: RunData, rows: Integers, draws: Draws | None = None) -> tuple[Latency, ...]:
    """Summarise every method's seconds; `draws` are of `resamples` for the queries of these rows, made here without any."""
    counts = timed(run, rows)
    seconds = np.where(counts, run.seconds[:, rows], 0.0)
    ends = _mean_limits(seconds, counts, run.groups[rows], draws)
    summaries = []
    for values, timed_here, mean_ends in zip(seconds, counts, ends, strict=True):
        timed_seconds = values[timed_here]
        p50, p95 = np.percentile(timed_seconds, [50, 95]) if timed_seconds.size else (np.nan, np.nan)
        mean = float(timed_seconds.mean()) if timed_seconds.size else float("nan")
        summaries.append(Latency(len(rows), int(timed_seconds.size), mean, Interval.of(mean_ends), float(p50), float(p95)))
    return tuple(summaries)


def _mean_limits(seconds: Floats, counts: Bools, groups: Integers, draws: Draws | None) -> Floats:
    """(m, 2) ends of the intervals of the means."""
    draws = drawn_queries(groups) if draws is None else draws
    if isinstance(draws, NormalDraws):
        # Method by method: the intervals do not need what the methods have in common.
        each = [resampled_sums(draws, by_group(np.stack(pair, axis=1), groups)) for pair in zip(seconds, counts, strict=True)]
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = [drawn[:, 0] / drawn[:, 1] for drawn in each]
        return limits(np.stack(shares, axis=1), draws.shape[1]) if each else np.empty((0, 2))
    methods = len(seconds)
    drawn = resampled_sums(draws, by_group(np.concatenate([seconds, counts]).T, groups))
    with np.errstate(invalid="ignore", divide="ignore"):
        means = drawn[:, :methods] / drawn[:, methods:]
    return limits(means, draws.shape[1])


def papers_rows(run: RunData) -> Integers:
    """Find the rows that the paper's latency is measured over, ascending: all of dev, labelled or not."""
    return np.flatnonzero(run.splits == PAPERS_SPLIT).astype(np.int32)
