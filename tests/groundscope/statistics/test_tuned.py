"""The nested bootstrap against one that draws, tunes and reads one pair of draws after the other."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import f1_score

from groundscope.statistics.bootstrap import resampled_scores, resamples
from groundscope.statistics.curves import Curve, best, curve
from groundscope.statistics.metrics import NAMES, called, cells
from groundscope.statistics.tuned import Labelled, choices, nested_interval, nested_scores


def made(responses: int, queries: int, seed: int, ways: int = 2, count: int = 10) -> Labelled:
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
    assert choices(labelled, Curve.macro_f1).counted() == Counter(tuned(labelled, draw) for draw in labelled.draws)


def test_the_interval_is_that_of_all_pairs_of_draws() -> None:
    tuning, test = made(40, 17, 0, count=12), made(35, 14, 1, count=25)
    rules = [tuned(tuning, draw) for draw in tuning.draws]
    plain = sorted(macro_f1(test, way, threshold, draw) for way, threshold in rules for draw in test.draws)
    found = nested_interval(choices(tuning, Curve.macro_f1), test)
    low, high = np.searchsorted(np.arange(1, 301), [0.025 * 299 + 1, 0.975 * 299 + 1])
    assert (found.low, found.high) == pytest.approx((plain[low], plain[high]), abs=1e-6)


def test_other_objectives_choose_other_thresholds() -> None:
    labelled = made(60, 30, 5, ways=1, count=200)
    alike, dear = (choices(labelled, lambda c, m=m: -c.cost(m)).counted() for m in (0.2, 5.0))
    # A missed error that costs five false alarms is worth flagging more.
    assert max(t for _, t in alike) < np.median([t for _, t in dear])


def test_without_any_verdict_on_test_the_f1_is_0() -> None:
    tuning, test = made(40, 17, 0), made(35, 14, 1)
    silent = replace(test, supports=np.full_like(test.supports, np.nan))
    found = nested_interval(choices(tuning, Curve.macro_f1), silent)
    # 0 of the queries of the rarer class, 9: Wilson's interval.
    assert (found.low, found.high) == (0, pytest.approx(1 - 9 / (9 + 1.96**2), abs=1e-4))


def test_each_draw_of_test_is_read_under_the_rule_of_the_same_draw_of_tuning() -> None:
    tuning, test = made(40, 17, 0, count=25), made(35, 14, 1, count=25)
    rules = [tuned(tuning, draw) for draw in tuning.draws]
    plain = [macro_f1(test, *rule, draw) for rule, draw in zip(rules, test.draws, strict=True)]
    assert nested_scores(choices(tuning, Curve.macro_f1), test) == pytest.approx(plain, abs=1e-6)


def test_under_one_rule_the_scores_are_those_of_the_plain_bootstrap_also_where_a_class_is_not_drawn() -> None:
    tuning, test = made(40, 17, 0, ways=1), made(9, 4, 6, ways=1, count=200)
    fixed = replace(tuning, draws=np.ones((200, 17), dtype=np.uint8))
    chosen = choices(fixed, Curve.macro_f1)
    table = cells(test.grounded.astype(int), called(test.supports[0], float(chosen.threshold[0])))
    plain = resampled_scores(table[None], test.groups, test.draws)[0, :, NAMES.index("macro_f1")]
    assert np.isnan(plain).any()
    assert nested_scores(chosen, test) == pytest.approx(plain, abs=1e-6, nan_ok=True)


def test_what_cannot_be_said_is_nan() -> None:
    tuning, test = made(40, 17, 0), made(35, 14, 1)
    silent = replace(tuning, supports=np.full_like(tuning.supports, np.nan))
    single = replace(test, groups=np.zeros(35, dtype=int), draws=np.ones((5, 1), dtype=np.uint8))
    assert np.isnan(nested_interval(choices(silent, Curve.macro_f1), test).low)
    assert np.isnan(nested_interval(choices(tuning, Curve.macro_f1), single).low)
    with pytest.raises(ValueError, match="draw from the same"):
        choices(replace(tuning, draws=test.draws), Curve.macro_f1)
    with pytest.raises(ValueError, match="a choice for every draw, got 10 for 12"):
        nested_scores(choices(tuning, Curve.macro_f1), made(35, 14, 1, count=12))
