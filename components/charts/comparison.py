"""Figures of a run: agreement between methods, F1 on parts of the responses, power by number of labelled responses; error types.

What the paper's figure 3 counts is not certain: see `groundscope.grounding.misclassified.table`.
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from groundscope.drawing.look import DOTTED, GOOD, GRID, LINES, PALETTE, SYMBOLS, distinct, error_bars, layout, plain
from groundscope.grounding.comparing.comparisons import Slice
from groundscope.grounding.runs.arrays import Floats, Integers
from groundscope.statistics.power import WANTED, PowerCurve
from groundscope.text.humanize import plural

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
    cells = values[rows, columns]
    figure = go.Figure(
        go.Scatter(
            x=columns,
            y=rows,
            mode="markers+text",
            text=[number(v) for v in cells],
            textposition="middle center",
            textfont={"size": 11},
            marker={"symbol": "square", "size": _CELL - 4, "color": [_shade(v) for v in cells], "line": {"width": 0}},
            hovertext=[
                f"{plain(titles[i])}<br>{plain(titles[j])}<br>{name}: {'none' if np.isnan(v) else f'{v:.3f}'}"
                f"<br>{shared[i, j]:,} responses with both verdicts"
                for i, j, v in zip(rows, columns, cells, strict=True)
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


_APART = 0.6
"""Share of a part's line over which its methods are spread."""


def parts(slices: Sequence[Slice], methods: Sequence[int], titles: Sequence[str]) -> go.Figure:
    """Draw the methods at some indices on all parts, the first part on top, each with its interval."""
    figure = go.Figure()
    for k, i in enumerate(methods):
        shift = 0.0 if len(methods) < 2 else _APART * (k / (len(methods) - 1) - 0.5)
        f1 = np.array([s.macro_f1[i] for s in slices])
        low, high = (np.array([s.interval[i, end] for s in slices]) for end in (0, 1))
        figure.add_scatter(
            x=f1,
            y=np.arange(len(slices)) + shift,
            mode="markers",
            name=plain(titles[i], 40),
            marker={"symbol": SYMBOLS[k % len(SYMBOLS)], "size": 10, "color": PALETTE[k % len(PALETTE)]},
            error_x=error_bars(f1, low, high),
            hovertext=[
                f"{plain(titles[i])}<br>{plain(s.name)}<br>F1 {number(v)}, 95 % {number(a)} to {number(b)}"
                f"<br>{s.judged[i]:,} responses, {s.ungrounded:,} of the part's {s.responses:,} ungrounded"
                for s, v, a, b in zip(slices, f1, low, high, strict=True)
            ],
            hoverinfo="text",
        )
    layout(
        figure, height=110 + max(40, 18 * len(methods)) * len(slices), x="Macro-F1", margin={"l": 10, "r": 20, "t": 60, "b": 50}
    )
    figure.update_yaxes(
        tickvals=list(range(len(slices))),
        ticktext=[f"{plain(s.name, 34)} ({s.responses:,})" for s in slices],
        range=[len(slices) - 0.4, -0.6],
        showgrid=False,
        automargin=True,
    )
    for edge in range(1, len(slices)):
        figure.add_hline(y=edge - 0.5, line={"color": GRID, "width": 1})
    figure.update_xaxes(tickformat=".2f")
    return figure


def power_data(curve: PowerCurve) -> pd.DataFrame:
    """One row per size of a set."""
    return pd.DataFrame({"queries": curve.queries, "responses": curve.responses.round(), "power": curve.power})


def power(data: pd.DataFrame, responses: int) -> go.Figure:
    """The curve, a dotted line at the power that is usually asked for, and another at how many there are here."""
    figure = go.Figure()
    figure.add_scatter(
        x=data["responses"],
        y=data["power"],
        mode="lines+markers",
        line={"color": GOOD, "width": 2},
        marker={"size": 8},
        hovertemplate="%{x:,.0f} responses: shown in %{y:.0%} of sets<extra></extra>",
        showlegend=False,
    )
    figure.add_hline(y=WANTED, line=DOTTED, annotation_text=f"{WANTED:.0%}", annotation_position="top left")
    figure.add_vline(x=responses, line=DOTTED)
    # Annotations of a logarithmic axis are placed by the exponent.
    figure.add_annotation(x=math.log10(responses), y=1.0, text=f"{responses:,} here", showarrow=False, xanchor="left", xshift=4)
    layout(figure, height=320, x="labelled responses", y="share of sets that show it")
    ends = [math.log10(max(1, size)) for size in (min(*data["responses"], responses), max(*data["responses"], responses))]
    figure.update_xaxes(type="log", dtick=1, range=[ends[0] - 0.1, ends[1] + 0.1])
    figure.update_yaxes(range=[-0.03, 1.05], tickformat=".0%")
    return figure


def enough_words(curve: PowerCurve, responses: int) -> str:
    """How often so many show the difference, and how many do."""
    at = int(abs(curve.responses - responses).argmin())
    shown = f"{curve.power[at]:.0%}".replace("%", "\u00a0%")
    words = f"{plural(round(curve.responses[at]), 'response')} like these"
    enough = curve.enough()
    target = f"{WANTED:.0%}".replace("%", "\u00a0%")
    more = (
        f"{_round(enough)} show it in {target}"
        if not math.isnan(enough)
        else f"{_round(curve.responses[-1])} do not reach {target}"
    )
    return f"{words} show that in {shown} of sets; {more}."


def _round(count: float) -> str:
    """Two figures that count."""
    return f"about {float(f'{count:.2g}'):,.0f}"


_LEAST = 0.5
"""Lower end of a logarithmic axis of counts."""


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
