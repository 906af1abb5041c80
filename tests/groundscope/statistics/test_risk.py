"""Promises about misses: kept in simulated draws where a count of sentences breaks them, p-values as MAPIE's, counts by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from groundscope.statistics.risk import (
    MissLimit,
    MissRate,
    Promise,
    control_misses,
    miss_rate,
    p_value,
    percent_up,
    smallest_limit,
)
from tests.loops import each

MAPIE = (
    (0.0, 12, 0.1, 0.28242953648099983),
    (0.0, 22, 0.1, 0.098477090218361),
    (0.02, 60, 0.1, 0.04614560130905226),
    (0.05, 60, 0.1, 0.36700123319608935),
    (0.0731, 87, 0.1, 0.6823782324049958),
    (0.033, 200, 0.05, 0.5026610112738603),
    (0.15, 40, 0.3, 0.06458894886019705),
    (0.12, 50, 0.1, 1.0),
    (0.004, 500, 0.02, 0.007043450170999851),
)
"""Mean loss, number of losses, limit, and `compute_hoeffding_bentkus_p_value` of MAPIE 1.6.0."""

MEAN, BETWEEN, WITHIN = -1.0, 1.5, 0.7
"""Of the log odds of wrong sentences' supports: most of their spread is between queries, so that a query is nearly one draw."""


def draw(rng: np.random.Generator, queries: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Supports, labels and queries of 1 to 20 wrong sentences a query, and of 200 sound ones."""
    wrong = np.repeat(np.arange(queries), rng.integers(1, 21, queries))
    odds = MEAN + rng.normal(0, BETWEEN, queries)[wrong] + rng.normal(0, WITHIN, len(wrong))
    supports = 1 / (1 + np.exp(-np.concatenate([odds, rng.normal(1, 1.5, 200)])))
    labels = np.arange(len(supports)) >= len(wrong)
    return supports, labels, np.concatenate([wrong, rng.integers(0, queries, 200)])


def truth(threshold: float) -> float:
    """The miss rate in the population."""
    if not 0 < threshold < 1:
        return float(threshold <= 0)
    return float(norm.sf((math.log(threshold / (1 - threshold)) - MEAN) / math.hypot(BETWEEN, WITHIN)))


def test_the_promise_is_kept_in_200_draws_at_its_confidence_and_not_by_counting_sentences_as_independent() -> None:
    rng, limit = np.random.default_rng(0), MissLimit(0.1, 0.9)
    broken = {"queries": 0, "sentences": 0}
    for _ in range(200):
        supports, labels, queries = draw(rng)
        for unit, groups in (("queries", queries), ("sentences", np.arange(len(supports)))):
            promise = control_misses(supports, labels, groups, limit).promise
            assert promise is not None
            broken[unit] += truth(promise.threshold) > limit.most
    assert broken["queries"] <= 20
    assert broken["sentences"] > 30


def test_p_values_are_those_of_mapie() -> None:
    for rate, queries, most, wanted in MAPIE:
        assert float(p_value(rate, queries, most)) == pytest.approx(wanted, rel=1e-9)


def test_without_a_miss_the_smallest_limit_is_known_in_closed_form() -> None:
    assert smallest_limit(0.0, 12, 0.9) == pytest.approx(1 - 0.1 ** (1 / 12))
    assert percent_up(smallest_limit(0.0, 12, 0.9)) == "17.5 %"
    assert MissLimit(0.1, 0.9).fewest == 22
    assert smallest_limit(0.0, 22, 0.9) <= 0.1 < smallest_limit(0.0, 21, 0.9)
    assert smallest_limit(1.0, 50, 0.9) == 1.0
    assert math.isnan(smallest_limit(0.0, 0, 0.9))


@given(st.floats(0, 1), st.integers(1, 300), st.floats(0.01, 0.99))
def test_the_smallest_limit_is_where_the_test_begins_to_reject(rate: float, queries: int, confidence: float) -> None:
    limit = smallest_limit(rate, queries, confidence)
    assert rate <= limit <= 1
    if limit < 0.999:
        assert float(p_value(rate, queries, limit + 1e-6)) <= 1 - confidence + 1e-6
        if limit > rate + 1e-6:
            assert float(p_value(rate, queries, limit - 1e-6)) >= 1 - confidence - 1e-6


SUPPORT = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, math.nan]), st.floats(0, 1))


@given(st.lists(st.tuples(SUPPORT, st.booleans(), st.integers(0, 9)), min_size=1, max_size=60), st.floats(0.05, 0.95))
def test_the_threshold_is_the_lowest_above_which_every_one_passes_the_test(
    rows: list[tuple[float, bool, int]], most: float
) -> None:
    supports, sound, groups = (np.array(column) for column in zip(*rows, strict=True))
    if sound.all() or np.isnan(supports).all():
        with pytest.raises(ValueError, match=r"wrong|support"):
            control_misses(supports, sound, groups, MissLimit(most, 0.75))
        return
    found = control_misses(supports, sound, groups, MissLimit(most, 0.75))
    known = np.unique(supports[~np.isnan(supports)])
    steps = [*known, known[-1] + 1e-6]
    passed = []
    for threshold in reversed(steps):
        seen = miss_rate(supports, sound, groups, threshold)
        if float(p_value(seen.rate, seen.queries, most)) > 0.25:
            break
        passed.append(threshold)
    assert (found.promise is None) == (not passed)
    if found.promise is not None:
        # Between two supports every threshold flags the same; the one that is taken flags as the lowest step that passes.
        assert found.promise.seen == miss_rate(supports, sound, groups, passed[-1])
        assert found.promise.seen == miss_rate(supports, sound, groups, found.promise.threshold)
    if found.least is not None:
        assert found.least.limit.most == pytest.approx(smallest_limit(found.least.seen.rate, found.least.seen.queries, 0.75))
        assert found.least.seen.rate == pytest.approx(miss_rate(supports, sound, groups, steps[-1]).rate)


def test_misses_are_counted_by_query_and_a_wrong_sentence_without_a_support_is_missed() -> None:
    supports = np.array([0.1, 0.9, 0.2, math.nan, 0.3, 0.8])
    sound = np.array([False, False, False, False, True, True])
    groups = np.array([0, 0, 1, 2, 2, 0])
    assert miss_rate(supports, sound, groups, 0.5) == MissRate(pytest.approx((1 / 2 + 0 + 1) / 3), 3, 2, 4, 1, 2)
    found = control_misses(supports, sound, groups, MissLimit(0.1, 0.9))
    assert found.promise is None
    # Not even a flag on everything that has a support would carry it.
    assert found.least is None or found.least.seen.rate == pytest.approx(1 / 3)


def test_intervals_hold_the_rate_and_their_ends() -> None:
    none, some, all_ = (MissRate(r, 25, 0, 30, 0, 9).interval for r in (0.0, 0.2, 1.0))
    assert (none.low, none.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 25)))
    assert 0 < some.low < 0.2 < some.high < 1
    assert (all_.low, all_.high) == (pytest.approx(0.025 ** (1 / 25)), 1.0)


@each("values", [(0.0, 0.9), (1.0, 0.9), (0.1, 1.0), (0.1, 0.0), (math.nan, 0.9), (0.1, math.nan)])
def test_what_means_nothing_is_refused(values: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        MissLimit(*values)


def test_a_limit_is_rounded_up_in_words() -> None:
    assert MissLimit(0.1, 0.9).words == "at most 10 % missed, with 90 % confidence"
    assert MissLimit(0.10001, 0.95).words == "at most 10.1 % missed, with 95 % confidence"
    assert Promise(MissLimit(), 0.5, MissRate(0.0, 1, 0, 1, 0, 0)).reference == ()
