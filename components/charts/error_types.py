"""Error types as figures: misses by method (paper, table 4), and how often each type occurs (figures 3 and 4)."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from components.charts.look import BAD, GRID, LINES, PALETTE, distinct, layout, plain
from groundscope.grounding.misclassified.table import GROUNDED, OCCURRENCES, PART_TITLES, PARTS, ErrorTable

_LARGEST = 30
"""Side of the square for a rate of 1, in pixels."""
_LINE = 78
_ALARM = PALETTE[0]
_LEAST = 0.5
"""Lower end of a logarithmic axis of counts."""


def misses(table: ErrorTable, names: Sequence[str], parts: Sequence[int]) -> go.Figure:
    """One square per method and error type; its area is the share of responses that the method misclassifies.

    The outline is a share of 1. Squares have the customdata (part, method id). `parts` are drawn from left to right.
    """
    cells = [(i, m) for m in range(len(table.ids)) for i in parts]
    columns = {i: _column(table, i) for i in parts}
    lines = distinct([plain(n, 34) for n in names])
    rate = np.array([np.nan_to_num(table.rate[i, m]) for i, m in cells])
    common = {
        "x": [columns[i] for i, _ in cells],
        "y": [lines[m] for _, m in cells],
        "customdata": [(PARTS[i], table.ids[m]) for i, m in cells],
        "hovertext": [_hover(table, i, m, names) for i, m in cells],
        "hoverinfo": "text",
        "showlegend": False,
    }
    figure = go.Figure()
    figure.add_scatter(
        **common,
        mode="markers+text",
        marker={"symbol": "square-open", "size": _LARGEST, "color": GRID},
        text=[_label(table, i, m) for i, m in cells],
        textposition="bottom center",
        name="all",
    )
    colours = [_ALARM if PARTS[i] == GROUNDED else BAD for i, _ in cells]
    figure.add_scatter(
        **common,
        mode="markers",
        marker={"symbol": "square", "size": _LARGEST * np.sqrt(rate), "color": colours, "opacity": 1},
        name="misclassified",
    )
    return _framed(figure, len(names), len(parts))


def _framed(figure: go.Figure, methods: int, parts: int) -> go.Figure:
    # The first method on top; space under the last line for its numbers.
    return layout(
        figure,
        height=130 + _LINE * max(1, methods),
        yaxis={"autorange": False, "range": [methods - 0.25, -0.5], "automargin": True},
        xaxis={"side": "top", "range": [-0.5, parts - 0.5], "automargin": True},
        margin={"l": 20, "t": 20, "b": 10},
    )


def _column(table: ErrorTable, at: int) -> str:
    words = PART_TITLES[PARTS[at]].replace(" ", "<br>", 1)
    return f"{words}<br>n = {int(table.responses[at]):,}"


def _label(table: ErrorTable, at: int, method: int) -> str:
    rate = table.rate[at, method]
    return "–" if np.isnan(rate) else f"{int(table.wrong[at, method]):,}/{int(table.total[at, method]):,}<br>{rate:.0%}"


def _hover(table: ErrorTable, at: int, method: int, names: Sequence[str]) -> str:
    part = PARTS[at]
    total, rate = int(table.total[at, method]), table.rate[at, method]
    head = f"<b>{plain(names[method])}</b><br>{PART_TITLES[part]}"
    if np.isnan(rate):
        return f"{head}<br>no response"
    words = "called ungrounded" if part == GROUNDED else "not caught"
    of = "occurrences" if part == OCCURRENCES else "responses"
    ends = "" if part == OCCURRENCES else f"<br>95% interval {table.low[at, method]:.1%} to {table.high[at, method]:.1%}"
    none = int(table.none[at, method])
    return f"{head}<br>{int(table.wrong[at, method]):,} of {total:,} {of} {words}: {rate:.1%}{ends}<br>{none:,} without a verdict"


def frequencies(names: Sequence[str], counts: NDArray[np.int64], unit: str, *, of: int = 0, log: bool = False) -> go.Figure:
    """One bar per error type or combination, with its count in `unit`s and its share of all counts, or of `of`.

    On a logarithmic axis (`log`) a count of 0 is a bar without length at its lower end, which is a half.
    """
    total = of or int(counts.sum())
    labels = [f" {int(c):,} ({c / total:.1%})" if total else " 0" for c in counts]
    figure = go.Figure(
        go.Bar(
            x=np.maximum(counts, _LEAST) if log else counts,
            y=distinct([plain(name, 90) for name in names]),
            orientation="h",
            text=labels,
            textposition="outside",
            cliponaxis=False,
            marker={"color": PALETTE[0]},
            hoverinfo="skip",
        )
    )
    most = max(1, int(counts.max(initial=0)))
    # Room for the label of the longest bar.
    ends = [np.log10(_LEAST), np.log10(_LEAST) + 1.22 * np.log10(most / _LEAST)] if log else [0, most * 1.18]
    scale = {"type": "log", "dtick": "D2"} if log else {}
    return layout(
        figure,
        height=90 + 40 * len(names),
        x=f"{unit}, logarithmic" if log else unit,
        xaxis={"range": ends, "tickformat": ",d", **scale},
        yaxis=LINES,
        margin={"l": 20, "t": 10, "b": 50},
    )
