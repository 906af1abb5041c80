"""Who is better than whom, in words."""

from dataclasses import replace

import numpy as np
import pytest

from groundscope.grounding.comparisons import Pairs, apart, p_words, pairs, words
from groundscope.grounding.rules.generalization import retuned
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import starting_rules, verdicts
from groundscope.statistics.bootstrap import Interval, resamples
from groundscope.statistics.significance import MetricDifference
from tests.groundscope.grounding.runs import decided, made_cases, made_run, pending
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
        assert (one.macro_f1, one.p) == (other.macro_f1, other.p)
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
