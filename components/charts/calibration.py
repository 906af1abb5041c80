"""A reliability diagram: the share of grounded responses by support. Pure: no streamlit."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from components.charts.look import DASHES, DOTTED, GRID, PALETTE, SYMBOLS, layout
from groundscope.statistics.calibration import Reliability


def reliability_data(found: Mapping[str, Reliability]) -> pd.DataFrame:
    """One row per bin that has responses, by series title: "as scored", "after Platt scaling"."""
    rows = [
        (name, b.lower, b.upper, b.count, b.support, b.grounded, b.interval.low, b.interval.high)
        for name, one in found.items()
        for b in one.bins
        if b.count
    ]
    columns = ["supports", "from", "to", "responses", "mean support", "share grounded", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def reliability(data: pd.DataFrame) -> go.Figure:
    """Shares with Wilson's 95 % bars above, counts of responses below; on the dotted line support equals the share."""
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[0.74, 0.26], vertical_spacing=0.06)
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", name="calibrated", line=DOTTED, hoverinfo="skip", row=1, col=1)
    names = list(dict.fromkeys(data["supports"]))
    for i, name in enumerate(names):
        part = data[data["supports"] == name]
        colour = PALETTE[i]
        hover = "%{customdata[0]:,} responses, mean support %{x:.3f}<br>grounded: %{y:.1%}<extra>" + name + "</extra>"
        figure.add_scatter(
            x=part["mean support"],
            y=part["share grounded"],
            customdata=np.stack([part["responses"]], axis=1),
            error_y={"array": part["high"] - part["share grounded"], "arrayminus": part["share grounded"] - part["low"]},
            name=name,
            mode="lines+markers",
            marker={"symbol": SYMBOLS[i], "size": 9, "color": colour},
            line={"dash": DASHES[i], "color": colour, "width": 1.5},
            hovertemplate=hover,
            row=1,
            col=1,
        )
        width = (part["to"] - part["from"]) / len(names)
        figure.add_bar(
            x=part["from"] + width * (i + 0.5),
            y=part["responses"],
            width=width * 0.92,
            name=name,
            showlegend=False,
            marker={
                "color": colour,
                "opacity": 0.6,
                "pattern": {"shape": ("", "/")[min(i, 1)], "fgcolor": colour, "fillmode": "replace"},
            },
            text=[f"{n:,}" for n in part["responses"]],
            textposition="outside",
            cliponaxis=False,
            hoverinfo="skip",
            row=2,
            col=1,
        )
    layout(figure, height=460)
    figure.update_xaxes(range=[-0.02, 1.02], gridcolor=GRID, zeroline=False)
    figure.update_xaxes(title={"text": "support"}, row=2, col=1)
    figure.update_yaxes(title={"text": "share grounded"}, range=[-0.03, 1.03], row=1, col=1)
    most = int(data["responses"].max()) if len(data) else 1
    figure.update_yaxes(title={"text": "responses"}, range=[0, most * 1.3], gridcolor=GRID, row=2, col=1)
    return figure
