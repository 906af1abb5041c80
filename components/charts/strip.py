"""A strip beside F1 against latency, for points with an F1 but no latency: no invented position on the latency axis."""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from components.charts.labels import spread
from components.charts.look import GRID, INK, hover_text, plain

WIDTH = 0.2
"""Share of the drawing, without the gap to its neighbour."""
MOST = 18
"""Most points in a strip."""
_DRAWN = 360.0
"""Height of the drawing in pixels, without axes and legend."""
_LINE = 14.0
_MARK, _LABEL = 0.06, 0.17
_QUIET = {"hoverinfo": "skip", "showlegend": False}
_EDGE = {"color": GRID, "width": 1, "dash": "dot"}


@dataclass(frozen=True, slots=True)
class Loose:
    """A point without a latency. A click returns its id, empty = nothing; size in pixels; the hover is escaped here."""

    id: str
    title: str
    f1: float
    symbol: str
    size: float
    color: str
    hover: tuple[str, ...] = ()


def strip(figure: go.Figure, points: Sequence[Loose], levels: tuple[float, float], axis: int, title: str) -> None:
    """Add a strip to a figure, whose own horizontal axis must leave space.

    `levels` is the range of the F1 axis, `axis` the number of the strip's own: 2 at the right, 3 at the left; `title` says why
    the points have no latency.
    """
    start, name = (1 - WIDTH, "x2") if axis == 2 else (0.0, f"x{axis}")
    gap = _LINE / _DRAWN * (levels[1] - levels[0])
    heights = spread([p.f1 for p in points], gap, levels[0] + gap, levels[1] - gap)
    ties_x = [x for _ in points for x in (_MARK, _LABEL - 0.02, None)]
    ties_y = [y for p, height in zip(points, heights, strict=True) for y in (p.f1, height, None)]
    figure.add_scatter(x=ties_x, y=ties_y, mode="lines", line={"color": GRID, "width": 1}, xaxis=name, **_QUIET)
    figure.add_scatter(
        x=[_MARK] * len(points),
        y=[p.f1 for p in points],
        mode="markers",
        marker={
            "symbol": [p.symbol for p in points],
            "size": [p.size for p in points],
            "color": [p.color for p in points],
            "opacity": 1,
            "line": {"width": [2 if p.symbol.endswith("open") else 0 for p in points]},
        },
        customdata=[[p.id] for p in points],
        hovertext=[hover_text((p.title, *p.hover)) for p in points],
        hoverinfo="text",
        showlegend=False,
        xaxis=name,
    )
    figure.add_scatter(
        x=[_LABEL] * len(points),
        y=heights,
        mode="text",
        text=[plain(p.title, 24) for p in points],
        textposition="middle right",
        textfont={"size": 11, "color": INK},
        xaxis=name,
        **_QUIET,
    )
    look = {"domain": [start, start + WIDTH], "range": [0, 1], "anchor": "y", "showgrid": False, "zeroline": False}
    figure.update_layout({f"xaxis{axis}": {**look, "showticklabels": False, "fixedrange": True, "title": {"text": title}}})
    edge = start if axis == 2 else start + WIDTH
    figure.add_shape(type="line", xref="paper", x0=edge, x1=edge, yref="paper", y0=0, y1=1, line=_EDGE)
