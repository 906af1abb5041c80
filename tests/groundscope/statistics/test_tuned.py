"""The nested bootstrap against one that draws, tunes and reads one pair of draws after the other."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import f1_score

from groundscope.statistics.bootstrap import resamples
from groundscope.statistics.curves import Curve, best, curve
from groundscope.statistics.tuned import Labelled, chosen_thresholds, nested_interval


def made(responses: int, queries: int, seed: int, ways: int = 2, count: int = 30) -> Labelled:
    rng = np.random.default_rng(seed)
    grounded = rng.random(responses) < 0.6
    supports = np.round(np.clip(rng.normal(0.5 + 0.2 * grounded, 0.2, (ways, responses)), 0, 1), 2)
    supports[0, :3] = np.nan
    groups = np.arange(responses) % queries
    return Labelled(supports, grounded, groups, resamples(groups, count, seed))


def macro_f1(labelled: Labelled, way: int, threshold: float, draw: np.ndarray) -> float:
    rows = np.repeat(np.arange(len(labelled.grounded)), draw[labelled.groups])
    support, gold = labelled.supports[way][rows], labelled.grounded[rows]
    # No verdict is a third answer, wrong in both classes.
    said = np.where(np.isnan(support), 2, support >= threshold)
    found: float = f1_score(gold.astype(int), said, labels=[0, 1], average="macro", zero_division=0)
    return found


def tuned(labelled: Labelled, draw: np.ndarray) -> tuple[int, float]:
    options = []
    for way, supports in enumerate(labelled.supports):
        thresholds = curve(supports, labelled.grounded).thresholds
        rated = np.array([macro_f1(labelled, way, t, draw) for t in thresholds])
        options.append((round(float(rated[best(rated)]), 9), way, float(thresholds[best(rated)])))
    value = max(one[0] for one in options)
    return next((way, threshold) for found, way, threshold in options if found == value)


def test_every_draw_of_the_tuning_set_finds_the_threshold_that_tuning_on_it_finds() -> None:
    labelled = made(40, 17, 0)
    assert chosen_thresholds(labelled, Curve.macro_f1) == Counter(tuned(labelled, draw) for draw in labelled.draws)


def test_the_interval_is_that_of_all_pairs_of_draws() -> None:
    tuning, test = made(40, 17, 0, count=12), made(35, 14, 1, count=25)
    rules = [tuned(tuning, draw) for draw in tuning.draws]
    plain = sorted(macro_f1(test, way, threshold, draw) for way, threshold in rules for draw in test.draws)
    found = nested_interval(tuning, test, Curve.macro_f1)
    low, high = np.searchsorted(np.arange(1, 301), [0.025 * 299 + 1, 0.975 * 299 + 1])
    assert (found.low, found.high) == pytest.approx((plain[low], plain[high]), abs=1e-6)


def test_it_is_wider_than_the_interval_given_the_rule_where_little_was_tuned_on() -> None:
    tuning, test = made(20, 10, 3, count=400), made(400, 200, 4, count=400)
    fixed = replace(tuning, draws=np.ones((1, 10), dtype=np.uint8))
    nested, given = nested_interval(tuning, test, Curve.macro_f1), nested_interval(fixed, test, Curve.macro_f1)
    assert nested.high - nested.low > given.high - given.low


def test_other_objectives_choose_other_thresholds() -> None:
    labelled = made(60, 30, 5, ways=1, count=200)
    alike, dear = chosen_thresholds(labelled, lambda c: -c.cost(0.2)), chosen_thresholds(labelled, lambda c: -c.cost(5.0))
    # A missed error that costs five false alarms is worth flagging more.
    assert max(t for _, t in alike) < np.median([t for _, t in dear])


def test_without_any_verdict_on_test_the_f1_is_0() -> None:
    tuning, test = made(40, 17, 0), made(35, 14, 1)
    found = nested_interval(tuning, replace(test, supports=np.full_like(test.supports, np.nan)), Curve.macro_f1)
    assert (found.low, found.high) == (0, 0)


def test_what_cannot_be_said_is_nan() -> None:
    tuning, test = made(40, 17, 0), made(35, 14, 1)
    silent = replace(tuning, supports=np.full_like(tuning.supports, np.nan))
    single = replace(test, groups=np.zeros(35, dtype=int), draws=np.ones((5, 1), dtype=np.uint8))
    assert np.isnan(nested_interval(silent, test, Curve.macro_f1).low)
    assert np.isnan(nested_interval(tuning, single, Curve.macro_f1).low)
    with pytest.raises(ValueError, match="draw from the same"):
        nested_interval(replace(tuning, draws=test.draws), test, Curve.macro_f1)
