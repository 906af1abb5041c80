"""Reliability, ECE and Brier against scikit-learn and their definitions; calibrators that rise, come back from JSON, and help."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from groundscope.statistics.bootstrap import resamples
from groundscope.statistics.calibration import BINS, Calibrator, How, IntervalEstimate, brier, cross_fitted, ece, fit, reliability
from groundscope.statistics.metrics import Labels
from groundscope.statistics.significance import wilson
from tests.loops import each

Floats = NDArray[np.float64]
# Multiples of 1/8 and of 1/10: ties, and the borders of bins.
SUPPORT = st.one_of(st.floats(0, 1), st.integers(0, 8).map(lambda n: n / 8), st.integers(0, 10).map(lambda n: n / 10))
LABELLED = st.lists(st.tuples(st.integers(0, 1), SUPPORT), min_size=1, max_size=50)


def made_up(seed: int, count: int, power: float = 1.0) -> tuple[Labels, Floats, list[str]]:
    """Responses that are grounded with a chance of support ** power: calibrated at 1."""
    rng = np.random.default_rng(seed)
    supports = rng.random(count)
    gold = (rng.random(count) < supports**power).astype(np.int8)
    return gold, supports, [f"q{i}" for i in rng.integers(0, max(1, count // 4), count)]


def by_hand(gold: Labels, supports: Floats) -> float:
    """ECE from the definition: bins of equal width, the last with both borders."""
    edges = np.linspace(0, 1, BINS + 1)
    total = 0.0
    for i in range(BINS):
        inside = (supports >= edges[i]) & ((supports < edges[i + 1]) | (i == BINS - 1))
        if inside.any():
            total += inside.mean() * abs(supports[inside].mean() - gold[inside].mean())
    return total


@given(LABELLED)
def test_a_response_lies_in_the_one_bin_that_says_so(pairs: list[tuple[int, float]]) -> None:
    gold, supports = (np.array(column) for column in zip(*pairs, strict=True))
    found = reliability(gold, supports)
    assert (found.left_out, sum(b.count for b in found.bins)) == (0, len(pairs))
    assert (found.bins[0].lower, found.bins[-1].upper, len(found.bins)) == (0.0, 1.0, BINS)
    for b in found.bins:
        inside = (supports >= b.lower) & ((supports < b.upper) | (b.upper == 1))
        assert b.count == inside.sum()
        if b.count:
            assert (b.support, b.grounded) == pytest.approx((supports[inside].mean(), gold[inside].mean()))
            assert b.interval == wilson(int(gold[inside].sum()), b.count)
        else:
            assert math.isnan(b.support)
            assert math.isnan(b.grounded)
            assert math.isnan(b.interval.low)


def test_reliability_is_scikit_learns_calibration_curve() -> None:
    from sklearn.calibration import calibration_curve

    gold, supports, _ = made_up(1, 500, power=2)
    grounded, mean = calibration_curve(gold, supports, n_bins=BINS)
    found = reliability(gold, supports).bins
    assert [b.grounded for b in found] == pytest.approx(grounded)
    assert [b.support for b in found] == pytest.approx(mean)


@given(LABELLED)
def test_ece_and_brier_are_their_definitions(pairs: list[tuple[int, float]]) -> None:
    from sklearn.metrics import brier_score_loss

    gold, supports = (np.array(column) for column in zip(*pairs, strict=True))
    groups = [str(i) for i in range(len(pairs))]
    assert ece(gold, supports, groups, count=5).value == pytest.approx(by_hand(gold, supports), abs=1e-12)
    assert brier(gold, supports, groups, count=5).value == pytest.approx(brier_score_loss(gold, supports, pos_label=1))


def test_the_intervals_are_of_queries_drawn_whole() -> None:
    gold, supports, groups = made_up(2, 80, power=3)
    names = list(dict.fromkeys(groups))
    errors, squares = [], []
    for draw in resamples(groups, 200, seed=7):
        rows = [i for n, name in zip(draw, names, strict=True) for _ in range(n) for i, g in enumerate(groups) if g == name]
        errors.append(by_hand(gold[rows], supports[rows]))
        squares.append(((gold[rows] - supports[rows]) ** 2).mean())
    found = brier(gold, supports, groups, count=200, seed=7).interval
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(squares, [2.5, 97.5])))
    # Reflected at the value: the basic bootstrap.
    value = by_hand(gold, supports)
    low, high = np.percentile(errors, [2.5, 97.5])
    reflected = ece(gold, supports, groups, count=200, seed=7).interval
    assert low < value < high
    assert (reflected.low, reflected.high) == pytest.approx((2 * value - high, 2 * value - low))


def test_perfect_calibration_has_no_error_and_the_reverse_has_all() -> None:
    sure, wrong = np.array([0.0, 1.0, 1.0, 0.0]), np.array([1, 0, 0, 1])
    assert [f(1 - wrong, sure, np.arange(4)).value for f in (ece, brier)] == [0, 0]
    assert [f(wrong, sure, np.arange(4)).value for f in (ece, brier)] == [1, 1]
    assert ece(wrong, sure, np.arange(4)).interval.high == 1


def test_responses_without_a_support_are_left_out_and_counted() -> None:
    gold, supports, groups = made_up(4, 100)
    holes = supports.copy()
    holes[::3] = np.nan
    kept = ~np.isnan(holes)
    few = [g for g, k in zip(groups, kept, strict=True) if k]
    assert ece(gold, holes, groups) == ece(gold[kept], supports[kept], few)
    assert brier(gold, holes, groups) == brier(gold[kept], supports[kept], few)
    found = reliability(gold, holes)
    assert found.left_out == 34
    assert [b.count for b in found.bins] == [b.count for b in reliability(gold[kept], supports[kept]).bins]
    assert fit(gold, holes, "platt") == fit(gold[kept], supports[kept], "platt")


@pytest.mark.parametrize(("gold", "supports"), [([], []), ([1, 0], [math.nan, math.nan])])
def test_nothing_to_calibrate_has_no_figures(gold: list[int], supports: list[float]) -> None:
    groups = ["a", "b"][: len(gold)]
    for found in (ece(gold, supports, groups), brier(gold, supports, groups)):
        assert all(math.isnan(x) for x in (found.value, found.interval.low, found.interval.high))
    assert {b.count for b in reliability(gold, supports).bins} == {0}


@each("measure", [ece, brier])
def test_one_query_has_a_value_and_no_interval(measure: Callable[..., IntervalEstimate]) -> None:
    found = measure([1, 0], [0.9, 0.2], ["q", "q"])
    assert found.value > 0
    assert math.isnan(found.interval.low)


def test_what_does_not_belong_together_is_refused() -> None:
    with pytest.raises(ValueError, match="a query for every response, got 1 for 2"):
        ece([1, 0], [0.5, 0.5], ["a"])
    with pytest.raises(ValueError, match="leave unlabelled responses out"):
        brier([1, -1], [0.5, 0.5], ["a", "b"])
    with pytest.raises(ValueError, match="how must be one of isotonic, platt, got 'beta'"):
        fit([0, 1], [0.2, 0.3], "beta")  # type: ignore[arg-type]


WAYS = pytest.mark.parametrize("how", ["isotonic", "platt"])


@given(LABELLED, st.sampled_from(["isotonic", "platt"]))
def test_a_calibration_never_falls_and_stays_in_0_to_1(pairs: list[tuple[int, float]], how: How) -> None:
    gold, supports = (np.array(column) for column in zip(*pairs, strict=True))
    assume(np.unique(gold).size == 2)
    found = fit(gold, supports, how)
    grid = np.linspace(0, 1, 101)
    calibrated = found.apply(grid)
    assert (np.diff(calibrated) >= -1e-12).all()
    assert ((calibrated >= 0) & (calibrated <= 1)).all()
    # Isotonic regression keeps the mean of the labels that it was fitted on.
    if how == "isotonic":
        assert found.apply(supports).mean() == pytest.approx(gold.mean())


@WAYS
def test_what_was_far_off_on_dev_is_nearly_right_on_other_responses(how: How) -> None:
    dev, test = made_up(5, 2_000, power=4), made_up(6, 2_000, power=4)
    found = fit(dev[0], dev[1], how)
    before, after = ece(*test), ece(test[0], found.apply(test[1]), test[2])
    assert before.value > 0.25
    assert after.value < 0.06
    assert brier(test[0], found.apply(test[1]), test[2]).value < brier(*test).value


def test_platts_line_is_the_best_one_for_his_smoothed_targets() -> None:
    from sklearn.metrics import log_loss

    gold, supports, _ = made_up(7, 300, power=2)
    found = fit(gold, supports, "platt")
    positives, negatives = gold.sum(), (1 - gold).sum()
    targets = np.where(gold == 1, (positives + 1) / (positives + 2), 1 / (negatives + 2))

    def loss(slope: float, intercept: float) -> float:
        calibrated = Calibrator("platt", slope=slope, intercept=intercept).apply(supports)
        twice, weights = np.tile(calibrated, 2), np.concatenate([targets, 1 - targets])
        return float(log_loss(np.repeat([1, 0], 300), twice, sample_weight=weights))

    best = loss(found.slope, found.intercept)
    for slope, intercept in ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01), (0.01, -0.01), (-0.01, 0.01)):
        assert loss(found.slope + slope, found.intercept + intercept) > best


@WAYS
@pytest.mark.parametrize("supports", [[0.9, 0.8, 0.1, 0.2], [0.5] * 4])
def test_where_no_rising_map_helps_every_support_becomes_the_share_of_grounded_responses(how: How, supports: list[float]) -> None:
    found = fit([0, 0, 1, 1], supports, how)
    assert found.apply([0.0, 0.3, 1.0]) == pytest.approx([0.5] * 3)


@WAYS
def test_no_support_stays_none_and_beyond_the_fitted_ones_it_goes_on(how: How) -> None:
    found = fit([0, 1, 0, 1], [0.4, 0.5, 0.45, 0.6], how)
    calibrated = found.apply([0.0, math.nan, 0.4, 0.6, 1.0])
    assert np.isnan(calibrated).tolist() == [False, True, False, False, False]
    assert calibrated[0] <= calibrated[2] < calibrated[3] <= calibrated[4]


@WAYS
@pytest.mark.parametrize(
    ("gold", "supports", "message"),
    [
        ([1, 1], [0.2, 0.3], r"\(2\) are grounded.*: add ungrounded responses to the dev split"),
        ([0, 0, 1], [0.2, 0.3, math.nan], r"\(2\) are ungrounded.*: add grounded responses"),
        ([0, 1], [math.nan, math.nan], "No labelled response has a support.*: run the method on the dev split first"),
    ],
)
def test_one_class_says_what_to_do(how: How, gold: list[int], supports: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fit(gold, supports, how)


def noise(count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Supports that say nothing of the labels; two responses a query."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, count), rng.random(count), np.arange(count) // 2


@WAYS
def test_a_label_has_no_part_in_its_own_querys_support(how: How) -> None:
    gold, supports, groups = noise(60)
    before = cross_fitted(gold, supports, groups, how)
    for query in (0, 7, 29):
        mine = groups == query
        after = cross_fitted(np.where(mine, int(not gold[mine].all()), gold), supports, groups, how)
        assert after[mine] == pytest.approx(before[mine])
        assert not np.allclose(after[~mine], before[~mine])


def test_a_response_without_a_support_gets_none_and_the_others_lie_in_0_to_1() -> None:
    gold, supports, groups = noise(60)
    supports[::7] = math.nan
    found = cross_fitted(gold, supports, groups, "platt")
    assert np.array_equal(np.isnan(found), np.isnan(supports))
    assert ((found[~np.isnan(found)] >= 0) & (found[~np.isnan(found)] <= 1)).all()


def test_fewer_queries_than_folds_are_a_fold_each() -> None:
    gold = np.array([0, 1, 0, 1, 0, 1])
    found = cross_fitted(gold, np.linspace(0, 1, 6), np.array([0, 0, 1, 1, 2, 2]), "platt")
    assert not np.isnan(found).any()


def test_too_little_to_divide_is_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="fewer than two queries"):
        cross_fitted([0, 1], [0.1, 0.9], np.array([3, 3]), "platt")
    with pytest.raises(ValueError, match="cannot be calibrated"):
        cross_fitted([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], np.array([0, 0, 1, 1]), "platt")
