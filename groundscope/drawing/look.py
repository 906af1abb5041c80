"""The common style of all charts: readable in the light and the dark theme, and without colour."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from groundscope.text.humanize import shortened

PALETTE = ("#3b7dc4", "#d9822b", "#2a9d8f", "#b5538b", "#8a8f98", "#c9a227", "#6d5bb5", "#4f9d45")
"""Distinct for colour-blind readers, in both themes."""
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
INK = "#80868f"
"""Colour of lines and text inside a chart, readable in both themes."""
GRID = "rgba(128,134,143,0.25)"
GOOD, BAD = PALETTE[0], PALETTE[1]


def layout(figure: go.Figure, *, height: int = 420, x: str = "", y: str = "", **more: Any) -> go.Figure:
    """Apply the common style to a figure in place, and return it; text colours come from the page's theme.

    `x` and `y` are the titles of the axes, `more` other layout attributes, which are merged into the style.
    """
    figure.update_layout(
        height=height,
        margin={"l": 60, "r": 20, "t": 30, "b": 55},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hoverlabel={"align": "left"},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "xanchor": "left", "x": 0},
        xaxis={"title": {"text": x}, "gridcolor": GRID, "zeroline": False},
        yaxis={"title": {"text": y}, "gridcolor": GRID, "zeroline": False},
    )
    figure.update_layout(**more)
    return figure


DOTTED = {"color": INK, "dash": "dot", "width": 1.5}
LINES = {"autorange": "reversed", "automargin": True, "showgrid": False}
"""A vertical axis of names, the first on top."""


def error_bars(middle: ArrayLike, low: ArrayLike, high: ArrayLike, **more: Any) -> dict[str, Any]:
    """Error bars from the ends of intervals; none where an end is NaN."""
    up, down = (np.nan_to_num(np.maximum(0.0, side)) for side in (np.subtract(high, middle), np.subtract(middle, low)))
    return {"type": "data", "array": up, "arrayminus": down, "thickness": 1, "width": 3, **more}


def hatched(colour: str, shape: str) -> dict[str, Any]:
    """The marker of a bar in a colour, with a pattern as a second cue."""
    pattern = {"shape": shape, "fillmode": "overlay", "fgcolor": "#ffffff", "fgopacity": 0.35, "size": 7}
    return {"color": colour, "pattern": pattern}


def hover_text(lines: Iterable[str]) -> str:
    """Lines of text as plotly shows them on hover."""
    return "<br>".join(plain(line, 90) for line in lines)


def distinct(names: Sequence[str]) -> list[str]:
    """Names of lines; equal ones get numbers, or they would share a line of the axis."""
    return [n if names.count(n) == 1 else f"{n} {i}" for i, n in enumerate(names, 1)]


def plain(text: str, most: int = 60) -> str:
    """Text of a user or a file for plotly, which reads some HTML: escaped, on one line, cut."""
    line = " ".join(text.split())
    # Plotly does not unescape quotation marks.
    return escape(shortened(line, most), quote=False)
