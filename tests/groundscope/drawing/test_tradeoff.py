"""F1 against latency: what is drawn where, and what is not drawn at all."""

import math
from typing import Any

import plotly.graph_objects as go
import pytest

from groundscope.drawing.spots import PaperSpot, Spot, frame_of, sizes, symbol, ticks
from groundscope.drawing.tradeoff import FRONT, MOST, OTHER, tradeoff

NAN = float("nan")
HOSTILE = "<img src=x onerror=alert(1)>"


def spot(name: str, f1: float, seconds: float, cost: float = 0.0, asks: bool = False, **more: Any) -> Spot:
    return Spot(
        name, more.pop("title", name.title()), f1, f1 - 0.05, f1 + 0.05, seconds, seconds * 0.9, seconds * 1.1, cost, asks, **more
    )


def points(figure: go.Figure) -> dict[str, tuple[float, float, str]]:
    """Every clickable point on the axes by id: seconds, F1 and colour."""
    return {
        name: (x, y, color)
        for trace in figure.data
        if trace.mode == "markers+text" and trace.customdata is not None
        for (name,), x, y, color in zip(trace.customdata, trace.x, trace.y, trace.marker.color, strict=True)
    }


def strip_points(figure: go.Figure, axis: str) -> dict[str, float]:
    (trace,) = (t for t in figure.data if t.xaxis == axis and t.mode == "markers")
    return {line.split("<br>")[0]: y for line, y in zip(trace.hovertext, trace.y, strict=True)}


def test_a_line_joins_the_methods_of_the_front() -> None:
    figure = tradeoff([spot("a", 0.5, 0.01), spot("b", 0.7, 1.0), spot("c", 0.6, 2.0), spot("d", 0.8, 20.0)], "abd")
    line = next(t for t in figure.data if t.mode == "lines")
    assert (list(line.x), list(line.y)) == ([0.01, 1.0, 20.0], [0.5, 0.7, 0.8])
    assert line.line.shape == "hv"
    assert {name: color for name, (_, _, color) in points(figure).items()} == {"a": FRONT, "b": FRONT, "c": OTHER, "d": FRONT}
    assert figure.layout.xaxis.type == "log"


def test_bars_reach_both_ends_of_both_intervals() -> None:
    figure = tradeoff([spot("a", 0.5, 1.0)])
    trace = next(t for t in figure.data if t.customdata is not None)
    assert (trace.error_y.array[0], trace.error_y.arrayminus[0]) == pytest.approx((0.05, 0.05))
    assert (trace.error_x.array[0], trace.error_x.arrayminus[0]) == pytest.approx((0.1, 0.1))
    bare = Spot("a", "A", 0.5, NAN, NAN, 1.0, NAN, NAN, 0.0, False)
    trace = next(t for t in tradeoff([bare]).data if t.customdata is not None)
    assert (trace.error_y.array[0], trace.error_x.arrayminus[0]) == (0, 0)


def test_the_paper_has_two_hollow_points_and_a_strip_for_the_others() -> None:
    printed_rows = (("GPT-4o", 0.771, 2.2), ("DeepEval", 0.8, 26.1), ("QUIP", 0.421, NAN))
    paper = [PaperSpot(title, f1, seconds, "dev, 150 responses") for title, f1, seconds in printed_rows]
    figure = tradeoff([spot("a", 0.5, 0.01)], (), paper)
    printed = next(t for t in figure.data if t.name and t.name.startswith("Printed"))
    assert list(printed.x) == [2.2, 26.1]
    assert "of its own dev, 150 responses" in printed.name
    assert printed.marker.symbol == "circle-open"
    assert strip_points(figure, "x2") == {"QUIP": 0.421}
    assert figure.layout.xaxis2.title.text == "Latency not printed"
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]
    assert all("QUIP" not in str(t.text) for t in figure.data if t.xaxis in (None, "x"))


def test_a_method_that_was_not_timed_stands_in_the_strip_and_can_be_clicked() -> None:
    figure = tradeoff([spot("a", 0.5, 0.01), spot("b", 0.6, NAN)], (), [PaperSpot("QUIP", 0.379, NAN)])
    assert set(points(figure)) == {"a"}
    assert strip_points(figure, "x2") == {"B": 0.6, "QUIP": 0.379}
    trace = next(t for t in figure.data if t.xaxis == "x2" and t.mode == "markers")
    assert [list(c) for c in trace.customdata] == [["b"], [""]]
    assert figure.layout.xaxis2.title.text == "Not timed<br>Latency not printed"
    assert "xaxis2" not in tradeoff([spot("a", 0.5, 0.01)]).to_dict()["layout"]


def test_a_method_that_took_no_time_stands_in_the_strip_and_counts_on_the_front() -> None:
    figure = tradeoff([spot("now", 0.6, 0.0), spot("a", 0.5, 0.01), spot("b", 0.7, 1.0), spot("c", 0.4, NAN)], ("now", "b"))
    assert {name: color for name, (_, _, color) in points(figure).items()} == {"a": OTHER, "b": FRONT}
    assert strip_points(figure, "x2") == {"Now": 0.6, "C": 0.4}
    assert figure.layout.xaxis2.title.text == "Under the clock's resolution<br>Not timed"
    trace = next(t for t in figure.data if t.xaxis == "x2" and t.mode == "markers")
    assert list(trace.marker.color) == [FRONT, OTHER]
    assert tradeoff([spot("now", 0.6, 0.0)]).layout.xaxis2.title.text == "Under the clock's resolution"


def test_a_strip_that_would_be_too_full_is_parted_in_two() -> None:
    paper = [PaperSpot(f"P{i}", 0.3 + i / 100, NAN) for i in range(12)]
    mine = [spot(f"m{i}", 0.4 + i / 50, NAN) for i in range(15)]
    assert len(paper) + len(mine) > MOST
    figure = tradeoff(mine, (), paper)
    assert len(strip_points(figure, "x2")) == 12
    assert len(strip_points(figure, "x3")) == 15
    assert figure.layout.xaxis3.domain[1] <= figure.layout.xaxis.domain[0]


def test_without_an_f1_nothing_is_drawn() -> None:
    figure = tradeoff([spot("a", NAN, 1.0)])
    assert points(figure) == {}
    assert not [t for t in figure.data if t.mode == "lines"]
    assert points(tradeoff([])) == {}


def test_names_are_text_and_long_ones_are_cut() -> None:
    figure = tradeoff([spot("a", 0.5, 1.0, title=HOSTILE, hover=(HOSTILE,)), spot("b", 0.6, NAN, title=HOSTILE * 9)])
    assert "<img" not in figure.to_json().replace("\\u003c", "<")
    assert "&lt;img" in figure.to_json().replace("\\u0026", "&")


def test_symbol_and_size_tell_who_asks_and_what_it_costs() -> None:
    free, paid, unknown = spot("a", 0.5, 1.0), spot("b", 0.5, 1.0, 0.02, True), spot("c", 0.5, 1.0, NAN, True)
    other = spot("d", 0.5, 1.0, 0.02, recorded=True)
    assert [symbol(s) for s in (free, paid, unknown, other)] == ["circle", "diamond", "diamond-dot", "square"]
    small, large, none = sizes([0.0, 0.02, NAN])
    assert small == none < large
    assert sizes([0.01, 0.02, 0.0])[0] ** 2 < sizes([0.01, 0.02, 0.0])[1] ** 2
    assert sizes([NAN, 0.0]) == [12.0, 12.0]
    assert len({t.name for t in tradeoff([free, paid, unknown, other]).data if t.customdata is not None}) == 4


def test_axes_hold_every_point_with_its_bars() -> None:
    mine = [spot("a", 0.5, 0.002), spot("b", 0.97, 40.0)]
    frame = frame_of(mine, [], mine, [])
    assert frame.left < math.log10(0.0018)
    assert frame.right > math.log10(44)
    assert frame.low < 0.45
    assert frame.high > 1.0
    assert all(frame.left <= math.log10(t) <= frame.right for t in ticks(frame))
    assert 3 <= len(ticks(frame)) <= 9
    lone = frame_of([], [], [], [])
    assert (lone.low, lone.high) == pytest.approx((-0.02, 1.04))
