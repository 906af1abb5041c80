"""The figures of one method over all thresholds, and its reliability diagram, without a page."""

import math

import numpy as np
import plotly.graph_objects as go
import pytest

from components.charts import thresholds as charts
from groundscope.statistics import calibration
from groundscope.statistics.curves import Curve, curve
from groundscope.statistics.metrics import auroc, average_precision
from groundscope.statistics.significance import wilson

NAN = math.nan
# Errors at 0.1, 0.2 and 0.6, sound answers at 0.5, 0.8 and 0.9, and one of each without a score.
SUPPORTS = np.array([0.1, 0.2, 0.6, 0.5, 0.8, 0.9, NAN, NAN])
GROUNDED = np.array([False, False, False, True, True, True, False, True])


def small() -> Curve:
    return curve(SUPPORTS, GROUNDED)


def test_the_scores_and_counts_of_a_threshold_stand_in_its_row() -> None:
    data = charts.curve_data(small())
    row = data.iloc[int((data["threshold"] - 0.35).abs().argmin())]
    # Two of four errors are flagged and nothing else: both classes' F1 by hand are 2*2/(4+2) and 2*3/(4+4).
    assert row["errors found (recall)"] == 0.5
    assert row["precision of flags"] == 1.0
    assert row["macro-F1"] == pytest.approx((4 / 6 + 6 / 8) / 2)
    assert (row["errors found"], row["errors missed"], row["false alarms"], row["rightly passed"]) == (2, 1, 0, 3)
    assert math.isnan(data["precision of flags"].iloc[0])


def lines(figure: go.Figure) -> list[tuple[float, str]]:
    return [(s.x0, a.text) for s, a in zip(figure.layout.shapes, figure.layout.annotations, strict=True)]


def test_the_tuned_threshold_is_a_line_and_ones_own_another() -> None:
    data, bars = charts.curve_data(small()), charts.histogram_data(SUPPORTS, GROUNDED)
    for figure in (charts.curves(data, 0.35, 0.35), charts.histogram(bars, 0.35, 0.35)):
        assert lines(figure) == [(0.35, "tuned")]
    for figure in (charts.curves(data, 0.7, 0.35), charts.histogram(bars, 0.7, 0.35)):
        assert lines(figure) == [(0.7, "yours"), (0.35, "tuned")]
        assert figure.layout.shapes[0].line.dash != figure.layout.shapes[1].line.dash


def test_lines_and_classes_are_reported_apart_without_colour() -> None:
    figure = charts.curves(charts.curve_data(small()), 0.35, 0.35)
    assert len({trace.line.dash for trace in figure.data}) == 3
    sound, wrong = charts.histogram(charts.histogram_data(SUPPORTS, GROUNDED), 0.35, 0.35).data
    assert sound.marker.pattern.shape is None
    assert sound.marker.line.width > 0
    assert wrong.marker.pattern.shape == "/"


def test_the_bars_hold_every_response_that_has_a_support_once() -> None:
    data = charts.histogram_data(SUPPORTS, GROUNDED, bins=8)
    assert (data["grounded"].sum(), data["ungrounded"].sum()) == (3, 3)
    assert (data["from"].iloc[0], data["to"].iloc[-1]) == (0.1, 0.9)
    assert data["ungrounded"].tolist() == [1, 1, 0, 0, 0, 1, 0, 0]


@pytest.mark.parametrize("supports", [[0.5, 0.5], [NAN, NAN], [0.0, 0.0]])
def test_ties_everywhere_or_no_support_make_bars_of_some_width(supports: list[float]) -> None:
    data = charts.histogram_data(np.array(supports), np.array([True, False]))
    assert (data["to"] > data["from"]).all()
    assert data["grounded"].sum() == np.count_nonzero(~np.isnan(supports[:1]))


def test_roc_and_pr_are_those_whose_areas_are_given() -> None:
    data = charts.rates_data(small())
    x, y = data["false alarm rate"].to_numpy(), data["errors found (recall)"].to_numpy()
    assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
    gold = GROUNDED.astype(np.int8)
    assert np.trapezoid(y, x) == pytest.approx(auroc(gold, SUPPORTS))
    precision = data["precision of flags"].to_numpy()
    assert np.sum(np.diff(y) * precision[1:]) == pytest.approx(average_precision(gold, SUPPORTS))


def test_the_chosen_threshold_is_marked_on_both() -> None:
    data = charts.rates_data(small())
    for draw, x, y in ((charts.roc, 0.0, 2 / 3), (charts.pr, 2 / 3, 1.0)):
        figure = draw(data, 0.35, 0.9)
        marker = next(t for t in figure.data if t.name == "this threshold")
        assert (marker.x[0], marker.y[0]) == (pytest.approx(x), pytest.approx(y))
        assert "0.900" in figure.data[0].name
        assert any(t.name == "chance" and t.line.dash == "dot" for t in figure.data)


def test_a_long_line_is_thinned_and_keeps_its_ends_and_its_top_and_figures_stay_small() -> None:
    rng = np.random.default_rng(1)
    grounded = rng.random(20_000) < 0.5
    long = curve(np.clip(rng.normal(0.4 + 0.2 * grounded, 0.2), 0, 1), grounded)
    data = charts.curve_data(long)
    drawn = charts.thinned(data, 100)
    assert len(drawn) <= 100 < 10_000 < len(data)
    assert [drawn["threshold"].iloc[i] for i in (0, -1)] == [data["threshold"].iloc[i] for i in (0, -1)]
    assert drawn["macro-F1"].max() == data["macro-F1"].max()
    assert charts.thinned(drawn, 100) is drawn
    rates = charts.rates_data(long)
    for figure in (charts.curves(data, 0.5, 0.5), charts.roc(rates, 0.5, 0.7), charts.pr(rates, 0.5, 0.7)):
        assert len(figure.to_json()) < 100_000
        assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"


BIN_GOLD = np.array([0, 0, 1, 1, 1, 1])
BIN_SUPPORTS = np.array([0.05, 0.15, 0.15, 0.95, 0.95, np.nan])


def test_a_row_a_bin_that_holds_responses() -> None:
    data = charts.reliability_data({"as scored": calibration.reliability(BIN_GOLD, BIN_SUPPORTS)})
    assert data["responses"].tolist() == [1, 2, 2]
    assert data["share grounded"].tolist() == [0, 0.5, 1]
    assert data["mean support"].tolist() == pytest.approx([0.05, 0.15, 0.95])
    assert (data["low"][1], data["high"][1]) == (wilson(1, 2).low, wilson(1, 2).high)


def test_points_carry_wilson_bars_and_counts_and_two_kinds_differ_without_colour() -> None:
    found = calibration.reliability(BIN_GOLD, BIN_SUPPORTS)
    data = charts.reliability_data({"as scored": found, "after Platt's scaling": found})
    figure = charts.reliability(data)
    points = [t for t in figure.data if t.type == "scatter" and t.mode == "lines+markers"]
    bars = [t for t in figure.data if t.type == "bar"]
    first = points[0]
    assert first.y[1] + first.error_y.array[1] == pytest.approx(wilson(1, 2).high)
    assert first.y[1] - first.error_y.arrayminus[1] == pytest.approx(wilson(1, 2).low)
    assert list(bars[0].text) == ["1", "2", "2"]
    assert len({p.marker.symbol for p in points}) == len({p.line.dash for p in points}) == 2
    assert {b.marker.pattern.shape for b in bars} == {"", "/"}
    # Side by side, within their bin.
    assert bars[0].x[0] < 0.05 < bars[1].x[0] < 0.1
