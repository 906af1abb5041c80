"""A training in words and as a figure: loss on train above, macro-F1 and AUROC on dev below, and what was gained."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from groundscope.drawing.look import DASHES, GRID, INK, PALETTE, SYMBOLS, layout
from groundscope.text.humanize import plural
from groundscope.training.options import TrainingProgress
from groundscope.training.pairs import LabelledSplits

Losses = Sequence[tuple[int, float]]
"""(step, mean loss since the previous entry)."""
Evaluations = Sequence[tuple[int, float, float]]
"""(step, macro-F1, AUROC) on dev."""

STEP, LOSS, F1, AUROC = "step", "loss on train", "macro-F1 on dev", "AUROC on dev"
_FEW = 1_000
"""Pairs or responses of dev below which the text says how large a chance difference may be: about 1 / sqrt(n), half a 95 %
interval of a share near one half."""
_SAME = 0.0005


def parts_words(splits: LabelledSplits, title: str) -> str:
    """The number of responses in the split to learn from, in dev, and unused."""
    drawn = "; the set has no splits, so a random tenth of its queries is dev" if splits.drawn else ""
    left = splits.untouched
    alone = f" {plural(left, 'is', 'are')} not used: those in test, and those without a label." if left else ""
    return f"{title}: {len(splits.train):,} responses to learn from (train), {len(splits.dev):,} to steer by (dev){drawn}.{alone}"


def points(reports: Sequence[TrainingProgress]) -> tuple[list[tuple[int, float]], list[tuple[int, float, float]]]:
    """Losses and evaluations by step; steps repeated after a pause count once, with their last values."""
    losses: dict[int, float] = {}
    evaluations: dict[int, tuple[float, float]] = {}
    last = 0
    for report in reports:
        if report.step < last:
            losses = {step: v for step, v in losses.items() if step < report.step}
            evaluations = {step: e for step, e in evaluations.items() if step < report.step}
        last = report.step
        if report.loss is not None:
            losses[report.step] = report.loss
        if report.dev_f1 is not None and report.dev_auroc is not None:
            evaluations[report.step] = (report.dev_f1, report.dev_auroc)
    return sorted(losses.items()), [(step, *found) for step, found in sorted(evaluations.items())]


def curve_words(losses: Losses, evaluations: Evaluations) -> str:
    """The figures of the curve in a sentence, also as alt text; empty if there are none."""
    sentences = []
    if losses:
        sentences.append(f"Loss {losses[-1][1]:.3f} at step {losses[-1][0]:,}, {losses[0][1]:.3f} at first")
    if evaluations:
        step, f1, auroc = evaluations[-1]
        best = max(evaluations, key=lambda e: e[1])
        sentences.append(
            f"on dev macro-F1 {f1:.3f} and AUROC {auroc:.3f} at step {step:,}, best macro-F1 {best[1]:.3f} at {best[0]:,}"
        )
    joined = "; ".join(sentences)
    return f"{joined[0].upper()}{joined[1:]}." if joined else ""


def verdict(record: Mapping[str, Any]) -> str:
    """Whether dev improved, in words; empty if the training is unknown."""
    before, after = record.get("dev_before") or {}, record.get("dev_after") or {}
    if "macro_f1" not in before or "macro_f1" not in after:
        return ""
    n = int((record.get("pairs") or {}).get("dev", 0))
    old, now = before["macro_f1"], after["macro_f1"]
    moved = f"rose, from {old:.3f} to" if now - old > _SAME else f"fell, from {old:.3f} to" if old - now > _SAME else "stayed at"
    words = f"On the {n:,} pairs of dev macro-F1 {moved} {now:.3f}."
    responses = record.get("responses")
    beside = (
        [row["macro_f1"] for row in responses.get("beside", ()) if "macro_f1" in row] if isinstance(responses, Mapping) else []
    )
    if len(beside) > 1:
        ours, other = beside[:2]
        than = "better than" if ours - other > _SAME else "worse than" if other - ours > _SAME else "no better than"
        n = min(n, int(record["responses"].get("responses", n)))
        words += f" On whole responses it is {than} cosine, {ours:.3f} against {other:.3f}."
    return words + (f" With so few, a difference below about {1 / math.sqrt(n):.2f} may be chance." if 0 < n < _FEW else "")


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
