"""Agreement between methods as annotated squares."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from components.charts.look import PALETTE, layout, plain
from groundscope.grounding.runs.arrays import Floats, Integers

_CELL = 34
_AGREE, _OPPOSE = PALETTE[0], PALETTE[1]


def squares(values: Floats, shared: Integers, titles: Sequence[str], name: str) -> go.Figure:
    """Draw a symmetric (m, m) matrix of -1..1; a darker square is further from 0; NaN is a dash.

    `shared` are the numbers of responses on which both methods have a verdict, `name` the measure, for the hover.
    """
    count = len(titles)
    rows, columns = (axis.ravel() for axis in np.indices((count, count)))
    apart = rows != columns
    rows, columns = rows[apart], columns[apart]
    found = values[rows, columns]
    figure = go.Figure(
        go.Scatter(
            x=columns,
            y=rows,
            mode="markers+text",
            text=[number(v) for v in found],
            textposition="middle center",
            textfont={"size": 11},
            marker={"symbol": "square", "size": _CELL - 4, "color": [_shade(v) for v in found], "line": {"width": 0}},
            hovertext=[
                f"{plain(titles[i])}<br>{plain(titles[j])}<br>{name}: {'none' if np.isnan(v) else f'{v:.3f}'}"
                f"<br>{shared[i, j]:,} responses with both verdicts"
                for i, j, v in zip(rows, columns, found, strict=True)
            ],
            hoverinfo="text",
            showlegend=False,
        )
    )
    numbers = [str(i + 1) for i in range(count)]
    layout(figure, height=count * _CELL + 90, margin={"l": 10, "r": 20, "t": 40, "b": 10})
    side = {"tickvals": list(range(count)), "showgrid": False, "zeroline": False, "fixedrange": True}
    figure.update_xaxes(**side, ticktext=numbers, side="top", range=[-0.6, count - 0.4])
    names = [f"{plain(t, 34)}  {n}" for t, n in zip(titles, numbers, strict=True)]
    figure.update_yaxes(**side, ticktext=names, range=[count - 0.4, -0.6], automargin=True)
    return figure


def number(value: float) -> str:
    """Two digits, never "-0.00"; a dash if there is no value."""
    return "–" if np.isnan(value) else f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _shade(value: float) -> str:
    """Blue above 0, orange below, faint enough to read text on it in the light and the dark theme."""
    if np.isnan(value):
        return "rgba(128,134,143,0.12)"
    color = _AGREE if value >= 0 else _OPPOSE
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{0.06 + 0.5 * min(1.0, abs(value)):.2f})"
