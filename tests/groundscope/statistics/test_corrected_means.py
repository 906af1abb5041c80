"""Means corrected by checked things: the arithmetic of the sources, and how often the intervals hold the truth."""

from math import inf, isnan, nan, sqrt

import numpy as np
import pytest

from groundscope.statistics.bootstrap import Interval
from groundscope.statistics.raters import corrected
from groundscope.statistics.significance import wilson

Z = 1.959964


def test_without_checks_nothing_changes() -> None:
    assert corrected(0.4, Interval(0.3, 0.5), []) == (0.4, Interval(0.3, 0.5))


def test_the_mean_moves_by_the_mean_difference_of_the_checked() -> None:
    mean, interval = corrected(0.40, Interval(0.40, 0.40), [1.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0])
    assert mean == pytest.approx(0.40 + 1 / 8)
    # Agresti and Min: (b - c) / (n + 2), of variance ((b + c + 1) - (b - c)^2 / (n + 2)) / (n + 2)^2, with b = 2, c = 1, n = 8.
    half = Z * sqrt(3 + 1 - 1 / 10) / 10
    assert (interval.low, interval.high) == pytest.approx((0.40 + 1 / 10 - half, 0.40 + 1 / 10 + half))


def test_both_errors_add_up_as_squares_and_what_cannot_err_is_not_widened() -> None:
    mean, interval = corrected(0.5, Interval(0.4, 0.6), [0.0] * 23, unit=0.5)
    half = Z * 0.5 / 25
    assert (mean, interval.low, interval.high) == pytest.approx((0.5, 0.5 - sqrt(0.01 + half**2), 0.5 + sqrt(0.01 + half**2)))
    assert corrected(0.5, Interval(0.4, 0.6), [1.0, 0.0], share=0.0)[1] == Interval(0.4, 0.6)


def test_nothing_leaves_its_range_and_no_interval_stays_none() -> None:
    mean, interval = corrected(0.9, Interval(0.8, 1.0), [1.0] * 5)
    assert (mean, interval.high) == (1.0, 1.0)
    assert corrected(0.1, Interval(0.0, 0.2), [-1.0] * 5)[0] == 0.0
    assert corrected(-0.5, Interval(-0.9, 0.1), [-0.5], lowest=-inf)[0] == pytest.approx(-1.0)
    assert isnan(corrected(0.5, Interval(nan, nan), [1.0, 0.0])[1].low)


@pytest.mark.parametrize(("truly", "too_many", "too_few"), [(0.5, 0.02, 0.02), (0.9, 0.02, 0.1), (0.5, 0.2, 0.05)])
@pytest.mark.parametrize(("things", "checked"), [(30, 20), (300, 50)])
def test_the_intervals_of_shares_hold_the_truth(things: int, checked: int, truly: float, too_many: float, too_few: float) -> None:
    rng = np.random.default_rng(things)
    corrected_hits = raw_hits = 0
    for _ in range(1_000):
        truth = rng.random(things) < truly
        measured = np.where(truth, rng.random(things) >= too_few, rng.random(things) < too_many)
        raw = wilson(int(measured.sum()), things)
        differences = (truth[:checked].astype(float) - measured[:checked]).tolist()
        _, interval = corrected(float(measured.mean()), raw, differences)
        corrected_hits += interval.low <= truly <= interval.high
        raw_hits += raw.low <= truly <= raw.high
    assert corrected_hits >= 950 - 2 * sqrt(1_000 * 0.95 * 0.05)
    if things == 300 and (too_many, too_few) != (0.02, 0.02):
        # What sampling error alone leaves out.
        assert raw_hits < 500


def test_the_intervals_of_counts_of_factors_hold_the_truth() -> None:
    """Of 15 factors an argument leaves some out; in one argument of seven the extractor overlooks one or two more."""
    rng = np.random.default_rng(7)
    hits = raw_hits = 0
    for _ in range(1_000):
        truth = rng.binomial(15, 0.8, 60) / 15
        measured = truth - np.where(rng.random(60) < 1 / 7, rng.integers(1, 3, 60), 0) / 15
        half = 2.0 * measured.std(ddof=1) / sqrt(60)
        raw = Interval(measured.mean() - half, measured.mean() + half)
        _, interval = corrected(float(measured.mean()), raw, (truth - measured)[:15].tolist(), unit=1 / 15)
        hits += interval.low <= 0.8 <= interval.high
        raw_hits += raw.low <= 0.8 <= raw.high
    assert hits >= 950 - 2 * sqrt(1_000 * 0.95 * 0.05)
    assert raw_hits < 850
