"""The bootstrap over queries against one written out by hand, what must hold of any, and its AUROC: better than chance or not."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from groundscope.statistics import bootstrap, metrics
from groundscope.statistics.bootstrap import (
    Draws,
    Interval,
    NormalDraws,
    by_group,
    drawn_queries,
    group_codes,
    intervals_of_many,
    limits,
    named_intervals,
    resampled_scores,
    resampled_sums,
    resamples,
    widened,
)
from groundscope.statistics.chance import AurocEstimate, auroc_with_interval
from groundscope.statistics.metrics import NAMES, Labels, auroc, cells, confusion, scores
from tests.loops import each


def made_up(seed: int, count: int) -> tuple[Labels, Labels, list[str]]:
    """Labels, verdicts that are right 7 times in 10 with some missing, and about four responses a query."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, count).astype(np.int8)
    said = np.where(rng.random(count) < 0.7, gold, 1 - gold)
    said[rng.random(count) < 0.1] = -1
    return gold, said.astype(np.int8), [f"q{i}" for i in rng.integers(0, count // 4, count)]


def intervals(table: Labels, groups: Sequence[str], draws: Draws) -> dict[str, Interval]:
    return named_intervals(intervals_of_many(table[None], groups, draws)[0])


def by_hand(gold: Labels, said: Labels, groups: Sequence[str], draw: NDArray[np.uint8]) -> list[float]:
    """The scores of one resample: every drawn query's responses written out as often as it is drawn."""
    names = list(dict.fromkeys(groups))
    rows = [i for n, name in zip(draw, names, strict=True) for _ in range(n) for i, g in enumerate(groups) if g == name]
    found = scores(confusion(gold[rows], said[rows]))
    return [getattr(found, name) for name in NAMES]


# Of the second set some resamples lack a class: these are left out of the intervals that need it.
FEW = np.array([1, 1, 1, 0], dtype=np.int8), np.array([1, 0, 1, 0], dtype=np.int8), ["a", "b", "c", "d"]


@pytest.mark.parametrize(("gold", "said", "groups"), [made_up(1, 60), FEW], ids=["many", "few"])
def test_a_resample_has_the_scores_of_its_drawn_queries_and_intervals_are_their_percentiles(
    gold: Labels, said: Labels, groups: list[str]
) -> None:
    draws = resamples(groups, count=200, seed=3)
    expected = np.array([by_hand(gold, said, groups, draw) for draw in draws])
    assert np.isnan(expected).any() == (len(gold) == 4)
    np.testing.assert_allclose(resampled_scores(cells(gold, said)[None], groups, draws)[0], expected, rtol=1e-12)
    assert not np.array_equal(draws, resamples(groups, count=200, seed=4))
    found = intervals(cells(gold, said), groups, draws)
    for i, name in enumerate(NAMES):
        low, high = np.nanpercentile(expected[:, i], [2.5, 97.5])
        # Where no resample differs, the interval is not theirs: see below.
        if low < high:
            assert (found[name].low, found[name].high) == pytest.approx((low, high))


def test_every_query_is_drawn_as_often_as_chance_has_it() -> None:
    from scipy import stats

    draws = resamples(np.arange(50), count=4_000, seed=1)
    assert draws.shape == (4_000, 50)
    assert (draws.sum(axis=1, dtype=int) == 50).all()
    # How often one query is drawn is binomial(50, 1/50).
    seen = np.bincount(draws.ravel(), minlength=51)[:6] / draws.size
    assert seen == pytest.approx(stats.binom.pmf(np.arange(6), 50, 1 / 50), abs=0.005)
    assert draws.mean(axis=0) == pytest.approx(np.ones(50), abs=0.1)


def test_draws_and_sums_do_not_depend_on_how_many_are_worked_on_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, said, groups = made_up(2, 200)
    draws = resamples(groups)
    whole = resampled_scores(cells(gold, said)[None], groups, draws)
    monkeypatch.setattr(bootstrap, "_BLOCK", 170)
    np.testing.assert_array_equal(resamples(groups), draws)
    np.testing.assert_array_equal(resampled_scores(cells(gold, said)[None], groups, draws), whole)


@each("largest", [1, 1_000, 10_000_000, 10_000_000_000])
def test_sums_of_whole_numbers_are_exact_however_large(largest: int) -> None:
    rng = np.random.default_rng(4)
    sums = rng.integers(0, largest, (40, 3), endpoint=True)
    draws = resamples(np.arange(40), count=30)
    np.testing.assert_array_equal(resampled_sums(draws, sums), draws.astype(np.int64) @ sums)


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.integers(0, 9)), max_size=30))
def test_queries_are_summed_in_the_order_of_first_appearance(rows: list[tuple[str, int]]) -> None:
    groups, values = [g for g, _ in rows], [[v, 1] for _, v in rows]
    expected = [[sum(v for g, v in rows if g == name), groups.count(name)] for name in dict.fromkeys(groups)]
    found = by_group(np.array(values, dtype=int).reshape(-1, 2), groups)
    assert found.tolist() == expected
    assert found.dtype.kind == "i"


@given(st.lists(st.integers(0, 9), max_size=30))
def test_texts_and_numbers_name_the_same_queries(numbers: list[int]) -> None:
    texts = group_codes([f"query {n}" for n in numbers])
    for largest in (1, 1_000_000):
        assert group_codes(np.array(numbers, dtype=np.int32) * largest).tolist() == texts.tolist()
    assert texts.tolist() == [list(dict.fromkeys(numbers)).index(n) for n in numbers]


def test_several_methods_at_once_are_each_as_alone() -> None:
    gold, said, groups = made_up(7, 120)
    tables = np.stack([cells(gold, said), cells(gold, gold), cells(gold, np.full(120, -1)), cells(gold, 1 - gold)])
    draws = resamples(groups, count=500)
    together = intervals_of_many(tables, groups, draws)
    assert together.shape == (4, 7, 2)
    for table, found in zip(tables, together, strict=True):
        alone = intervals(table, groups, draws)
        np.testing.assert_array_equal(found, [[alone[name].low, alone[name].high] for name in NAMES])
    # Always right, never a verdict: Wilson's interval for none in error, n / (n + 1.96²), of the queries that a score is of.
    queries = [len({g for g, y in zip(groups, gold, strict=True) if y in of}) for of in ((1,), (0,), (0, 1))]
    of_score = np.array([min(queries)] * 3 + [queries[2], queries[1], queries[1], queries[2]])
    edge = of_score / (of_score + 1.959964**2)
    np.testing.assert_allclose(together[1], np.stack([edge, np.ones(7)], axis=-1), atol=1e-6)
    np.testing.assert_allclose(together[2], np.stack([np.zeros(7), 1 - edge], axis=-1), atol=1e-6)


def test_a_perfect_score_of_few_queries_is_not_certain() -> None:
    # Wilson's interval of 10 of 10 begins at 72 %, of 0 of 10 it ends at 28 %; other intervals stay.
    ends = widened([[1.0, 1.0], [0.0, 0.0], [0.4, 1.0], [np.nan, np.nan]], [10, 10, 10, 10])
    np.testing.assert_allclose(ends, [[0.7225, 1], [0, 0.2775], [0.4, 1], [np.nan, np.nan]], atol=1e-4)
    # A perfect ranking of 3 and 3 comes by chance once in 20 times, of 4 and 4 once in 70.
    for each_class, shown in ((3, False), (4, True)):
        gold = [0] * each_class + [1] * each_class
        found = auroc_with_interval(gold, np.arange(len(gold)) / 10, [f"q{i}" for i in range(len(gold))])
        assert (found.auroc, found.better_than_chance) == (1.0, shown)


def test_one_query_says_nothing_of_others_and_neither_does_none() -> None:
    one = intervals(cells([1, 0], [1, 1]), ["q", "q"], resamples(["q", "q"]))
    none = intervals(cells([], []), [], resamples([]))
    assert all(math.isnan(i.low) and math.isnan(i.high) for i in (*one.values(), *none.values()))
    assert resamples([]).shape == (2_000, 0)
    assert intervals_of_many(np.empty((0, 2, 6)), ["a", "b"], resamples(["a", "b"])).shape == (0, 7, 2)
    assert np.isnan(limits(np.empty((0, 3)), 5)).all()


def test_what_does_not_belong_together_is_refused() -> None:
    table = cells([1, 0], [1, 1])
    with pytest.raises(ValueError, match="resamples are of 3 queries and the responses of 2"):
        intervals(table, ["a", "b"], resamples(["a", "b", "c"]))
    with pytest.raises(ValueError, match="a query for every response, got 1 for 2"):
        intervals(table, ["a"], resamples(["a"]))
    for groups in (["a", None], np.array([0, -1])):
        with pytest.raises(ValueError, match="every response needs a query"):
            resamples(groups)  # type: ignore[arg-type]


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


def test_the_area_of_many_is_that_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    gold, supports = rng.integers(0, 2, 5_000), rng.integers(0, 50, 5_000) / 50
    monkeypatch.setattr(metrics, "_MANY", 10)
    assert auroc(gold, supports) == pytest.approx(roc_auc_score(gold == 0, -supports), abs=1e-12)
    assert np.isnan(auroc(np.ones(20), supports[:20]))


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
