"""The figures of the Compare page: agreement, parts of the responses, and how many responses are enough."""

import numpy as np
import pytest

from components.charts.comparison import parts, power, power_data, squares
from components.compare.pairs import power_words
from groundscope.grounding.comparing.comparisons import Slice
from groundscope.statistics.power import PowerCurve
from tests.loops import each

HOSTILE = "<b>x</b>"


def test_a_square_for_each_two_methods_with_its_number() -> None:
    values = np.array([[1.0, 0.5, -0.2], [0.5, 1.0, np.nan], [-0.2, np.nan, 1.0]])
    shared = np.full((3, 3), 1_200, dtype=np.int32)
    trace = squares(values, shared, ["A", HOSTILE, "C"], "Kappa").data[0]
    found = {(y, x): text for y, x, text in zip(trace.y, trace.x, trace.text, strict=True)}
    assert found == {(0, 1): "0.50", (1, 0): "0.50", (0, 2): "−0.20", (2, 0): "−0.20", (1, 2): "–", (2, 1): "–"}
    assert "1,200 responses" in trace.hovertext[0]
    assert not any("<b>" in line for line in trace.hovertext)


def part(name: str, f1: list[float]) -> Slice:
    values = np.array(f1)
    return Slice(name, 40, 20, np.full(len(f1), 40, dtype=np.int32), values, np.stack([values - 0.1, values + 0.1], axis=1))


def test_parts_are_lines_and_methods_symbols() -> None:
    figure = parts([part("Torts", [0.5, 0.6, 0.7]), part(HOSTILE, [0.4, np.nan, 0.8])], [2, 0], ["A", "B", "C"])
    assert [t.name for t in figure.data] == ["C", "A"]
    assert list(figure.data[0].x) == [0.7, 0.8]
    assert len({t.marker.symbol for t in figure.data}) == len({t.marker.color for t in figure.data}) == 2
    # The two methods stand beside each other on their part's line, the first part on top.
    assert figure.data[0].y[0] < 0 < figure.data[1].y[0] < figure.data[0].y[1]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert figure.layout.yaxis.ticktext[1] == "&lt;b&gt;x&lt;/b&gt; (40)"
    # A part without figures has no point and no bar.
    bare = Slice("One label", 4, 0, np.array([4], dtype=np.int32), np.array([np.nan]), np.full((1, 2), np.nan))
    trace = parts([bare], [0], ["A"]).data[0]
    assert np.isnan(trace.x[0])
    assert trace.error_x.array[0] == 0
    assert "F1 –" in trace.hovertext[0]


SIZES = np.array([10, 40, 160])


def curve(difference: float, *power: float) -> PowerCurve:
    return PowerCurve(SIZES, SIZES * 3.0, np.array(power), difference)


@each(
    ("found", "words"),
    [
        (
            curve(0.05, 0.1, 0.5, 0.9),
            "A is ahead of B by 0.050. 120 responses like these show that in 50\u00a0% of sets; about 340 show it in 80\u00a0%.",
        ),
        (
            curve(-0.05, 0.1, 0.2, 0.3),
            "B is ahead of A by 0.050. 120 responses like these show that in 20\u00a0% of sets; "
            "about 480 do not reach 80\u00a0%.",
        ),
        (curve(0.0, 0, 0, 0), "A and B have the same F1 here, so no number of such responses distinguishes them."),
        (curve(float("nan"), 0, 0, 0), "F1 needs responses with both labels: label some of the other kind."),
    ],
)
def test_the_curve_in_words(found: PowerCurve, words: str) -> None:
    assert power_words(found, ("A", "B"), 119) == words


def test_the_chart_has_a_point_a_size_and_the_responses_at_hand() -> None:
    data = power_data(curve(0.05, 0.1, 0.5, 0.9))
    assert data["responses"].tolist() == [30, 120, 480]
    drawn = power(data, 119)
    assert list(drawn.data[0].y) == [0.1, 0.5, 0.9]
    assert [a.text for a in drawn.layout.annotations] == ["80%", "119 here"]
    low, high = drawn.layout.xaxis.range
    assert low < drawn.layout.annotations[1].x < high
    assert (10**low, 10**high) == pytest.approx((30, 480), rel=0.3)
