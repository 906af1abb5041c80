"""What the page says of how many responses are enough."""

import numpy as np
import pytest

from components.charts.power import power, power_data
from components.compare.pairs import power_words
from groundscope.statistics.power import PowerCurve
from tests.loops import each

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
