"""Two sets of queries: the gap between them and its p by hand, and how many figures are corrected for."""

import math

import numpy as np
import pytest

from groundscope.statistics.exchangeability import likeness


def test_another_population_is_called_different() -> None:
    rng = np.random.default_rng(0)
    found = likeness(rng.normal(0, 1, (60, 2)), rng.normal([0, 1.5], 1, (60, 2)))
    assert found.different
    assert found.distance > 0.4
    assert found.queries == (60, 60)


def test_the_gap_is_counted_by_hand() -> None:
    found = likeness([[0.1], [0.2], [0.3], [0.4]], [[0.35], [0.5], [0.6], [math.nan]])
    assert found.queries == (4, 3)
    assert found.distance == pytest.approx(3 / 4)
    # Of the 35 ways to order 4 and 3 values, those as far apart: counted with every order written out.
    assert found.p == pytest.approx(_by_all_orders(4, 3, 3 / 4))


def _by_all_orders(first: int, second: int, gap: float) -> float:
    from itertools import combinations

    far = total = 0
    for chosen in combinations(range(first + second), first):
        at = np.array([place in chosen for place in range(first + second)])
        gaps = np.abs(np.cumsum(at) / first - np.cumsum(~at) / second)
        far += bool(gaps.max() >= gap - 1e-12)
        total += 1
    return far / total


def test_several_figures_are_corrected_for() -> None:
    one = np.array([[0.1], [0.2], [0.3], [0.4]])
    other = one + 0.25
    assert likeness(np.hstack([one] * 2), np.hstack([other] * 2)).p == pytest.approx(min(1, 2 * likeness(one, other).p))


def test_nothing_to_compare_shows_nothing() -> None:
    for first, second in (((), [[0.1]]), ([[0.1]], [[math.nan]]), ((), ())):
        found = likeness(first, second)
        assert math.isnan(found.p)
        assert not found.different
    with pytest.raises(ValueError, match="same figures"):
        likeness([[0.1]], [[0.1, 0.2]])
