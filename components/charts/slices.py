"""F1 on parts of the responses: one line per part, one symbol per method."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from components.charts.agreement import number
from components.charts.look import GRID, PALETTE, SYMBOLS, error_bars, layout, plain
from groundscope.grounding.slices import Slice

_APART = 0.6
"""Share of a part's line over which its methods are spread."""


def parts(found: Sequence[Slice], methods: Sequence[int], titles: Sequence[str]) -> go.Figure:
    """Draw the methods at some indices on all parts, the first part on top, each with its interval."""
    figure = go.Figure()
    for k, i in enumerate(methods):
        shift = 0.0 if len(methods) < 2 else _APART * (k / (len(methods) - 1) - 0.5)
        f1 = np.array([s.macro_f1[i] for s in found])
        low, high = (np.array([s.interval[i, end] for s in found]) for end in (0, 1))
        figure.add_scatter(
            x=f1,
            y=np.arange(len(found)) + shift,
            mode="markers",
            name=plain(titles[i], 40),
            marker={"symbol": SYMBOLS[k % len(SYMBOLS)], "size": 10, "color": PALETTE[k % len(PALETTE)]},
            error_x=error_bars(f1, low, high),
            hovertext=[
                f"{plain(titles[i])}<br>{plain(s.name)}<br>F1 {number(v)}, 95 % {number(a)} to {number(b)}"
                f"<br>{s.judged[i]:,} responses, {s.ungrounded:,} of the part's {s.responses:,} ungrounded"
                for s, v, a, b in zip(found, f1, low, high, strict=True)
            ],
            hoverinfo="text",
        )
    layout(
        figure, height=110 + max(40, 18 * len(methods)) * len(found), x="Macro-F1", margin={"l": 10, "r": 20, "t": 60, "b": 50}
    )
    figure.update_yaxes(
        tickvals=list(range(len(found))),
        ticktext=[f"{plain(s.name, 34)} ({s.responses:,})" for s in found],
        range=[len(found) - 0.4, -0.6],
        showgrid=False,
        automargin=True,
    )
    for edge in range(1, len(found)):
        figure.add_hline(y=edge - 0.5, line={"color": GRID, "width": 1})
    figure.update_xaxes(tickformat=".2f")
    return figure
