"""A calibration shown on responses that it was not fitted on."""

import math

import numpy as np
import pytest

from groundscope.statistics.calibration import How, cross_fitted, ece, fit


def noise(count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Supports that say nothing of the labels; two responses a query."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, count), rng.random(count), np.arange(count) // 2


def test_a_fit_to_noise_shows_its_error_where_it_was_not_fitted() -> None:
    gold, supports, groups = noise(120)
    seen = ece(gold, fit(gold, supports, "isotonic").apply(supports), groups)
    held_out = ece(gold, cross_fitted(gold, supports, groups, "isotonic"), groups)
    assert seen.value < 0.01
    assert held_out.value > 0.05


@pytest.mark.parametrize("how", ["isotonic", "platt"])
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


def test_as_many_folds_as_queries_at_most() -> None:
    gold = np.array([0, 1, 0, 1, 0, 1])
    found = cross_fitted(gold, np.linspace(0, 1, 6), np.array([0, 0, 1, 1, 2, 2]), "platt", folds=10)
    assert not np.isnan(found).any()


def test_too_little_to_divide_is_refused_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="folds must be at least 2, got 1"):
        cross_fitted([0, 1], [0.1, 0.9], np.array([0, 1]), "platt", folds=1)
    with pytest.raises(ValueError, match="fewer than two queries"):
        cross_fitted([0, 1], [0.1, 0.9], np.array([3, 3]), "platt")
    with pytest.raises(ValueError, match="cannot be calibrated"):
        cross_fitted([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9], np.array([0, 0, 1, 1]), "platt")
