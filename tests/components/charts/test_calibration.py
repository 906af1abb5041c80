"""The reliability diagram, without a page."""

import numpy as np
import pytest

from components.charts.calibration import reliability, reliability_data
from groundscope.statistics import calibration
from groundscope.statistics.significance import wilson

GOLD = np.array([0, 0, 1, 1, 1, 1])
SUPPORTS = np.array([0.05, 0.15, 0.15, 0.95, 0.95, np.nan])


def test_a_row_a_bin_that_holds_responses() -> None:
    data = reliability_data({"as scored": calibration.reliability(GOLD, SUPPORTS)})
    assert data["responses"].tolist() == [1, 2, 2]
    assert data["share grounded"].tolist() == [0, 0.5, 1]
    assert data["mean support"].tolist() == pytest.approx([0.05, 0.15, 0.95])
    assert (data["low"][1], data["high"][1]) == (wilson(1, 2).low, wilson(1, 2).high)


def test_points_carry_wilson_bars_and_counts_and_two_kinds_differ_without_colour() -> None:
    found = calibration.reliability(GOLD, SUPPORTS)
    data = reliability_data({"as scored": found, "after Platt's scaling": found})
    figure = reliability(data)
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


def test_without_a_support_there_is_an_empty_diagram() -> None:
    data = reliability_data({"as scored": calibration.reliability([0, 1], [np.nan, np.nan])})
    assert data.empty
    assert [t.name for t in reliability(data).data] == ["calibrated"]
