"""Methods as points of F1 against latency: ranges of the axes, sizes of the points, labels that do not cover each other."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from groundscope.grounding.latency import RESOLUTION

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
        free = [b for b in inside if not any(b[1].shared(other) for other in (*others, *taken))]
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


SMALL, LARGE = 12.0, 28.0
"""Diameters of points in pixels."""
CUT = 32
"""Most characters of a label."""
WIDTH, HEIGHT = 560.0, 360.0
"""Assumed size of the drawing in pixels when labels are placed: the narrowest usual one."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A method as a point: macro-F1, mean seconds per response, both with the ends of their intervals; cost in US dollars.

    NaN = unknown. A click returns the id; the lines of the hover are escaped here.
    """

    id: str
    title: str
    f1: float
    low: float
    high: float
    seconds: float
    fast: float
    slow: float
    cost: float
    asks: bool
    hover: tuple[str, ...] = ()
    recorded: bool = False

    @property
    def instant(self) -> bool:
        """Whether it was timed and took less than a clock counts: no axis of powers of ten has a place for it."""
        return self.seconds < RESOLUTION


@dataclass(frozen=True, slots=True)
class PaperSpot:
    """A row of the paper's table 3; seconds are NaN if none are printed, `size` says what it is of ("dev, 150 responses")."""

    title: str
    f1: float
    seconds: float
    size: str = ""
    hover: tuple[str, ...] = ()


class Frame(NamedTuple):
    """Ranges of the axes: powers of ten of seconds, and F1."""

    left: float
    right: float
    low: float
    high: float


def frame_of(timed: Sequence[Spot], printed: Sequence[PaperSpot], drawn: Sequence[Spot], paper: Sequence[PaperSpot]) -> Frame:
    """Ranges that hold every point with its bars, and a margin."""
    times = [v for s in timed for v in (s.seconds, s.fast, s.slow) if v >= RESOLUTION] + [p.seconds for p in printed]
    left, right = (math.log10(min(times)), math.log10(max(times))) if times else (-2.0, 2.0)
    aside = max(0.3, 0.1 * (right - left))
    levels = [v for s in drawn for v in (s.f1, s.low, s.high) if not math.isnan(v)] + [p.f1 for p in paper]
    low, high = (min(levels), max(levels)) if levels else (0.0, 1.0)
    room = max(0.03, 0.08 * (high - low))
    return Frame(left - aside, right + aside, max(-0.02, low - room), min(1.04, high + room))


def ticks(frame: Frame) -> list[float]:
    """Ticks of the latency axis in seconds: 1, 10, 100 ..., with steps between them if few of those are in range."""
    width = frame.right - frame.left
    steps = (1.0,) if width > 3.5 else (1.0, 3.0) if width > 1.8 else (1.0, 2.0, 5.0)
    powers = range(math.floor(frame.left), math.ceil(frame.right) + 1)
    return [s * 10.0**p for p in powers for s in steps if frame.left <= math.log10(s) + p <= frame.right]


def symbol(spot: Spot) -> str:
    """Plotly's symbol: shows whether the method ran here, asks a model, and whether its price is known."""
    if spot.recorded:
        return "square"
    if not spot.asks:
        return "circle"
    return "diamond-dot" if math.isnan(spot.cost) else "diamond"


def sizes(costs: Sequence[float]) -> list[float]:
    """Areas grow with the cost; free and unknown are smallest."""
    most = max((c for c in costs if c > 0), default=0.0)
    return [SMALL + (LARGE - SMALL) * math.sqrt(c / most) if c > 0 else SMALL for c in costs]


def label_places(
    timed: Sequence[Spot], printed: Sequence[PaperSpot], members: Sequence[int], frame: Frame, share: float
) -> list[str]:
    """Positions of the labels of the methods, then of the paper's points; empty = no space."""
    width, height = WIDTH * share, HEIGHT

    def across(value: float) -> float:
        return (math.log10(value) - frame.left) / (frame.right - frame.left) * width

    def up(value: float) -> float:
        return (value - frame.low) / (frame.high - frame.low) * height

    # A label beside a point begins after its bar.
    bar = [across(s.slow) - across(s.seconds) if s.slow >= s.seconds else 0.0 for s in timed]
    radii = [max(d / 2, min(length, 20.0)) for d, length in zip(sizes([s.cost for s in timed]), bar, strict=True)]
    points = [Point(across(s.seconds), up(s.f1), s.title[:CUT], r) for s, r in zip(timed, radii, strict=True)]
    points += [Point(across(p.seconds), up(p.f1), p.title[:CUT]) for p in printed]
    bars = [Box(across(s.seconds) - 2, up(s.low), across(s.seconds) + 2, up(s.high)) for s in timed if not math.isnan(s.low)]
    for i, j in pairwise(members):
        corner = Point(across(timed[j].seconds), up(timed[i].f1), "")
        bars.append(Box(across(timed[i].seconds), corner.y - 1, corner.x, corner.y + 1))
        bars.append(Box(corner.x - 1, corner.y, corner.x + 1, up(timed[j].f1)))
    # The front's labels come first: they matter most when space is short. The paper has only two.
    theirs = range(len(timed), len(points))
    order = [*members, *theirs, *(i for i in range(len(timed)) if i not in members)]
    placed = dict(zip(order, place([points[i] for i in order], width, height, bars), strict=True))
    return [placed[i] for i in range(len(points))]
