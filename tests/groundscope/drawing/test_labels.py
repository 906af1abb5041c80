"""Labels of points: they keep apart where there is room, and stay away where there is none."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from groundscope.drawing.spots import POSITIONS, Box, Point, _box, place, spread

WIDTH, HEIGHT = 600.0, 400.0
points = st.builds(
    Point, st.floats(0, WIDTH), st.floats(0, HEIGHT), st.text("abcdefgh ", min_size=1, max_size=30), st.floats(3, 14)
)


@given(st.lists(points, max_size=15))
def test_no_label_covers_a_point_or_another_label_or_leaves_the_drawing(found: list[Point]) -> None:
    positions = place(found, WIDTH, HEIGHT)
    boxes = {i: _box(p, at) for i, (p, at) in enumerate(zip(found, positions, strict=True)) if at}
    assert all(at in (*POSITIONS, "") for at in positions)
    for first, second in combinations(boxes.values(), 2):
        assert not first.shared(second)
    for i, box in boxes.items():
        assert box.left >= 0
        assert box.bottom >= 0
        assert box.right <= WIDTH
        assert box.top <= HEIGHT
        for j, p in enumerate(found):
            mark = Box(p.x - p.radius, p.y - p.radius, p.x + p.radius, p.y + p.radius)
            assert i == j or not box.shared(mark)


def test_a_lone_point_is_labelled_at_its_right() -> None:
    assert place([Point(100, 100, "Overlap")], WIDTH, HEIGHT) == ["middle right"]
    assert place([Point(590, 100, "Overlap")], WIDTH, HEIGHT) == ["middle left"]
    assert place([], WIDTH, HEIGHT) == []


def test_where_every_place_is_taken_a_point_goes_unlabelled() -> None:
    crowd = [Point(100 + i % 5, 100 + i // 5, "A long name of a method") for i in range(25)]
    assert place(crowd, WIDTH, HEIGHT).count("") > 15


def test_a_line_along_a_label_is_worse_than_a_bar_across_it() -> None:
    along = Box(100, 99, 300, 101)
    across = Box(120, 0, 122, 400)
    assert place([Point(100, 100, "Overlap", 5)], WIDTH, HEIGHT, [along]) != ["middle right"]
    found = place([Point(100, 100, "Overlap", 5)], WIDTH, HEIGHT, [along, across, Box(0, 0, 97, 400)])
    assert found[0] in ("top right", "bottom right")


@given(st.lists(st.floats(0, 1), max_size=20), st.floats(0.005, 0.04))
def test_spread_values_keep_their_distance_and_order(values: list[float], gap: float) -> None:
    moved = spread(values, gap, 0.0, 1.0)
    assert len(moved) == len(values)
    ordered = sorted(range(len(values)), key=lambda i: values[i])
    for i, j in pairwise(ordered):
        assert moved[j] - moved[i] >= gap - 1e-9
    assert all(-1e-9 <= v <= 1 + 1e-9 for v in moved)
