"""The Pareto front against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.statistics.significance import pareto_front

NAN = float("nan")


def front(*points: tuple[float, float]) -> tuple[int, ...]:
    quality, seconds = zip(*points, strict=True)
    return pareto_front(np.array(quality), np.array(seconds)).members


def test_the_fastest_comes_first_and_what_is_worse_and_slower_is_left_out() -> None:
    found = pareto_front(np.array([0.8, 0.5, 0.7, 0.6]), np.array([20.0, 0.01, 30.0, 1.0]))
    assert found.members == (1, 3, 0)
    assert found.beaten_by == (-1, -1, 0, -1)


def test_the_fastest_of_those_that_beat_a_method_is_named() -> None:
    found = pareto_front(np.array([0.5, 0.7, 0.8]), np.array([9.0, 1.0, 2.0]))
    assert found.beaten_by == (1, -1, -1)


def test_equal_points_do_not_beat_each_other() -> None:
    assert front((0.7, 1.0), (0.7, 1.0)) == (0, 1)
    assert front((0.7, 1.0), (0.7, 2.0), (0.6, 1.0)) == (0,)


def test_what_is_not_known_neither_beats_nor_stands_on_the_front() -> None:
    found = pareto_front(np.array([0.9, NAN, 0.6]), np.array([NAN, 0.1, 1.0]))
    assert found.members == (2,)
    assert found.beaten_by == (-1, -1, -1)
    assert pareto_front(np.array([]), np.array([])).members == ()


def test_lengths_must_be_the_same() -> None:
    with pytest.raises(ValueError, match="got 1 and 2"):
        pareto_front(np.array([0.5, 0.6]), np.array([1.0]))


few = st.sampled_from([0.1, 0.2, 0.3, 0.4, NAN])


@given(st.lists(st.tuples(few, few), max_size=12))
def test_a_method_is_on_the_front_iff_no_other_one_beats_it(points: list[tuple[float, float]]) -> None:
    quality, seconds = np.array([p[0] for p in points]), np.array([p[1] for p in points])
    found = pareto_front(quality, seconds)

    def beats(j: int, i: int) -> bool:
        return quality[j] >= quality[i] and seconds[j] <= seconds[i] and (quality[j] > quality[i] or seconds[j] < seconds[i])

    for i, point in enumerate(points):
        known = not np.isnan(point).any()
        wanted = known and not any(beats(j, i) for j in range(len(points)))
        assert (i in found.members) == wanted
        assert (found.beaten_by[i] >= 0) == (known and not wanted)
        if found.beaten_by[i] >= 0:
            assert found.beaten_by[i] in found.members
            assert beats(found.beaten_by[i], i)
