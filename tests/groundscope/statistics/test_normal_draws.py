"""Sums that are drawn give the intervals that drawn queries give; the area of many responses is scikit-learn's."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from groundscope.statistics import bootstrap, metrics
from groundscope.statistics.bootstrap import NormalDraws, drawn_queries, group_codes, intervals_of_many, resamples
from groundscope.statistics.metrics import auroc, cells


def test_intervals_are_those_of_drawn_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    groups = rng.permutation(np.repeat(np.arange(3_000), 4))
    gold = rng.integers(0, 2, len(groups))
    said = [
        np.where(rng.random(len(groups)) < 0.02, -1, np.where(rng.random(len(groups)) < right, gold, 1 - gold))
        for right in (0.6, 0.8)
    ]
    tables = np.stack([cells(gold, one) for one in said])
    monkeypatch.setattr(bootstrap, "MOST_DRAWN", 2_999)
    made = drawn_queries(groups, 20_000)
    assert isinstance(made, NormalDraws)
    drawn, queries = (intervals_of_many(tables, groups, draws) for draws in (made, resamples(groups, 20_000)))
    width = queries[..., 1] - queries[..., 0]
    assert np.abs(drawn - queries).max() < 0.06 * width.max()
    assert isinstance(drawn_queries(groups[groups < 2_999]), np.ndarray)


def test_queries_are_numbered_in_their_order_however_large_their_codes() -> None:
    groups = np.array([7, 2, 7, 0, 2, 9])
    assert group_codes(groups).tolist() == group_codes(groups * 1_000_000).tolist() == [0, 1, 0, 2, 1, 3]


def test_the_area_of_many_is_that_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    gold, supports = rng.integers(0, 2, 5_000), rng.integers(0, 50, 5_000) / 50
    monkeypatch.setattr(metrics, "_MANY", 10)
    assert auroc(gold, supports) == pytest.approx(roc_auc_score(gold == 0, -supports), abs=1e-12)
    assert np.isnan(auroc(np.ones(20), supports[:20]))
