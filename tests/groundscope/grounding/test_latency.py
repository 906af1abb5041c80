"""Latency: which results count, and what is said of them."""

from dataclasses import replace

import numpy as np
import pytest

from groundscope.grounding.latency import latencies, papers_rows, timed
from groundscope.grounding.runs.arrays import STATUSES, RunData
from groundscope.types import Status
from tests.groundscope.grounding.runs import made_cases, made_run, pending


@pytest.fixture(scope="module")
def run() -> RunData:
    found = made_run(made_cases(120), 2)
    return replace(found, timed=np.ones_like(found.timed), seconds=np.tile(np.arange(1.0, 121.0), (2, 1)))


def test_mean_median_and_tail_are_numpys(run: RunData) -> None:
    rows = run.rows("test")
    found = latencies(run, rows)[0]
    seconds = run.seconds[0, rows]
    assert (found.responses, found.timed) == (len(rows), len(rows))
    assert found.mean == pytest.approx(seconds.mean())
    assert (found.p50, found.p95) == pytest.approx(np.percentile(seconds, [50, 95]))
    assert found.interval.low < found.mean < found.interval.high


def test_what_was_kept_failed_or_is_still_to_come_does_not_count(run: RunData) -> None:
    rows = run.rows()
    run = pending(run, 0, 2)
    status, clock, seconds = run.status.copy(), run.timed.copy(), run.seconds.copy()
    clock[0, 0] = False
    status[0, 1] = STATUSES.index(Status.FAILED)
    seconds[0, 3] = np.nan
    # An answer that could not be read took its time all the same.
    status[0, 4] = STATUSES.index(Status.INVALID)
    found = latencies(replace(run, status=status, timed=clock, seconds=seconds), rows)
    assert found[0].timed == 116
    assert found[0].mean == pytest.approx(np.arange(5.0, 121.0).mean())
    assert found[1].timed == 120


def test_the_interval_draws_queries_and_not_responses(run: RunData) -> None:
    rows = run.rows()
    # One query took long on all its responses: by query that weighs three times as much as by response.
    seconds = np.ones_like(run.seconds)
    seconds[:, run.groups == 0] = 1_000.0
    alike = latencies(replace(run, seconds=seconds), rows)[0].interval
    apart = latencies(replace(run, seconds=seconds, groups=np.arange(120, dtype=np.int32)), rows)[0].interval
    assert alike.high > apart.high


def test_nothing_timed_gives_no_figure(run: RunData) -> None:
    found = latencies(replace(run, timed=np.zeros_like(run.timed)), run.rows())[0]
    assert found.timed == 0
    assert found.responses == 120
    assert np.isnan([found.mean, found.p50, found.p95, found.interval.low, found.interval.high]).all()
    assert latencies(run, run.rows()[:0])[0].responses == 0
    # One query says nothing of others.
    found = latencies(run, np.flatnonzero(run.groups == 0).astype(np.int32))[0]
    assert found.mean == pytest.approx(2.0)
    assert np.isnan(found.interval.low)


def test_the_papers_rows_are_all_of_dev_labelled_or_not(run: RunData) -> None:
    gold = run.gold.copy()
    gold[:10] = -1
    unlabelled = replace(run, gold=gold)
    assert (unlabelled.splits[papers_rows(unlabelled)] == "dev").all()
    assert len(papers_rows(unlabelled)) == len(run.rows("dev"))
    assert timed(unlabelled, papers_rows(unlabelled)).shape == (2, len(papers_rows(run)))
