"""The share of live answers that stand on their sources, day by day."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from components.charts.look import INK, PALETTE, error_bars, hover_text, layout, plain
from groundscope.text.humanize import plural
from groundscope.traces.measuring import LiveShare


def days(found: Sequence[LiveShare], versions: Mapping[str, str]) -> go.Figure:
    """Draw a point a day with its 95 % interval; `versions` has the first day of each version, drawn as a line with its name."""
    shares = np.array([one.share for one in found])
    low, high = (np.array([end for one in found for end in (getattr(one.interval, side),)]) for side in ("low", "high"))
    figure = go.Figure()
    figure.add_scatter(
        x=[one.name for one in found],
        y=shares,
        mode="lines+markers",
        connectgaps=False,
        marker={"size": 8, "color": PALETTE[0]},
        line={"width": 1.5, "color": PALETTE[0]},
        error_y=error_bars(shares, low, high, color=INK),
        hovertext=[hover_text(_lines(one)) for one in found],
        hoverinfo="text",
        showlegend=False,
    )
    layout(figure, height=340, y="Answers that stand on their sources", margin={"l": 60, "r": 20, "t": 40, "b": 45})
    figure.update_yaxes(tickformat=".0%", range=[0, 1.02])
    figure.update_xaxes(type="date", tickformat="%b %d")
    for version, day in versions.items():
        figure.add_vline(x=day, line={"color": INK, "width": 1, "dash": "dot"})
        figure.add_annotation(
            x=day, y=1.0, yref="paper", yanchor="bottom", xanchor="left", text=plain(version, 24), showarrow=False,
            font={"size": 11, "color": INK},
        )  # fmt: skip
    return figure


def _lines(one: LiveShare) -> list[str]:
    if not one.verdicts:
        return [one.name, "no verdict"]
    ends = f"95 % interval {one.interval.low:.1%} to {one.interval.high:.1%}"
    lines = [one.name, f"{one.share:.1%} of {plural(one.verdicts, 'answer')}", ends]
    return [*lines, f"{one.undecided:,} without a verdict"] if one.undecided else lines
