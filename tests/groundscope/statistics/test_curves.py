"""Counts at every threshold against brute force from the definitions."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundscope.statistics.curves import best, curve
from groundscope.statistics.metrics import NAMES, score_arrays

NAN = math.nan
EIGHTHS = st.integers(0, 8).map(lambda n: n / 8)
# Ties, holes, and any float at all, neighbouring ones among them.
SUPPORTS = st.one_of(EIGHTHS, st.just(NAN), st.floats(0, 1, allow_subnormal=False))
LABELLED = st.lists(st.tuples(SUPPORTS, st.booleans()), min_size=1, max_size=30).filter(
    lambda pairs: not all(math.isnan(s) for s, _ in pairs)
)


def counted(pairs: Sequence[tuple[float, bool]], threshold: float) -> tuple[int, ...]:
    """The confusion table by looking at one response after the other."""
    table = [0] * 6
    for support, grounded in pairs:
        if math.isnan(support):
            table[2 if grounded else 5] += 1
        else:
            called = support >= threshold
            table[(0 if grounded else 3) + (called != grounded)] += 1
    return tuple(table)


def macro_f1(table: Sequence[int]) -> float:
    """The mean of both classes' 2TP / (2TP + FP + FN), no verdict among the FN; 0 where that is 0/0."""
    right, wrong, none, other_right, other_wrong, other_none = table
    bottoms = 2 * right + other_wrong + wrong + none, 2 * other_right + wrong + other_wrong + other_none
    return sum(2 * hits / bottom for hits, bottom in zip((right, other_right), bottoms, strict=True) if bottom) / 2


def of(pairs: Sequence[tuple[float, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([s for s, _ in pairs], dtype=float), np.array([g for _, g in pairs], dtype=bool)


@given(LABELLED)
@example([(0.5, True), (float(np.nextafter(0.5, 1)), False)])
@example([(float(np.nextafter(0.5, 0)), False), (0.5, True), (float(np.nextafter(0.5, 1)), False)])
def test_every_candidate_has_the_counts_of_its_threshold_and_none_is_left_out(pairs: list[tuple[float, bool]]) -> None:
    found = curve(*of(pairs))
    tables = [tuple(table) for table in found.tables()]
    assert tables == [counted(pairs, threshold) for threshold in found.thresholds]
    known = sorted(s for s, _ in pairs if not math.isnan(s))
    everywhere = [-1.0, 2.0, *known, *(float(np.nextafter(s, 2)) for s in known)]
    assert {counted(pairs, t) for t in everywhere} == set(tables)


@given(LABELLED)
def test_macro_f1_and_cost_are_those_of_the_definitions(pairs: list[tuple[float, bool]]) -> None:
    found = curve(*of(pairs))
    tables = [counted(pairs, t) for t in found.thresholds]
    assert found.macro_f1() == pytest.approx([macro_f1(t) for t in tables])
    costs = [(wrong + none + 2.5 * (missed + other_none)) / len(pairs) for _, wrong, none, _, missed, other_none in tables]
    assert found.cost(2.5) == pytest.approx(costs)
    if len({g for _, g in pairs}) == 2:
        assert found.macro_f1() == pytest.approx(score_arrays(found.tables())[:, NAMES.index("macro_f1")])


def test_of_equal_neighbours_the_middle_and_of_equal_runs_the_lowest() -> None:
    assert best(np.array([0.1, 0.9, 0.9, 0.9, 0.1])) == 2
    assert best(np.array([0.9, 0.1, 0.9, 0.9])) == 0
    assert best(np.array([0.2])) == 0


def test_a_threshold_found_by_hand() -> None:
    # Between 0.3 (ungrounded) and 0.7 (grounded) everything is right: the midpoint, macro-F1 1.
    found = curve(np.array([0.1, 0.9, 0.3, 0.7]), np.array([False, True, False, True]))
    at = best(found.macro_f1())
    assert (found.thresholds[at], found.macro_f1()[at]) == (pytest.approx(0.5), 1.0)


def test_one_response_of_very_many_is_not_taken_for_a_tie() -> None:
    # A quarter of a million responses: one more right moves the cost by 4e-6.
    assert best(np.array([-0.5, -0.5 + 4e-6, -0.5])) == 1


def test_nothing_to_count_is_refused() -> None:
    with pytest.raises(ValueError, match="as many labels as supports, got 2 and 1"):
        curve(np.array([0.5]), np.array([True, False]))
    for count in (0, 2):
        with pytest.raises(ValueError, match="no response has a support"):
            curve(np.full(count, NAN), np.ones(count, dtype=bool))
