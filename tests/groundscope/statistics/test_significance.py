"""Wilson and Holm against scipy and their definitions; all pairs against each alone; whether two sets are alike."""

import math
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.statistics.bootstrap import resamples
from groundscope.statistics.exchangeability import likeness
from groundscope.statistics.metrics import Labels, cells, confusion, scores
from groundscope.statistics.significance import chances, clustered_wilson, compare_all, holm, share_change, wilson
from tests.groundscope.statistics.paired import paired


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_scipys_and_holds_the_share(pair: tuple[int, int]) -> None:
    from scipy import stats

    successes, total = pair
    found = wilson(successes, total)
    expected = stats.binomtest(successes, total).proportion_ci(0.95, method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert 0 <= found.low <= successes / total + 1e-12
    assert successes / total - 1e-12 <= found.high <= 1


def test_trials_in_groups_count_as_fewer_by_statsmodels_cluster_robust_variance() -> None:
    from statsmodels.regression.linear_model import OLS

    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 9, 40)
    groups = np.repeat(np.arange(40), sizes)
    ends = (rng.random(len(groups)) < np.repeat(rng.beta(0.4, 0.6, 40), sizes)).astype(float)
    fitted = OLS(ends, np.ones(len(ends))).fit(cov_type="cluster", cov_kwds={"groups": groups})
    share, variance = ends.mean(), float(fitted.cov_params()[0, 0])
    effective = share * (1 - share) / variance
    assert effective < len(ends)
    found = clustered_wilson(np.bincount(groups, ends), sizes)
    expected = wilson(share * effective, effective)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_groups_that_all_end_alike_count_as_one_trial_each() -> None:
    assert clustered_wilson([0] * 5, [40] * 5) == wilson(0, 5)
    assert clustered_wilson([3, 0, 3], [3, 0, 3]) == wilson(2, 2)
    assert math.isnan(clustered_wilson([1], [4]).low)
    assert math.isnan(clustered_wilson([], []).low)


def test_a_share_of_nothing_has_no_interval_and_impossible_counts_are_refused() -> None:
    assert math.isnan(wilson(0, 0).low)
    assert math.isnan(wilson(0, 0).high)
    for successes, total in ((3, 2), (-1, 2), (0, -1)):
        with pytest.raises(ValueError, match=f"got {successes} of {total}"):
            wilson(successes, total)


TRIPLES = st.lists(st.tuples(st.integers(0, 1), st.integers(-1, 1), st.integers(-1, 1)), max_size=80)


P_VALUES = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.05, 0.5, 1.0]), min_size=1, max_size=20)


@given(P_VALUES)
def test_holm_is_its_definition_keeps_the_order_and_never_lowers_a_p(p_values: list[float]) -> None:
    found = holm(p_values)
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    reached = 0.0
    for rank, i in enumerate(order):
        reached = max(reached, min(1.0, (len(order) - rank) * p_values[i]))
        assert found[i] == pytest.approx(reached)
        assert p_values[i] <= found[i] <= 1
    assert all(found[a] <= found[b] for a, b in pairwise(order))


def methods(seed: int, count: int, shares: list[float]) -> tuple[Labels, Labels, list[str]]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, count).astype(np.int8)
    rows = [np.where(rng.random(count) < share, gold, rng.integers(-1, 2, count)) for share in shares]
    return gold, np.array(rows, dtype=np.int8), [f"q{i}" for i in rng.integers(0, count // 3, count)]


def test_each_pair_of_all_is_as_that_pair_alone() -> None:
    gold, said, groups = methods(1, 150, [0.2, 0.5, 0.55, 0.9])
    draws = resamples(groups, count=300)
    found = compare_all(gold, said, groups, draws)
    assert [(d.first, d.second) for d in found] == list(combinations(range(4), 2))
    for d in found:
        alone = paired(cells(gold, said[d.first]), cells(gold, said[d.second]), groups, draws)
        assert d.macro_f1 == pytest.approx(alone.difference)
        assert (d.interval.low, d.interval.high) == pytest.approx((alone.interval.low, alone.interval.high))
        assert d.macro_f1 == pytest.approx(
            scores(confusion(gold, said[d.first])).macro_f1 - scores(confusion(gold, said[d.second])).macro_f1
        )
        assert d.p <= d.adjusted_p
    # The best of them differs from the worst beyond doubt, the two middle ones do not.
    by_pair = {(d.first, d.second): d for d in found}
    assert by_pair[0, 3].adjusted_p == pytest.approx(1 / 301)
    assert by_pair[0, 3].interval.high < 0
    assert by_pair[1, 2].adjusted_p > 0.05


def by_hand(differences: list[float], drawn: np.ndarray) -> tuple[list[float], list[float]]:
    """p alone, and step by step over what is not yet rejected, written as Romano and Wolf 2016 state them."""
    error, count = drawn.std(axis=0), len(drawn)
    sizes = [abs(d) / e for d, e in zip(differences, error, strict=True)]
    noise = abs(drawn - differences) / error
    alone = [(1 + sum(noise[b, k] >= sizes[k] for b in range(count))) / (count + 1) for k in range(len(sizes))]
    adjusted, reached, left = [0.0] * len(sizes), 0.0, set(range(len(sizes)))
    while left:
        k = max(left, key=sizes.__getitem__)
        reached = max(reached, (1 + sum(max(noise[b, j] for j in left) >= sizes[k] for b in range(count))) / (count + 1))
        adjusted[k] = reached
        left.remove(k)
    return alone, adjusted


def test_p_is_that_of_the_step_down_written_out() -> None:
    rng = np.random.default_rng(4)
    differences = [0.3, -0.02, 0.15, 0.0]
    drawn = differences + rng.multivariate_normal(np.zeros(4), 0.01 * (0.5 + 0.5 * np.eye(4)), 200)
    alone, adjusted = by_hand(differences, drawn)
    p = chances(differences, drawn, 10**9)
    assert p[0].tolist() == pytest.approx(alone)
    assert p[1].tolist() == pytest.approx(adjusted)


def test_of_equal_methods_even_one_differs_in_about_five_of_a_hundred_comparisons() -> None:
    rng, false = np.random.default_rng(11), 0
    queries = np.repeat(np.arange(60), 3)
    for seed in range(200):
        gold = rng.integers(0, 2, 180)
        # Three answers to one question tend to be judged alike, which McNemar's test would not allow.
        right = np.repeat(rng.random((4, 60)) < 0.7, 3, axis=1) ^ (rng.random((4, 180)) < 0.1)
        compared = compare_all(gold, np.where(right, gold, 1 - gold), queries, resamples(queries, 300, seed))
        false += any(d.adjusted_p < 0.05 for d in compared)
    # 200 comparisons at 5 %: 10 are expected, 19 or more would come by chance once in 200.
    assert false < 19


def test_equal_methods_and_methods_without_a_verdict_do_not_differ() -> None:
    gold, said, groups = methods(2, 60, [0.5])
    none = np.full(60, -1)
    found = compare_all(gold, [said[0], said[0], none, none], groups, resamples(groups, 100))
    same = {(d.first, d.second): d for d in found}
    for pair in ((0, 1), (2, 3)):
        assert (same[pair].macro_f1, same[pair].p, same[pair].adjusted_p) == (0.0, 1.0, 1.0)
        assert (same[pair].interval.low, same[pair].interval.high) == (0.0, 0.0)
    assert same[0, 2].macro_f1 == pytest.approx(scores(confusion(gold, said[0])).macro_f1)


def test_with_one_class_only_nothing_is_compared() -> None:
    (found,) = compare_all([1] * 6, [[1] * 6, [0] * 6], [*"abcdef"], resamples([*"abcdef"], 50))
    assert math.isnan(found.macro_f1)
    assert math.isnan(found.interval.low)
    assert found.p == 1


def test_verdicts_of_other_responses_are_refused() -> None:
    with pytest.raises(ValueError, match="as many verdicts as labels"):
        compare_all([1, 0], [[1], [0]], ["a", "b"], resamples(["a", "b"], 10))
    with pytest.raises(ValueError, match="leave unlabelled responses out"):
        compare_all([1, -1], [[1, 1], [1, 0]], ["a", "b"], resamples(["a", "b"], 10))


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


@given(
    st.lists(st.tuples(*[st.tuples(st.integers(0, 2), st.integers(0, 2))] * 2), min_size=2, max_size=6),
    st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 2)]),
)
def test_p_is_that_of_all_swaps_also_where_answers_have_other_numbers_of_sentences(
    rows: list[tuple[tuple[int, int], tuple[int, int]]], allowed: Fraction
) -> None:
    now, before = ([(wrong, wrong + right + 1) for wrong, right in side] for side in zip(*rows, strict=True))
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
