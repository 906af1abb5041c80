"""Better than chance: the AUROC as scikit-learn has it, its interval by query, and what is too little to tell."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from groundscope.statistics.bootstrap import Interval, limits, resamples
from groundscope.statistics.chance import AurocEstimate, auroc_with_interval
from tests.loops import each


def _drawn(n: int, queries: int, lift: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    return gold, np.clip(np.round(rng.random(n) + lift * gold, 1), 0, 1), rng.integers(0, queries, n)


def test_the_interval_is_that_of_the_areas_of_resampled_queries() -> None:
    # With ties: supports have one decimal.
    gold, supports, groups = _drawn(240, 12, 0.1)
    found = auroc_with_interval(gold, supports, groups, count=60)
    assert found.auroc == pytest.approx(roc_auc_score(gold, supports))
    first = list(dict.fromkeys(groups.tolist()))
    areas = []
    for draw in resamples(groups, 60):
        rows = np.concatenate([np.repeat(np.flatnonzero(groups == q), draw[k]) for k, q in enumerate(first)])
        areas.append(roc_auc_score(gold[rows], supports[rows]))
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(limits(np.array(areas), 12)))


def test_sentences_without_a_support_are_left_out_with_their_queries() -> None:
    gold, supports, groups = _drawn(200, 20, 0.2)
    holes = supports.copy()
    holes[groups == 3] = np.nan
    kept = groups != 3
    assert auroc_with_interval(gold, holes, groups) == auroc_with_interval(gold[kept], supports[kept], groups[kept])


@each(
    ("gold", "supports"),
    [([], []), ([1, 1], [0.2, 0.4]), ([0, 0], [0.2, 0.4]), ([0, 1], [float("nan")] * 2), ([0, 1], [0.4, 0.4])],
)
def test_what_ranks_nothing_is_no_better_than_chance(gold: list[int], supports: list[float]) -> None:
    found = auroc_with_interval(gold, supports, list(map(str, range(len(gold)))))
    assert not found.better_than_chance
    assert np.isnan(found.auroc) or found.auroc == 0.5


def test_the_lower_end_has_to_lie_above_a_half() -> None:
    assert not AurocEstimate(0.6, Interval(0.5, 0.7)).better_than_chance
    # Many answers to one query do not make a method sure.
    assert not auroc_with_interval(*_drawn(400, 1, 0.5)).better_than_chance
    assert AurocEstimate(0.6, Interval(0.501, 0.7)).better_than_chance


def test_a_query_for_every_support_is_needed() -> None:
    with pytest.raises(ValueError, match="need a query for every support, got 1 for 2"):
        auroc_with_interval([0, 1], [0.1, 0.2], ["a"])
