"""What the Compare page says in words."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from components.charts.spots import Spot
from components.compare import messages as words
from groundscope.grounding.level_results import LevelResult, gold_of, level_results
from groundscope.grounding.paper_tables import TABLE_3
from groundscope.grounding.results import RunResults, results
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import starting_rules, verdicts
from groundscope.statistics.bootstrap import Interval
from groundscope.statistics.chance import UNKNOWN, AurocEstimate
from tests.groundscope.grounding.runs import made_cases, made_run
from tests.loops import each

NAN = float("nan")


@pytest.fixture(scope="module")
def run() -> RunData:
    return made_run(made_cases(150), 3)


def measure(run: RunData) -> RunResults:
    rules = starting_rules(run)
    return results(run, verdicts(run, rules), rules, run.rows("test"), "test")


def spot(title: str, f1: float, seconds: float, **more: Any) -> Spot:
    made = Spot(title.lower(), title, f1, f1 - 0.05, f1 + 0.05, seconds, seconds, seconds, 0.0, False)
    return replace(made, **more)


def test_best_fastest_and_beaten_are_named() -> None:
    assert words.headline([spot("Slow", 0.8, 26.0), spot("Fast", 0.6, 0.01), spot("Mid", 0.7, 2.0), spot("Bad", 0.5, 5.0)]) == [
        "Slow has the best F1: 0.80 (95 % 0.75 to 0.85), at 26.0 s per response.",
        "Fast is the fastest: 2,600 times as fast, at 0.0100 s per response, with an F1 of 0.60 (95 % 0.55 to 0.65).",
        "Between them is Mid.",
        "1 method is beaten by another one that is at least as good and at least as fast.",
    ]


ALONE = "A has the best F1: 0.80 (95 % 0.75 to 0.85), its speed not measured."


@each(
    ("points", "lines"),
    [
        (
            [spot("All", 0.8, 0.1), spot("Bad", 0.5, 5.0), spot("Worse", 0.4, 6.0)],
            [
                "It is also the fastest.",
                "2 methods are beaten by another one that is at least as good and at least as fast.",
            ],
        ),
        ([spot("A", 0.8, NAN), spot("B", 0.7, NAN, low=NAN)], [ALONE, "No method was timed in this run."]),
        ([spot(f"M{i}", 0.5 + i / 100, 1.0 + i) for i in range(7)], ["Between them are M1, M2, M3 and 2 more."]),
        ([spot("A", NAN, 1.0)], []),
    ],
)
def test_the_headline_of_odd_methods(points: list[Spot], lines: list[str]) -> None:
    headlines = words.headline(points)
    assert headlines[len(headlines) - len(lines) :] == lines
    assert bool(headlines) is bool(lines)


def _ranked(run: RunData, *lows: float) -> list[LevelResult]:
    found = level_results(run, gold_of(run, run.rows("test")), starting_rules(run), run.rows("test"), "sentence")
    return [replace(f, ranking=AurocEstimate(low + 0.1, Interval(low, low + 0.2))) for f, low in zip(found, lows, strict=True)]


def test_who_is_no_better_than_a_coin_is_not_crowned(run: RunData) -> None:
    found = measure(run)
    titles = [m.title for m in found.methods]
    lead = [f"{titles[0]} has the best F1: 0.90.", "B is fast."]
    none = "No method here is shown to find wrong sentences better than chance."
    assert words.with_chance(lead, found, _ranked(run, 0.4, 0.5, 0.49)) == [none, *lead]
    some = f"Shown to find wrong sentences better than chance: {titles[0]} and {titles[2]}."
    assert words.with_chance(lead, found, _ranked(run, 0.51, 0.5, 0.6)) == [lead[0], some, lead[1]]
    assert words.with_chance(lead, found, [replace(f, ranking=UNKNOWN) for f in _ranked(run, 0.6, 0.6, 0.6)]) == lead
    assert words.with_chance(lead, found, ()) == lead
    # The best one may be a coin of many.
    coin = [f"{titles[1]} has the best F1: 0.90.", "B is fast."]
    assert words.with_chance(coin, found, _ranked(run, 0.51, 0.5, 0.6)) == [some, *coin]


def test_no_time_at_all_is_the_fastest_without_a_ratio() -> None:
    lines = words.headline([spot("Slow", 0.8, 26.0), spot("Now", 0.6, 0.0), spot("Bad", 0.5, 5.0)])
    assert lines[1] == "Now is the fastest, faster than its clock can measure, with an F1 of 0.60 (95 % 0.55 to 0.65)."
    assert words.headline([spot("Now", 0.8, 0.0), spot("Bad", 0.5, 0.0)])[1] == "It is also the fastest."
    # Of two equally good ones the faster is called best.
    for slow, fast in ((NAN, 0.0), (2.0, 1.0)):
        assert words.headline([spot("Slow", 0.8, slow), spot("Quick", 0.8, fast)])[0].startswith("Quick has the best F1")


def test_points_hold_what_the_table_does(run: RunData) -> None:
    found = measure(run)
    for over in ("dev", "shown"):
        for point, method in zip(words.spots(found, over), found.methods, strict=True):  # type: ignore[arg-type]
            latency = method.dev_latency if over == "dev" else method.latency
            assert (point.id, point.f1, point.seconds) == (method.id, method.scores.macro_f1, latency.mean)
            assert (point.low, point.slow) == (method.f1.low, latency.interval.high)
            text = "\n".join(point.hover)
            for word in ("Precision", "AUROC", "p95", "scored", "Rule", "timed"):
                assert word in text
    assert words.front_of(words.spots(found, "dev")).members == (0, 1, 2)


def test_points_of_another_level_have_its_f1(run: RunData) -> None:
    rows = run.rows("test")
    levels = level_results(run, gold_of(run, rows), starting_rules(run), rows, "span")
    for point, level in zip(words.spots(measure(run), "dev", levels), levels, strict=True):
        assert (point.f1, point.low) == (level.f1, level.interval.low)
        assert "Precision" not in "\n".join(point.hover)


def test_an_f1_without_any_verdict_is_no_point(run: RunData) -> None:
    status = run.status.copy()
    status[0] = 1
    supports = run.support.copy()
    supports[0] = np.nan
    assert np.isnan(words.spots(measure(replace(run, status=status, support=supports)), "dev")[0].f1)


def test_the_papers_points_are_its_table_and_only_two_have_a_latency() -> None:
    test, dev = words.paper_spots("test"), words.paper_spots("dev")
    assert [s.f1 for s in test] == [row.test.macro_f1 for row in TABLE_3]
    assert [s.f1 for s in dev] == [s.f1 for s in words.paper_spots(None)] == [row.dev.macro_f1 for row in TABLE_3]
    assert {s.title: s.seconds for s in test if s.seconds > 0} == {"GPT-4o": 2.2, "DeepEval Claims Verify": 26.1}
    assert all(("not printed" in "\n".join(s.hover)) == bool(np.isnan(s.seconds)) for s in test)


def test_seconds_and_cost_in_words(run: RunData) -> None:
    found = measure(run)
    assert words.latency_words(found.methods[0].latency).endswith(")")
    assert " s (95 % " in words.latency_words(found.methods[0].latency)
    cached = measure(replace(run, timed=np.zeros_like(run.timed))).methods[0]
    assert (words.latency_words(cached.latency), words.tail_words(cached.latency)) == ("not measured", "no p50 and p95")
    assert words.cost_words(found.methods[0]) == "Free: it runs within Groundscope"
    assert words.cost_words(found.methods[2]) == "$0.0020 per response"
    assert "Cost unknown: enter the model's price" in words.cost_words(replace(found.methods[2], cost=NAN))
    elsewhere = replace(found.methods[0], recorded=True, cost=0.002)
    assert words.cost_words(elsewhere) == "$0.0020 per response, as exported"
    assert words.cost_words(replace(elsewhere, cost=NAN)) == "The export has no cost"
    assert [s.recorded for s in words.spots(replace(found, methods=(elsewhere, found.methods[2])), "shown")] == [True, False]


def test_the_axis_says_what_is_averaged_over_what(run: RunData) -> None:
    results = measure(run)
    assert "mean over dev, as in the paper (" in words.over_words("dev", "test", results)
    assert "mean over test (" in words.over_words("shown", "test", results)


def test_how_many_times_as_fast() -> None:
    assert [words.times_words(r) for r in (1.04, 2.44, 12.3, 1_234.0)] == ["1.0 times", "2.4 times", "12 times", "1,200 times"]


def test_the_plot_is_reported_to_those_who_do_not_see_it() -> None:
    text = words.alt([spot("A", 0.8, 1.0), spot("B", NAN, 1.0)], "Macro-F1")
    assert text.startswith("Macro-F1 of 1 method against seconds per response. A has the best F1")
