"""One method against its threshold: scores, supports of both classes, ROC and PR. Pure: no streamlit.

"Ungrounded" is the positive class: precision is the share of flagged responses that are ungrounded, recall the share of
ungrounded responses that are flagged.
"""

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from components.charts.look import BAD, DASHES, DOTTED, GOOD, GRID, INK, PALETTE, layout
from groundscope.grounding.runs.arrays import Bools, Floats
from groundscope.statistics.curves import Curve
from groundscope.statistics.metrics import NAMES, score_arrays

_MOST_POINTS = 600
"""Most points of a line: more would not be visible, but sent to the browser at every move of the slider."""
_BINS = 30
_LINES = ("macro-F1", "precision of flags", "errors found (recall)")
_COUNTS = ("errors found", "errors missed", "false alarms", "rightly passed")


def curve_data(found: Curve) -> pd.DataFrame:
    """One row per candidate threshold: scores in 0..1 and counts. Precision is NaN where nothing is flagged."""
    tables = found.tables()
    values = score_arrays(tables)
    flagged = found.ungrounded_right + found.grounded_wrong
    precision = np.where(flagged > 0, values[:, NAMES.index("error_precision")], np.nan)
    columns = (values[:, NAMES.index("macro_f1")], precision, values[:, NAMES.index("error_recall")])
    counts = (found.ungrounded_right, found.ungrounded_wrong, found.grounded_wrong, found.grounded_right)
    return pd.DataFrame({"threshold": found.thresholds, **dict(zip((*_LINES, *_COUNTS), (*columns, *counts), strict=True))})


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
        figure.add_vline(
            x=tuned,
            line=DOTTED,
            annotation={"text": "tuned", "font": {"color": INK}},
            annotation_position=side,
        )
        figure.layout.annotations[0].update(xanchor="left" if tuned < chosen else "right")


def histogram_data(supports: Floats, grounded: Bools, bins: int = _BINS) -> pd.DataFrame:
    """One row per bin of equal width: the number of grounded and ungrounded responses in it; those without a support left out."""
    known = ~np.isnan(supports)
    values = supports[known]
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if high - low < 1e-9:
        low, high = low - 0.05, high + 0.05
    edges = np.linspace(low, high, bins + 1)
    counts = [np.histogram(values[grounded[known] == label], edges)[0] for label in (True, False)]
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
    return layout(figure, x="support: higher = better grounded", y="responses", height=380, barmode="overlay")


def rates_data(found: Curve) -> pd.DataFrame:
    """One row per candidate threshold: the data of ROC and PR, without responses that have no score."""
    errors = int(found.ungrounded_right[-1])
    sound = int(found.grounded_wrong[-1])
    flagged = found.ungrounded_right + found.grounded_wrong
    return pd.DataFrame(
        {
            "threshold": found.thresholds,
            "false alarm rate": _share(found.grounded_wrong, sound),
            "errors found (recall)": _share(found.ungrounded_right, errors),
            "precision of flags": _share(found.ungrounded_right, flagged),
        }
    )


def _share(part: NDArray[np.int64], whole: NDArray[np.int64] | int) -> Floats:
    bottom = np.broadcast_to(np.asarray(whole, dtype=np.float64), part.shape)
    found: Floats = np.divide(part, bottom, out=np.full(part.shape, np.nan), where=bottom > 0)
    return found


def _place(data: pd.DataFrame, chosen: float) -> pd.Series:
    """The row of the candidate nearest to a threshold."""
    return data.iloc[int((data["threshold"] - chosen).abs().argmin())]


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


_SQUARE: dict[str, Any] = {"height": 400, "xaxis_range": [-0.02, 1.02], "yaxis_range": [-0.02, 1.02]}


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
    here = _place(data, chosen)
    marker = {"color": BAD, "size": 13, "symbol": "diamond", "line": {"color": GRID, "width": 1}}
    figure.add_scatter(
        x=[here[x]],
        y=[here[y]],
        customdata=[here["threshold"]],
        name="this threshold",
        mode="markers",
        marker=marker,
        hovertemplate=hover,
    )
    return figure
