"""Progress of a training: the loss on train above, macro-F1 and AUROC on dev below. Pure: no streamlit."""

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from groundscope.drawing.look import DASHES, GRID, INK, PALETTE, SYMBOLS, layout

Losses = Sequence[tuple[int, float]]
"""(step, mean loss since the previous entry)."""
Evaluations = Sequence[tuple[int, float, float]]
"""(step, macro-F1, AUROC) on dev."""

STEP, LOSS, F1, AUROC = "step", "loss on train", "macro-F1 on dev", "AUROC on dev"


def training_data(losses: Losses, evaluations: Evaluations) -> pd.DataFrame:
    """One row per step with a value; missing values are NaN."""
    rows: dict[int, dict[str, float]] = {}
    for step, loss in losses:
        rows.setdefault(step, {})[LOSS] = loss
    for step, f1, auroc in evaluations:
        rows.setdefault(step, {}).update({F1: f1, AUROC: auroc})
    table = pd.DataFrame([{STEP: step, **rows[step]} for step in sorted(rows)], columns=[STEP, LOSS, F1, AUROC])
    return table.astype({STEP: int, LOSS: float, F1: float, AUROC: float})


def training(data: pd.DataFrame, steps: int) -> go.Figure:
    """Both over all `steps`, so that the empty space at the right is the work left."""
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[0.45, 0.55], vertical_spacing=0.14)
    for i, (name, row) in enumerate(((LOSS, 1), (F1, 2), (AUROC, 2))):
        part = data[data[name].notna()]
        figure.add_scatter(
            x=part[STEP],
            y=part[name],
            name=name,
            mode="lines+markers",
            line={"color": PALETTE[i], "dash": DASHES[i], "width": 1.8},
            marker={"color": PALETTE[i], "symbol": SYMBOLS[i], "size": 5 if row == 1 else 8},
            hovertemplate=f"step %{{x:,}}<br>{name} %{{y:.3f}}<extra></extra>",
            row=row,
            col=1,
        )
    _best(figure, data)
    figure.add_hline(y=0.5, line={"color": INK, "dash": "dot", "width": 1.2}, row=2, col=1)
    layout(figure, height=380, margin={"l": 60, "r": 20, "t": 40, "b": 50}, uirevision="training")
    figure.update_xaxes(range=[-0.015 * max(1, steps), 1.015 * max(1, steps)], gridcolor=GRID, zeroline=False)
    figure.update_xaxes(title={"text": "step"}, row=2, col=1)
    figure.update_yaxes(title={"text": "loss"}, nticks=4, gridcolor=GRID, zeroline=False, row=1, col=1)
    figure.update_yaxes(title={"text": "on dev"}, range=_range(data), gridcolor=GRID, zeroline=False, row=2, col=1)
    return figure


def _best(figure: go.Figure, data: pd.DataFrame) -> None:
    """A ring around the evaluation whose weights are saved: the first with the highest macro-F1."""
    evaluated = data[data[F1].notna() & (data[STEP] > 0)]
    if evaluated.empty:
        return
    best = evaluated.loc[evaluated[F1].idxmax()]
    figure.add_scatter(
        x=[best[STEP]],
        y=[best[F1]],
        name="best on dev: the saved model",
        mode="markers",
        marker={"color": PALETTE[1], "symbol": "circle-open", "size": 17, "line": {"width": 2}},
        hoverinfo="skip",
        row=2,
        col=1,
    )


def _range(data: pd.DataFrame) -> list[float]:
    """A steady range while the line grows: 0.4 to 0.8, and wider only if a value lies outside."""
    values = [v for name in (F1, AUROC) for v in data[name] if not math.isnan(v)]
    return [min([0.4, *(v - 0.05 for v in values)]), max([0.8, *(v + 0.05 for v in values)])]
