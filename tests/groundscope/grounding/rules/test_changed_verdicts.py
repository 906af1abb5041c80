"""Which calls a move of the threshold changes, and what one more caught error costs, against brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.grounding.rules.generalization import by_hand, flips, table_at, trade_offs
from groundscope.grounding.tuning import Objective, tune_method
from groundscope.statistics.curves import curve
from groundscope.statistics.metrics import called
from tests.groundscope.grounding.runs import made_cases, made_run
from tests.groundscope.statistics.test_curves import LABELLED, counted, of

THRESHOLDS = st.floats(-0.1, 1.1)


@given(LABELLED, THRESHOLDS, THRESHOLDS)
def test_a_response_flips_where_its_support_lies_between_both_thresholds(
    pairs: list[tuple[float, bool]], first: float, second: float
) -> None:
    supports, grounded = of(pairs)
    rows = np.arange(len(pairs))[::-1]
    found = flips(called(supports, first), called(supports, second), grounded.astype(np.int8), rows)
    low, high = min(first, second), max(first, second)
    assert found.rows.tolist() == [i for i in reversed(range(len(pairs))) if low <= supports[i] < high]
    assert (found.after == int(second < first)).all()
    assert (found.before == 1 - found.after).all()
    assert found.right.tolist() == [bool(grounded[i]) == (second < first) for i in found.rows]


def test_only_the_rows_that_are_asked_for_are_looked_at() -> None:
    before, after = np.array([1, 1, 0, 1], np.int8), np.array([0, 0, 1, -1], np.int8)
    found = flips(before, after, np.array([0, 1, 1, 1], np.int8), np.array([0, 3]))
    assert found.rows.tolist() == [0, 3]
    # A response that loses its verdict is right no more.
    assert found.right.tolist() == [True, False]
    assert found.after.tolist() == [0, -1]


@given(LABELLED, THRESHOLDS)
def test_a_trade_catches_what_it_says_at_the_fewest_false_alarms(pairs: list[tuple[float, bool]], threshold: float) -> None:
    found = curve(*of(pairs))
    _, alarms, _, caught, _, _ = counted(pairs, threshold)
    tables = [counted(pairs, t) for t in found.thresholds]
    for trade in trade_offs(found, caught, alarms, range(-9, 10)):
        there = counted(pairs, trade.threshold)
        assert (there[3] - caught, there[1] - alarms) == trade[1:]
        assert there[1] == min(t[1] for t in tables if t[3] >= there[3])
        assert there[3] == max(t[3] for t in tables if t[1] <= there[1])


def test_trades_by_hand() -> None:
    # By support: error, alarm, alarm, error, error (tied), sound.
    supports = np.array([0.1, 0.2, 0.3, 0.4, 0.4, 0.9])
    grounded = np.array([False, True, True, False, False, True])
    found = curve(supports, grounded)
    # From the first error on: one fewer saves no false alarm; one more brings its twin along.
    caught_one = trade_offs(found, 1, 0, (-1, 1, 2, 3))
    assert [t[1:] for t in caught_one] == [(2, 2)]
    assert caught_one[0].threshold == pytest.approx(0.65)
    # From all three on: two fewer save both false alarms, one alone cannot be given up, and a fourth is not there.
    assert [t[1:] for t in trade_offs(found, 3, 2, (-2, -1, 1))] == [(-2, -2)]


def test_without_errors_there_is_nothing_to_trade() -> None:
    assert trade_offs(curve(np.array([0.1, 0.9]), np.array([True, True])), 0, 0) == []


@pytest.mark.parametrize("objective", [Objective(), Objective(4.0)])
def test_a_threshold_set_by_hand_is_worth_what_it_is_and_says_so(objective: Objective) -> None:
    run = made_run(made_cases(300), 2)
    tuned = tune_method(run, 1, "dev", objective)
    same = by_hand(run, 1, tuned, tuned.rule.threshold, objective)
    assert same.value == pytest.approx(tuned.value)
    moved = by_hand(run, 1, tuned, tuned.rule.threshold + 0.2, objective)
    assert moved.value < tuned.value if objective.missed is None else moved.value > tuned.value
    assert (moved.rule.how, moved.split, moved.responses) == (tuned.rule.how, "dev", tuned.responses)
    assert f"tuning had found {tuned.rule.threshold:.4f}" in moved.warning
    # The table at a threshold is of the tuning split alone.
    pairs = [(float(run.support[1, i]), bool(run.gold[i] == 1)) for i in run.rows("dev")]
    assert table_at(run, 1, tuned, 0.4) == counted(pairs, 0.4)
