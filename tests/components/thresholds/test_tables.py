"""Thresholds and what they are worth, in words and tables."""

import math
from dataclasses import replace

import numpy as np
import pytest

from components.thresholds import tables
from components.thresholds.method import grid
from groundscope.grounding.rules.generalization import SplitGap, TradeOff
from groundscope.grounding.tuning import Objective, Rule, Tuned
from groundscope.statistics.bootstrap import Interval
from groundscope.statistics.calibration import Bin, IntervalEstimate
from groundscope.statistics.chance import UNKNOWN, AurocEstimate
from groundscope.statistics.metrics import Confusion, scores
from tests.groundscope.grounding.runs import made_cases, made_run
from tests.loops import each

HOSTILE = '<img src=x onerror="alert(1)">\n=1+1'
NONE = Interval(math.nan, math.nan)
TABLE = Confusion(30, 10, 2, 40, 5, 3)


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def gap(value: float, ends: Interval, table: Confusion = TABLE) -> SplitGap:
    tuned = Tuned(Rule("own", 0.5), "dev", 0.8, 40)
    return SplitGap(
        0, tuned, 0.8, scores(table), table, Interval(0.7, 0.85), Interval(0.72, 0.84), Interval(0.75, 0.9), value, ends, 0.25
    )


def test_a_rule_that_tunes_what_a_paper_fixes_says_so_wherever_the_page_shows_it() -> None:
    """Section 5.3 lets a chat model's verdict stand: any other rule of one is beyond the paper."""
    run = made_run(made_cases(30), 1)
    asks = replace(run.methods[0], tunes="nothing", threshold=0.5)
    run = replace(run, methods=(asks,))
    for rule, beyond in ((Rule("own", 0.5), False), (Rule("own", 0.4), True), (Rule("min", 0.5), True)):
        tuned = {asks.id: Tuned(rule, "dev", 0.6, 6)}
        for shown in (
            tables.tuned_html(run, tuned, {asks.id: TABLE}, Objective()),
            tables.gaps_html([replace(gap(0.1, NONE), tuned=tuned[asks.id])], run.methods, Objective()),
        ):
            assert ("beyond the paper" in shown) == beyond


@each(
    ("estimate", "shown", "figures"),
    [
        (AurocEstimate(0.62, Interval(0.56, 0.71)), "is shown", "0.62 (95 % 0.56 to 0.71, by query)"),
        (AurocEstimate(0.62, Interval(0.5, 0.71)), "is not shown", "0.62 (95 % 0.50 to 0.71, by query)"),
        (AurocEstimate(0.9, NONE), "is not shown", "0.90"),
    ],
)
def test_a_ranking_is_no_better_than_its_interval(estimate: AurocEstimate, shown: str, figures: str) -> None:
    assert tables.ranking_words(estimate) == f"It {shown} to rank these responses better than chance: AUROC {figures}."


def test_figures_and_what_there_is_none_of() -> None:
    assert tables.ranking_words(UNKNOWN) == ""
    assert tables.span(NONE) == tables.share(0, 0) == "–"
    assert tables.span(Interval(-0.1, 0.2)) == "−0.100 to 0.200"
    assert plain(tables.share(3, 4)) == "3 of 4 (75 %)"


def test_what_a_move_changes_is_said_against_the_tuned_threshold() -> None:
    assert plain(tables.live_words(TABLE, TABLE, 0.5)) == (
        "Flag responses below 0.5000: that finds 40 of 48 (83 %) ungrounded ones and raises false alarms on 10 of 42 (24 %) "
        "grounded ones, as at the tuned threshold."
    )
    moved = tables.live_words(TABLE, Confusion(35, 5, 2, 41, 4, 3), 0.5)
    assert moved.endswith(": 1 fewer error found, 5 more false alarms than at the tuned threshold.")
    assert "no more errors found, 1 more false alarm than" in tables.live_words(TABLE, Confusion(31, 9, 2, 40, 5, 3), 0.5)


def test_calibration_is_said_of_a_bin() -> None:
    shown = Bin(0.7, 0.8, 20, 0.76, 0.5, Interval(0.3, 0.7))
    assert plain(tables.calibration_words("dev", shown)) == (
        "Of the 20 responses of dev that it gives 0.7 to 0.8, 50 % are grounded; calibrated, it would be 76 %."
    )


def test_methods_are_ranked_by_what_was_looked_for() -> None:
    tuned = {name: Tuned(Rule("own", 0.5), "dev", value, 4) for name, value in (("a", 0.5), ("b", 0.7), ("c", math.nan))}
    assert tables.ranked(tuned, Objective()) == ["b", "a", "c"]
    assert tables.ranked(tuned, Objective(2.0)) == ["a", "b", "c"]
    gaps = [gap(0.0, NONE, Confusion(1, 0, 0, 0, 0, 0)), gap(0.0, NONE), gap(0.0, NONE, Confusion(9, 0, 0, 9, 0, 0))]
    assert [g.test.macro_f1 for g in tables.by_macro_f1(gaps)][:2] == [1.0, scores(TABLE).macro_f1]


def test_the_table_of_all_methods_holds_their_figures_and_says_what_concerns_many_once() -> None:
    run = made_run(made_cases(30), 4)
    tuned = {
        "method_0": Tuned(Rule("own", 0.5), "dev", 0.6, 6, "A warning."),
        "method_1": Tuned(Rule("min", 0.5), "", 0.7, 6, "A warning."),
    }
    all_flagged = Confusion(0, 3, 0, 3, 0, 0)
    found = tables.tuned_html(run, tuned, {"method_0": TABLE, "method_1": all_flagged}, Objective())
    assert found.index("Method 1") < found.index("Method 0")
    assert "<li>Method 1, Method 0: A warning.</li>" in found
    assert "<li>Method 1: The best threshold flags every response.</li>" in found
    failed = {"method_2": "No score.", "method_3": "No score."}
    assert tables.failed_lines(run, failed) == ["Method 2, Method 3: No score."]
    assert "<td>no split, 6</td>" in found
    assert "Macro-F1" in found
    assert "Cost per response" in tables.tuned_html(run, tuned, {"method_0": TABLE, "method_1": TABLE}, Objective(2.0))


def test_what_people_wrote_stays_text_in_every_table() -> None:
    run = made_run(made_cases(30), 1)
    run = replace(run, methods=(replace(run.methods[0], title=HOSTILE),))
    tuned = {"method_0": Tuned(Rule("own", 0.5), HOSTILE, 0.6, 6, HOSTILE)}
    hostile_gap = replace(gap(0.1, NONE), tuned=tuned["method_0"])
    for drawn in (
        tables.tuned_html(run, tuned, {"method_0": TABLE}, Objective()),
        tables.gaps_html([hostile_gap], run.methods, Objective(2.0)),
        tables.readings_html([(HOSTILE, 3, IntervalEstimate(0.1, NONE), IntervalEstimate(0.2, NONE))]),
    ):
        assert "<img" not in drawn
        assert "&lt;img src=x onerror=" in drawn


def test_both_thresholds_stand_side_by_side() -> None:
    found = plain(tables.live_html(TABLE, Confusion(42, 0, 0, 0, 48, 0), 0.5, 0.25, Objective(2.0)))
    assert "<td>0.2500</td><td>0.5000</td>" in found
    # Nothing is flagged at the tuned one: there is no precision of flags.
    assert "<td>–</td><td>0.800</td>" in found
    assert "<td>0 of 48 (0 %)</td><td>40 of 48 (83 %)</td>" in found
    # 12 and 2 * 8 of 90; 0 and 2 * 48 of 90.
    assert "<td>1.067</td><td>0.311</td>" in found
    assert "Cost per response" not in tables.live_html(TABLE, TABLE, 0.5, 0.25, Objective())


def test_trades_are_read_as_so_many_false_alarms_an_error() -> None:
    found = tables.trades_html([TradeOff(0.4, -2, -5), TradeOff(0.5, 0, -1), TradeOff(0.6, 2, 7), TradeOff(0.7, 3, 0)], TABLE)
    for cells in (
        "−2 (38)</th><td>−5 (5)</td><td>2.5</td><td>0.4000",
        "as many</th><td>−1 (9)</td><td>–</td>",
        "+2 (42)</th><td>+7 (17)</td><td>3.5</td>",
        "+3 (43)</th><td>as many</td><td>0.0</td>",
    ):
        assert cells in found


def test_the_slider_goes_through_the_tuned_threshold_and_over_all_others() -> None:
    for thresholds, tuned in (([-1e-6, 0.3, 1 + 1e-6], 0.3), ([0.97, 0.98, 0.99], 0.98), ([0.5 - 1e-6, 0.5 + 1e-6], 0.5 - 1e-6)):
        low, high, step = grid(np.array(thresholds), tuned)
        assert low <= thresholds[0] < thresholds[-1] <= high
        assert ((tuned - low) / step) == pytest.approx(round((tuned - low) / step), abs=1e-6)
        assert 80 < (high - low) / step < 420
