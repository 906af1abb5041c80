"""Power against the number of labelled responses. Pure: no streamlit."""

import math

import pandas as pd
import plotly.graph_objects as go

from components.charts.look import DOTTED, GOOD, layout
from groundscope.statistics.power import WANTED, PowerCurve
from groundscope.text.humanize import plural


def power_data(found: PowerCurve) -> pd.DataFrame:
    """One row per size of a set."""
    return pd.DataFrame({"queries": found.queries, "responses": found.responses.round(), "power": found.power})


def power(data: pd.DataFrame, here: int) -> go.Figure:
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
    figure.add_vline(x=here, line=DOTTED)
    # Annotations of a logarithmic axis are placed by the exponent.
    figure.add_annotation(x=math.log10(here), y=1.0, text=f"{here:,} here", showarrow=False, xanchor="left", xshift=4)
    layout(figure, height=320, x="labelled responses", y="share of sets that show it")
    ends = [math.log10(max(1, size)) for size in (min(*data["responses"], here), max(*data["responses"], here))]
    figure.update_xaxes(type="log", dtick=1, range=[ends[0] - 0.1, ends[1] + 0.1])
    figure.update_yaxes(range=[-0.03, 1.05], tickformat=".0%")
    return figure


def enough_words(found: PowerCurve, here: int) -> str:
    """How often so many show the difference, and how many do."""
    at = int(abs(found.responses - here).argmin())
    shown = f"{found.power[at]:.0%}".replace("%", "\u00a0%")
    words = f"{plural(round(found.responses[at]), 'response')} like these"
    enough = found.enough()
    wanted = f"{WANTED:.0%}".replace("%", "\u00a0%")
    more = (
        f"{_round(enough)} show it in {wanted}"
        if not math.isnan(enough)
        else f"{_round(found.responses[-1])} do not reach {wanted}"
    )
    return f"{words} show that in {shown} of sets; {more}."


def _round(count: float) -> str:
    """Two figures that count."""
    return f"about {float(f'{count:.2g}'):,.0f}"
