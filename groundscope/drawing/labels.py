"""Place labels of points so that they do not cover points or each other. Sizes in pixels; y grows upwards."""

from collections.abc import Sequence
from typing import NamedTuple

LETTER, LINE = 6.1, 15.0
"""Mean width of a letter and height of a line in the font of the labels."""
_GAP = 3.0
POSITIONS = ("middle right", "middle left", "top right", "bottom right", "top left", "bottom left", "top center", "bottom center")
"""Plotly's names of the positions around a point, the best first."""


class Point(NamedTuple):
    """A mark and its label."""

    x: float
    y: float
    text: str
    radius: float = 6.0


class Box(NamedTuple):
    """A rectangle."""

    left: float
    bottom: float
    right: float
    top: float

    def overlaps(self, other: "Box") -> bool:
        """Whether the two overlap."""
        return self.shared(other) > 0

    def shared(self, other: "Box") -> float:
        """The area of the overlap."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(0.0, wide) * max(0.0, high)


def place(points: Sequence[Point], width: float, height: float, bars: Sequence[Box] = ()) -> list[str]:
    """Choose a position for each point's label, earlier points first, covering `bars` as little as possible.

    Gives one of `POSITIONS` per point, or an empty text if every position is taken: that point has no label.
    """
    marks = [Box(p.x - p.radius, p.y - p.radius, p.x + p.radius, p.y + p.radius) for p in points]
    taken: list[Box] = []
    positions = []
    for i, point in enumerate(points):
        others = [mark for j, mark in enumerate(marks) if j != i]
        boxes = [(position, _box(point, position)) for position in POSITIONS]
        inside = [b for b in boxes if b[1].left >= 0 and b[1].right <= width and b[1].bottom >= 0 and b[1].top <= height]
        free = [b for b in inside if not any(b[1].overlaps(other) for other in (*others, *taken))]
        # A thin bar across a label leaves it legible, a line along it does not: choose the smallest covered area.
        best = min(free, key=lambda b: sum(b[1].shared(bar) for bar in bars), default=None)
        positions.append(best[0] if best else "")
        if best:
            taken.append(best[1])
    return positions


def _box(point: Point, position: str) -> Box:
    vertical, horizontal = position.split()
    wide, gap = LETTER * len(point.text), point.radius + _GAP
    left = {"right": point.x + gap, "left": point.x - gap - wide, "center": point.x - wide / 2}[horizontal]
    bottom = {"top": point.y + gap, "bottom": point.y - gap - LINE, "middle": point.y - LINE / 2}[vertical]
    return Box(left, bottom, left + wide, bottom + LINE)


def spread(values: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move values as little as possible until neighbours are at least `gap` apart, inside `low`..`high` if they fit."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    moved = [values[i] for i in order]
    for i in range(1, len(moved)):
        moved[i] = max(moved[i], moved[i - 1] + gap)
    # Values pushed over the top push the others back down.
    ceiling = high
    for i in reversed(range(len(moved))):
        moved[i] = min(moved[i], ceiling)
        ceiling = moved[i] - gap
    floor = low
    for i in range(len(moved)):
        moved[i] = max(moved[i], floor)
        floor = moved[i] + gap
    spaced = [0.0] * len(values)
    for order_place, i in enumerate(order):
        spaced[i] = moved[order_place]
    return spaced
