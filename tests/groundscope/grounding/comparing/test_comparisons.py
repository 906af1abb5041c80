"""Who is better than whom, in words and in two runs, joined by method and by case; agreement of methods, and hard cases."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.grounding.comparing.comparisons import Pairs, agreement, apart, hardness, p_words, pairs, words
from groundscope.grounding.comparing.two_runs import RunSide, TwoRuns, two_runs
from groundscope.grounding.rules.generalization import retuned
from groundscope.grounding.runs.arrays import Bytes, RunData
from groundscope.grounding.tuning import starting_rules, verdicts
from groundscope.statistics.bootstrap import Interval, drawn_queries, resampled_scores, resamples
from groundscope.statistics.metrics import NAMES, cells, confusion, scores
from groundscope.statistics.significance import MetricDifference, chances
from tests.groundscope.grounding.runs import decided, made_cases, made_run, pending
from tests.groundscope.statistics.paired import paired
from tests.loops import each

TITLES = ["A", "B", "C", "D"]


@pytest.fixture(scope="module")
def run() -> RunData:
    return made_run(made_cases(600), 4, seed=3)


def compare(run: RunData, **more: object) -> Pairs:
    rules = starting_rules(run)
    return pairs(run, verdicts(run, rules), rules, run.rows("test"), **more)  # type: ignore[arg-type]


def test_the_better_one_stands_first_with_the_interval_turned_with_it(run: RunData) -> None:
    found = compare(run)
    assert found.methods == (0, 1, 2, 3)
    assert len(found.differences) == 6
    for d in found.differences:
        assert d.macro_f1 >= 0
        assert d.interval.low <= d.macro_f1 <= d.interval.high
    best = next(d for d in found.differences if {d.first, d.second} == {0, 3})
    assert (best.first, best.second) == (3, 0)
    assert apart(best)


def test_methods_without_a_threshold_or_a_result_are_left_out(run: RunData) -> None:
    waiting = pending(pending(run, 1, run.rows()), 2, run.rows("test")[:10])
    found = compare(replace(waiting, methods=(replace(run.methods[0], threshold=None), *run.methods[1:])))
    assert found.methods == (2, 3)
    assert found.left_out == (0, 1)
    assert found.responses == len(run.rows("test")) - 10
    assert {(d.first, d.second) for d in found.differences} <= {(2, 3), (3, 2)}


def test_resamples_of_all_rows_are_not_used_for_fewer(run: RunData) -> None:
    found = compare(pending(run, 0, run.rows("test")[:30]), draws=resamples(run.groups[run.rows("test")]))
    assert found.responses == len(run.rows("test")) - 30
    assert all(not np.isnan(d.interval.low) for d in found.differences)


def test_where_rules_were_tuned_their_tuning_set_is_drawn_with_the_responses(run: RunData) -> None:
    decision = decided(run)
    rules, rows = decision.rules(run), run.rows("test")
    draws = resamples(run.groups[rows])
    again = retuned(run, decision)
    given, found = (pairs(run, verdicts(run, rules), rules, rows, draws, one) for one in (None, again))
    assert (given.tuned, found.tuned) == ((), (0, 1, 2, 3))
    for one, other in zip(given.differences, found.differences, strict=True):
        assert one.macro_f1 == other.macro_f1
        first, second = (again[run.methods[i].id].scores(run, rows, draws) for i in (other.first, other.second))
        assert (other.interval.low, other.interval.high) == pytest.approx(np.quantile(first - second, [0.025, 0.975]))  # type: ignore[operator]
    assert any(one.interval != other.interval for one, other in zip(given.differences, found.differences, strict=True))


def test_one_method_has_no_one_to_be_compared_with(run: RunData) -> None:
    rules = {"method_1": starting_rules(run)["method_1"]}
    found = pairs(run, verdicts(run, rules), rules, run.rows("test"))
    assert (found.methods, found.differences, found.left_out) == ((1,), (), (0, 2, 3))
    assert pairs(run, verdicts(run, {}), {}, run.rows("test")).responses == 0


def difference(value: float, low: float, high: float, p: float) -> MetricDifference:
    return MetricDifference(0, 1, value, Interval(low, high), p / 2, p)


@each(
    ("found", "said"),
    [
        (difference(0.08, 0.03, 0.13, 0.004), "A is better than B by 0.080 (0.030 to 0.130), p = 0.004."),
        (difference(0.02, -0.03, 0.07, 0.01), "A and B do not differ measurably: 0.020 (−0.030 to 0.070), p = 0.010."),
    ],
)
def test_a_difference_is_said_in_a_sentence(found: MetricDifference, said: str) -> None:
    assert words(found, TITLES) == said


def test_nothing_is_claimed_where_interval_and_test_disagree_or_there_is_none() -> None:
    found, nan = difference(0.08, 0.01, 0.15, 0.4), float("nan")
    assert not apart(found)
    assert "may be chance" in words(found, TITLES)
    assert "a single query" in words(difference(0.1, nan, nan, 0.5), TITLES)
    assert "both labels" in words(difference(nan, nan, nan, 1.0), TITLES)


def test_p_is_never_printed_as_nothing() -> None:
    assert [p_words(p) for p in (0.00099, 0.0012, 0.049, 0.5)] == ["p < 0.001", "p = 0.001", "p = 0.049", "p = 0.50"]


def side(run: RunData, split: str | None = "test") -> RunSide:
    rules = starting_rules(run)
    return RunSide(run, verdicts(run, rules), rules, run.rows(split))


@pytest.fixture(scope="module")
def first() -> RunData:
    return made_run(made_cases(300), 3, seed=1)


@pytest.fixture(scope="module")
def second() -> RunData:
    return made_run(made_cases(300), 3, seed=2)


def test_differences_and_their_p_are_the_paired_bootstraps(first: RunData, second: RunData) -> None:
    a, b = side(first), side(second)
    found = two_runs(a, b)
    assert (found.note, found.only_first, found.only_second) == ("", (), ())
    rows, gold = a.rows, first.gold[a.rows]
    draws = drawn_queries(first.groups[rows])
    tables = np.stack([cells(gold, v) for s in (a, b) for v in s.verdicts[:, rows]])
    drawn = resampled_scores(tables, first.groups[rows], draws)[:, :, NAMES.index("macro_f1")]
    _, p = chances([m.difference for m in found.methods], (drawn[3:] - drawn[:3]).T, draws.shape[1])
    for m, both in enumerate(found.methods):
        tables = cells(gold, b.verdicts[m, rows]), cells(gold, a.verdicts[m, rows])
        wanted = paired(*tables, first.groups[rows], resamples(first.groups[rows]))
        assert both.difference == pytest.approx(wanted.difference)
        assert (both.interval.low, both.interval.high) == pytest.approx((wanted.interval.low, wanted.interval.high))
        assert both.adjusted_p == pytest.approx(p[m])
        assert both.f1[0] == pytest.approx(scores(confusion(gold, a.verdicts[m, rows])).macro_f1)
        assert both.f1[1] - both.f1[0] == pytest.approx(both.difference)
        assert both.shared == len(rows)
        assert both.same_signature


def test_another_model_under_the_same_id_is_another_method_and_an_earlier_id_the_same(first: RunData, second: RunData) -> None:
    plain, earlier = "grounding_classifier", "grounding_classifier:smollm2"

    def run(data: RunData, *parts: tuple[str, str]) -> RunData:
        named = [
            replace(m, id=name, title=model, signature=f"{plain}|{model}@1(0)|bf16", threshold=0.5)
            for m, (name, model) in zip(data.methods, parts, strict=True)
        ]
        return replace(data, methods=tuple(named))

    before = run(first, (plain, "small"), (earlier, "smollm2"), ("other", "other"))
    after = run(second, (plain, "smollm2"), ("other", "other"), ("new", "new"))
    pair = two_runs(side(before), side(after))
    assert [(b.id, b.title) for b in pair.methods] == [(earlier, "smollm2"), ("other", "other")]
    assert (pair.only_first, pair.only_second) == (("small",), ("new",))
    # A model that the user chose by an option is a comparison that was asked for.
    chosen = replace(after, methods=(replace(after.methods[0], options={"model": "smollm2"}), *after.methods[1:]))
    assert plain in {b.id for b in two_runs(side(before), side(chosen)).methods}


def test_cases_are_joined_by_id_whatever_their_order(first: RunData) -> None:
    order = np.random.default_rng(0).permutation(len(first.ids))
    by_case = ("ids", "groups", "splits", "areas", "gold", "types", "words", "context_words")
    by_method = ("status", "support", "lowest", "mean", "seconds", "timed", "context_seen", "cost", "calls", "tokens")
    changed = {n: getattr(first, n)[order] for n in by_case} | {n: getattr(first, n)[:, order] for n in by_method}
    for other in (first, replace(first, **changed)):
        for both in two_runs(side(first), side(other)).methods:
            assert (both.difference, both.interval.low, both.interval.high, both.adjusted_p) == (0, 0, 0, 1)


def test_different_responses_are_never_subtracted(first: RunData, second: RunData) -> None:
    found = two_runs(side(first), side(replace(second, data_hash="f" * 16)))
    assert "same set of cases" in found.note
    assert all(np.isnan([b.difference, b.interval.low, b.adjusted_p]).all() and b.shared == 0 for b in found.methods)
    assert not np.isnan(found.methods[0].f1).any()


def test_methods_are_joined_by_id_and_the_others_named(first: RunData, second: RunData) -> None:
    turned = replace(
        second,
        methods=(second.methods[2], replace(second.methods[1], id="other"), replace(second.methods[0], signature="x")),
        support=second.support[[2, 1, 0]],
        status=second.status[[2, 1, 0]],
    )
    found = two_runs(side(first), side(turned))
    assert [b.id for b in found.methods] == ["method_0", "method_2"]
    assert [b.same_signature for b in found.methods] == [False, True]
    assert (found.only_first, found.only_second) == (("Method 1",), ("Method 1",))
    straight = two_runs(side(first), side(second)).methods
    assert [b.f1 for b in found.methods] == [straight[0].f1, straight[2].f1]


def test_no_common_method_or_response_says_what_to_do(first: RunData, second: RunData) -> None:
    def note(found: TwoRuns) -> str:
        assert all(np.isnan(b.difference) for b in found.methods)
        return found.note

    strangers = replace(second, methods=tuple(replace(m, id=f"other {m.id}") for m in second.methods))
    assert "no method in common" in note(two_runs(side(first), side(strangers)))
    assert "Choose another split" in note(two_runs(side(first, "test"), side(second, "dev")))


def test_only_what_both_have_judged_is_compared(first: RunData, second: RunData) -> None:
    rows = first.rows("test")
    a, b = side(pending(first, 0, rows[:30])), side(pending(second, 0, rows[20:50]))
    found = two_runs(a, b).methods
    left = rows[50:]
    wanted = [scores(confusion(first.gold[left], s.verdicts[0, left])).macro_f1 for s in (a, b)]
    assert found[0].shared == len(left)
    assert found[0].difference == pytest.approx(wanted[1] - wanted[0])
    assert found[0].responses == (len(rows) - 30, len(rows) - 30)
    assert found[1].shared == len(rows)


def test_a_method_without_a_threshold_in_one_run_has_no_difference(first: RunData, second: RunData) -> None:
    bare = replace(second, methods=(replace(second.methods[0], threshold=None), *second.methods[1:]))
    found = two_runs(side(first), side(bare)).methods
    assert np.isnan([found[0].difference, found[0].adjusted_p, found[0].f1[1]]).all()
    assert not np.isnan(found[1].adjusted_p)


VERDICTS = st.lists(st.tuples(*[st.integers(-1, 1)] * 3), min_size=1, max_size=40)


def as_array(rows: list[tuple[int, ...]]) -> Bytes:
    return np.array(rows, dtype=np.int8).T


@given(VERDICTS)
def test_share_and_kappa_are_scikit_learns_over_what_both_judged(rows: list[tuple[int, ...]]) -> None:
    from sklearn.metrics import cohen_kappa_score

    said = as_array(rows)
    found = agreement(said)
    for i in range(3):
        for j in range(3):
            both = (said[i] >= 0) & (said[j] >= 0)
            first, second = said[i, both], said[j, both]
            assert found.shared[i, j] == both.sum()
            if not both.any():
                assert np.isnan(found.share[i, j])
                continue
            assert found.share[i, j] == pytest.approx((first == second).mean())
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                wanted = cohen_kappa_score(first, second, labels=[0, 1])
            assert found.kappa[i, j] == pytest.approx(wanted, nan_ok=True)


def test_the_hardest_come_first_and_no_verdict_is_not_wrong() -> None:
    #                 right: 0 of 3     1 of 3     0 of 1       all        none judged
    said = as_array([(0, 0, 0), (1, 0, 0), (-1, 0, -1), (1, 1, 1), (-1, -1, -1)])
    found = hardness(said, np.array([1, 1, 1, 1, 1], dtype=np.int8))
    assert found.methods == 3
    assert found.at_most().tolist() == [0, 2]
    assert found.at_most(1).tolist() == [0, 2, 1]
    assert (found.everybody(), found.unjudged()) == (1, 1)


def test_a_method_without_any_verdict_does_not_keep_the_others_from_all_being_right() -> None:
    found = hardness(as_array([(1, -1), (0, -1)]), np.array([1, 1], dtype=np.int8))
    assert found.methods == 1
    assert found.everybody() == 1
    none = hardness(as_array([(-1, -1)]), np.array([1], dtype=np.int8))
    assert (none.methods, none.everybody(), none.at_most().size) == (0, 0, 0)
