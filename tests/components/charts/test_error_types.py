"""The figures of the errors page, without a page."""

import numpy as np
import pytest

from components.charts.comparison import frequencies

HOSTILE = '<img src=x onerror="alert(1)">'


def test_names_are_no_markup() -> None:
    text = frequencies([HOSTILE, "Two"], np.array([3, 1]), "Responses").to_json()
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
