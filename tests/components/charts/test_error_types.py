"""The figures of the errors page, without a page."""

import numpy as np
import plotly.graph_objects as go
import pytest

from components.charts.error_types import frequencies, misses
from groundscope.grounding.misclassified.table import GROUNDED, PARTS, error_table, shown
from tests.groundscope.grounding.test_misclassified import FACT, calls_of, paper_dev, small

HOSTILE = '<img src=x onerror="alert(1)">'


def drawn(names: list[str]) -> go.Figure:
    table = error_table(calls_of(small()))
    return misses(table, names, shown(table))


def test_every_method_and_type_has_an_outline_and_a_square_that_names_both() -> None:
    figure = drawn(["One", "Two"])
    table = error_table(calls_of(small()))
    outline, squares = figure.data
    wanted = [(PARTS[i], m) for m in table.ids for i in shown(table)]
    assert [tuple(c) for c in squares.customdata] == [tuple(c) for c in outline.customdata] == wanted
    assert len(set(zip(squares.x, squares.y, strict=True))) == len(wanted)


def test_the_area_of_a_square_is_the_rate() -> None:
    table = error_table(calls_of(paper_dev()))
    figure = misses(table, ["DeepEval"], shown(table))
    outline, squares = figure.data
    places = [c[0] for c in squares.customdata]
    shares = (np.array(squares.marker.size) / outline.marker.size) ** 2
    assert np.isclose(shares[places.index(FACT)], 12 / 59)
    assert outline.text[places.index(FACT)] == "12/59<br>20%"
    assert "95% interval 12.0% to 32.3%" in squares.hovertext[places.index(FACT)]
    # No grounded response: nothing is drawn in the outline, and the label says so.
    assert shares[places.index(GROUNDED)] == 0
    assert outline.text[places.index(GROUNDED)] == "–"


def test_names_of_methods_are_no_markup() -> None:
    text = drawn([HOSTILE, "Two"]).to_json()
    assert "<img" not in text
    assert "\\u003cimg" not in text
    assert "&lt;img" in text


def test_bars_carry_count_and_share() -> None:
    assert list(frequencies(["Fact", "Term"], np.array([3, 1]), "Responses").data[0].text) == [" 3 (75.0%)", " 1 (25.0%)"]
    assert list(frequencies(["Fact"], np.array([0]), "Responses").data[0].text) == [" 0"]


def test_a_logarithmic_axis_has_every_bar_and_label_in_sight() -> None:
    figure = frequencies(["Fact", "Term", "None"], np.array([1000, 1, 0]), "Responses", log=True)
    low, high = figure.layout.xaxis.range
    assert figure.layout.xaxis.type == "log"
    ends = np.log10(figure.data[0].x)
    assert ends.tolist() == pytest.approx([3, 0, low])
    assert high > 3
    assert list(figure.data[0].text) == [" 1,000 (99.9%)", " 1 (0.1%)", " 0 (0.0%)"]
    assert figure.layout.xaxis.title.text == "Responses, logarithmic"
    assert frequencies(["a + b"], np.array([3]), "Responses", of=12).data[0].text == (" 3 (25.0%)",)
    assert frequencies(["a"], np.array([3]), "Responses").layout.xaxis.type != "log"
