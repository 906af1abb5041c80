"""One method against its threshold: scores, supports of both classes, ROC, PR and calibration. Pure: no streamlit.

"Ungrounded" is the positive class: precision is the share of flagged responses that are ungrounded, recall the share of
ungrounded responses that are flagged.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from groundscope.drawing.look import BAD, DASHES, DOTTED, GOOD, GRID, INK, PALETTE, SYMBOLS, layout
from groundscope.grounding.runs.arrays import Bools, Floats
from groundscope.statistics.calibration import Reliability
from groundscope.statistics.curves import Curve
from groundscope.statistics.metrics import NAMES, score_arrays

_MOST_POINTS = 600
"""Most points of a line: more would not be visible, but sent to the browser at every move of the slider."""
_LINES = ("macro-F1", "precision of flags", "errors found (recall)")
_COUNTS = ("errors found", "errors missed", "false alarms", "rightly passed")


def curve_data(curve: Curve) -> pd.DataFrame:
    """One row per candidate threshold: scores in 0..1 and counts. Precision is NaN where nothing is flagged."""
    tables = curve.tables()
    values = score_arrays(tables)
    flagged = curve.ungrounded_right + curve.grounded_wrong
    precision = np.where(flagged > 0, values[:, NAMES.index("error_precision")], np.nan)
    columns = (values[:, NAMES.index("macro_f1")], precision, values[:, NAMES.index("error_recall")])
    counts = (curve.ungrounded_right, curve.ungrounded_wrong, curve.grounded_wrong, curve.grounded_right)
    return pd.DataFrame({"threshold": curve.thresholds, **dict(zip((*_LINES, *_COUNTS), (*columns, *counts), strict=True))})


def thinned(data: pd.DataFrame, most: int = _MOST_POINTS) -> pd.DataFrame:
    """At most `most` rows, evenly spaced, with the first, the last and the best macro-F1."""
    if len(data) <= most:
        return data
    chosen = set(np.linspace(0, len(data) - 1, most - 1).round().astype(int).tolist())
    if data[_LINES[0]].notna().any():
        chosen.add(int(data[_LINES[0]].argmax()))
    return data.iloc[sorted(chosen)]


def curves(data: pd.DataFrame, chosen: float, tuned: float) -> go.Figure:
    """Macro-F1, precision and recall of the ungrounded class against the threshold; the tuned one is drawn if it differs."""
    thin = thinned(data)
    figure = go.Figure()
    for i, name in enumerate(_LINES):
        line = {"color": PALETTE[i], "dash": DASHES[i], "width": 3 if i == 0 else 2}
        figure.add_scatter(x=thin["threshold"], y=thin[name], name=name, mode="lines", line=line, hovertemplate="%{y:.3f}")
    _threshold_lines(figure, chosen, tuned)
    return layout(
        figure, x="threshold: responses below it are flagged", y="score", height=380, hovermode="x unified", yaxis_range=[0, 1.02]
    )


def _threshold_lines(figure: go.Figure, chosen: float, tuned: float) -> None:
    same = np.isclose(chosen, tuned, rtol=0, atol=1e-12)
    figure.add_vline(
        x=chosen, line={"color": INK, "width": 2}, annotation={"text": "tuned" if same else "yours", "font": {"color": INK}}
    )
    if not same:
        side = "top left" if tuned < chosen else "top right"
        figure.add_vline(x=tuned, line=DOTTED, annotation={"text": "tuned", "font": {"color": INK}}, annotation_position=side)
        figure.layout.annotations[0].update(xanchor="left" if tuned < chosen else "right")


def histogram_data(supports: Floats, grounded: Bools, bins: int = 30) -> pd.DataFrame:
    """One row per bin of equal width: the number of grounded and ungrounded responses in it; those without a support left out."""
    scored = ~np.isnan(supports)
    values = supports[scored]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if high - low < 1e-9:
        low, high = low - 0.05, high + 0.05
    edges = np.linspace(low, high, bins + 1)
    counts = [np.histogram(values[grounded[scored] == label], edges)[0] for label in (True, False)]
    return pd.DataFrame({"from": edges[:-1], "to": edges[1:], "grounded": counts[0], "ungrounded": counts[1]})


def histogram(data: pd.DataFrame, chosen: float, tuned: float) -> go.Figure:
    """Supports of both classes overlaid: grounded plain with an outline, ungrounded hatched."""
    figure = go.Figure()
    middle, width = (data["from"] + data["to"]) / 2, data["to"] - data["from"]
    looks = (
        ("grounded", {"color": GOOD, "opacity": 0.45, "line": {"color": GOOD, "width": 1.5}}),
        ("ungrounded", {"color": BAD, "opacity": 0.6, "pattern": {"shape": "/", "fgcolor": BAD, "fillmode": "replace"}}),
    )
    between = np.stack([data["from"], data["to"]], axis=1)
    for name, marker in looks:
        hover = f"%{{y:,}} {name}, support %{{customdata[0]:.3f}} to %{{customdata[1]:.3f}}<extra></extra>"
        figure.add_bar(x=middle, y=data[name], width=width, name=name, marker=marker, customdata=between, hovertemplate=hover)
    _threshold_lines(figure, chosen, tuned)
    return layout(figure, x="support: higher = better grounded", y="responses", height=280, barmode="overlay")


def rates_data(curve: Curve) -> pd.DataFrame:
    """One row per candidate threshold: the data of ROC and PR, without responses that have no score."""
    errors = int(curve.ungrounded_right[-1])
    sound = int(curve.grounded_wrong[-1])
    flagged = curve.ungrounded_right + curve.grounded_wrong
    return pd.DataFrame(
        {
            "threshold": curve.thresholds,
            "false alarm rate": _share(curve.grounded_wrong, sound),
            "errors found (recall)": _share(curve.ungrounded_right, errors),
            "precision of flags": _share(curve.ungrounded_right, flagged),
        }
    )


def _share(part: NDArray[np.int64], whole: NDArray[np.int64] | int) -> Floats:
    bottom = np.broadcast_to(np.asarray(whole, dtype=np.float64), part.shape)
    shares: Floats = np.divide(part, bottom, out=np.full(part.shape, np.nan), where=bottom > 0)
    return shares


def roc(data: pd.DataFrame, chosen: float, area: float) -> go.Figure:
    """Errors found against false alarms, the chosen threshold marked, chance dotted; `area` is the AUROC, for the legend."""
    figure = _rates(data, "false alarm rate", "errors found (recall)", chosen, f"AUROC {area:.3f}", "linear")
    figure.add_scatter(x=[0, 1], y=[0, 1], name="chance", mode="lines", line=DOTTED, hoverinfo="skip")
    return layout(figure, x="false alarms: share of grounded flagged", y="errors found: share of ungrounded flagged", **_SQUARE)


def pr(data: pd.DataFrame, chosen: float, area: float) -> go.Figure:
    """Precision against recall of the ungrounded class, the chosen threshold marked, chance dotted; arguments as for `roc`."""
    figure = _rates(data, "errors found (recall)", "precision of flags", chosen, f"average precision {area:.3f}", "vh")
    share = float(data["precision of flags"].iloc[-1])
    figure.add_scatter(x=[0, 1], y=[share, share], name="chance", mode="lines", line=DOTTED, hoverinfo="skip")
    return layout(figure, x="errors found: share of ungrounded flagged", y="precision: share of flags that are right", **_SQUARE)


_SQUARE: dict[str, Any] = {"height": 330, "xaxis_range": [-0.02, 1.02], "yaxis_range": [-0.02, 1.02]}


def _rates(data: pd.DataFrame, x: str, y: str, chosen: float, name: str, shape: str) -> go.Figure:
    drawn = data.iloc[np.unique(np.linspace(0, len(data) - 1, min(len(data), _MOST_POINTS)).round().astype(int))]
    hover = f"{x} %{{x:.3f}}<br>{y} %{{y:.3f}}<br>threshold %{{customdata:.4f}}<extra></extra>"
    figure = go.Figure()
    figure.add_scatter(
        x=drawn[x],
        y=drawn[y],
        customdata=drawn["threshold"],
        name=name,
        mode="lines",
        line={"color": PALETTE[0], "width": 2.5, "shape": shape},
        hovertemplate=hover,
    )
    # The candidate nearest to the threshold.
    point = data.iloc[int((data["threshold"] - chosen).abs().argmin())]
    marker = {"color": BAD, "size": 13, "symbol": "diamond", "line": {"color": GRID, "width": 1}}
    figure.add_scatter(
        x=[point[x]],
        y=[point[y]],
        customdata=[point["threshold"]],
        name="this threshold",
        mode="markers",
        marker=marker,
        hovertemplate=hover,
    )
    return figure


def reliability_data(series: Mapping[str, Reliability]) -> pd.DataFrame:
    """One row per bin that has responses, by series title: "as scored", "after Platt scaling"."""
    rows = [
        (name, b.lower, b.upper, b.count, b.support, b.grounded, b.interval.low, b.interval.high)
        for name, diagram in series.items()
        for b in diagram.bins
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
    layout(figure, height=400)
    figure.update_xaxes(range=[-0.02, 1.02], gridcolor=GRID, zeroline=False)
    figure.update_xaxes(title={"text": "support"}, row=2, col=1)
    figure.update_yaxes(title={"text": "share grounded"}, range=[-0.03, 1.03], row=1, col=1)
    most = int(data["responses"].max()) if len(data) else 1
    figure.update_yaxes(title={"text": "responses"}, range=[0, most * 1.3], gridcolor=GRID, row=2, col=1)
    return figure
