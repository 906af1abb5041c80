"""Power against a plain simulation, and what must hold of it."""

import math

import numpy as np
import pytest

from groundscope.statistics.bootstrap import resampled_scores, resamples
from groundscope.statistics.metrics import NAMES, cells, score_arrays
from groundscope.statistics.power import PowerCurve, power_curve

F1 = NAMES.index("macro_f1")


def made(responses: int, queries: int, right: tuple[float, float], seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    gold, groups = rng.integers(0, 2, responses), np.arange(responses) % queries
    said = [np.where(rng.random(responses) < share, gold, 1 - gold) for share in right]
    return cells(gold, said[0]), cells(gold, said[1]), groups


def test_the_power_is_that_of_sets_which_are_drawn_and_tested_one_by_one() -> None:
    first, second, groups = made(240, 80, (0.8, 0.68))
    found = power_curve(first, second, groups, [80])
    rng, shown = np.random.default_rng(1), 0
    for i in range(200):
        picked = rng.integers(0, 80, 80)
        rows = np.concatenate([np.flatnonzero(groups == q) for q in picked])
        names = np.repeat(np.arange(80), 3)
        draws = resamples(names, 200, i)
        drawn = resampled_scores(np.stack([first[rows], second[rows]]), names, draws)[:, :, F1]
        shown += np.quantile(drawn[0] - drawn[1], 0.025) > 0
    # 200 sets: a standard error of 0.035; the bootstrap's interval is not the standard error's.
    assert found.power[0] == pytest.approx(shown / 200, abs=0.12)


def test_the_difference_is_that_of_the_metrics() -> None:
    first, second, groups = made(600, 200, (0.8, 0.7))
    found = power_curve(first, second, groups, [200])
    expected = score_arrays(np.stack([first.sum(axis=0), second.sum(axis=0)]))[:, F1]
    assert found.difference == pytest.approx(expected[0] - expected[1])
    assert found.responses.tolist() == [600]


@pytest.mark.parametrize("turned", [False, True])
def test_power_grows_with_the_set_and_does_not_depend_on_who_stands_first(turned: bool) -> None:
    first, second, groups = made(300, 100, (0.8, 0.7))
    if turned:
        first, second = second, first
    found = power_curve(first, second, groups, [20, 80, 320, 1_280])
    assert (np.diff(found.power) > 0).all()
    assert found.power[-1] > 0.99
    assert (found.difference < 0) is turned


def test_methods_that_do_not_differ_are_shown_to_differ_as_often_as_chance_allows() -> None:
    first, second, groups = made(3_000, 1_000, (0.7, 0.7), seed=4)
    # Both methods' calls exchanged on the second half of the responses: neither is ahead by construction.
    both = np.concatenate([first, second]), np.concatenate([second, first])
    nearly = both[0].copy()
    nearly[0] = [1, 0, 0, 0, 0, 0]
    found = power_curve(nearly, both[1], np.concatenate([groups, groups + 1_000]), [300], count=4_000)
    assert abs(found.difference) < 0.001
    assert found.power[0] == pytest.approx(0.025, abs=0.015)


def test_the_same_f1_has_no_power_and_one_class_no_difference() -> None:
    first, _, groups = made(60, 20, (0.7, 0.7))
    assert power_curve(first, first, groups, [20, 40]).power.tolist() == [0, 0]
    one = cells(np.ones(60, dtype=int), np.arange(60) % 2)
    other = cells(np.ones(60, dtype=int), np.ones(60, dtype=int))
    found = power_curve(one, other, groups, [20])
    assert math.isnan(found.difference)
    assert found.power.tolist() == [0]


def test_how_many_are_enough_lies_between_the_sizes() -> None:
    found = PowerCurve(np.array([10, 40, 160]), np.array([30.0, 120.0, 480.0]), np.array([0.2, 0.6, 0.9]), 0.1)
    assert found.enough(0.9) == pytest.approx(480)
    assert found.enough(0.75) == pytest.approx(240)
    assert found.enough(0.1) == 30
    assert math.isnan(found.enough(0.95))


def test_missing_queries_are_refused() -> None:
    first, second, groups = made(60, 20, (0.7, 0.6))
    with pytest.raises(ValueError, match="a query for every response"):
        power_curve(first, second, groups[:10], [20])
