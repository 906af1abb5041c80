"""The swap test: p by enumeration with fractions, its exact level, and differences that are allowed."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundscope.statistics.swaps import share_change

Side = list[tuple[int, int]]


def enumerated(now: Side, before: Side, allowed: Fraction = Fraction(0)) -> Fraction:
    """p with exact arithmetic: the share of all swaps that make the difference at least as large."""
    lowered = [(Fraction(x) - allowed * n, n) for x, n in now]

    def difference(pairs: list[tuple[tuple[Fraction, int], tuple[Fraction, int]]]) -> Fraction:
        ours, theirs = zip(*pairs, strict=True)
        return sum(x for x, _ in ours) / sum(n for _, n in ours) - sum(x for x, _ in theirs) / sum(n for _, n in theirs)

    pairs = list(zip(lowered, [(Fraction(x), n) for x, n in before], strict=True))
    seen = difference(pairs)
    swaps = list(product((False, True), repeat=len(pairs)))
    larger = sum(difference([(b, a) if s else (a, b) for (a, b), s in zip(pairs, swap, strict=True)]) >= seen for swap in swaps)
    return Fraction(larger, len(swaps))


def test_three_queries_that_all_became_worse_have_a_p_of_an_eighth() -> None:
    found = share_change([(1, 2), (1, 2), (0, 2), (1, 1)], [(0, 2), (0, 2), (0, 2), (0, 1)])
    assert (found.now, found.before, found.difference) == (3 / 7, 0.0, 3 / 7)
    assert (found.p, found.least_p, found.queries) == (1 / 8, 1 / 8, 4)


@pytest.mark.parametrize("allowed", [Fraction(0), Fraction(1, 10), Fraction(1, 2)])
def test_p_is_that_of_all_swaps_also_where_answers_have_other_numbers_of_sentences(allowed: Fraction) -> None:
    now: Side = [(2, 3), (1, 4), (0, 2), (3, 3), (1, 5), (0, 1)]
    before: Side = [(1, 4), (1, 3), (1, 2), (0, 2), (0, 5), (0, 2)]
    assert share_change(now, before, float(allowed)).p == pytest.approx(float(enumerated(now, before, allowed)))


def test_many_queries_are_swapped_at_random_and_come_near_the_enumeration() -> None:
    rng = np.random.default_rng(3)
    of = rng.integers(1, 4, (16, 2))
    wrong = rng.binomial(of, (0.4, 0.2))
    now, before = (list(zip(wrong[:, j].tolist(), of[:, j].tolist(), strict=True)) for j in (0, 1))
    found, exact = share_change(now, before), float(enumerated(now, before))
    assert 0.01 < exact < 0.5
    # Four standard errors of 20,000 draws.
    assert abs(found.p - exact) < 4 * (exact * (1 - exact) / 20_000) ** 0.5


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1), st.integers(0, 1)), min_size=3, max_size=6))
@settings(max_examples=20)
def test_without_a_change_the_level_is_kept_exactly(rows: list[tuple[int, int, int, int]]) -> None:
    """Over all swaps of a set, which are equally likely where nothing changed, p is at most 0.05 in at most 5 %, and so on."""
    sides = [((a, a + x + 1), (b, b + y + 1)) for a, b, x, y in rows]
    found = []
    for swap in product((False, True), repeat=len(sides)):
        pairs = [(b, a) if s else (a, b) for (a, b), s in zip(sides, swap, strict=True)]
        found.append(share_change([a for a, _ in pairs], [b for _, b in pairs]).p)
    for level in (0.05, 0.125, 0.25, 0.5):
        assert np.mean(np.array(found) <= level + 1e-12) <= level


def test_an_allowed_difference_is_no_fault() -> None:
    now, before = [(1, 10)] * 40, [(0, 10)] * 40
    assert share_change(now, before).p < 0.001
    assert share_change(now, before, 0.05).p < 0.001
    assert share_change(now, before, 0.2).p > 0.999


def test_the_interval_holds_the_difference_and_is_none_for_one_query() -> None:
    rng = np.random.default_rng(0)
    now, before = (np.column_stack([rng.binomial(5, p, 80), np.full(80, 5)]) for p in (0.3, 0.1))
    found = share_change(now, before)
    assert found.interval.low < found.difference < found.interval.high
    assert found.interval.low > 0
    assert np.isnan(share_change([(1, 2)], [(0, 2)]).interval.low)


def test_nothing_to_count_is_no_difference_and_nonsense_is_refused() -> None:
    found = share_change([(0, 0)], [(0, 3)])
    assert (found.p, np.isnan(found.difference)) == (1.0, True)
    assert share_change([(1, 3), (0, 2)], [(1, 3), (0, 2)]).p == 1.0
    with pytest.raises(ValueError, match="need the same queries on both sides, got 1 and 2"):
        share_change([(0, 1)], [(0, 1), (0, 1)])
    with pytest.raises(ValueError, match="must lie between 0 and"):
        share_change([(2, 1)], [(0, 1)])
