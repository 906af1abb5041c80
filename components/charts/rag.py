"""Legal RAG as figures: where each combination's answers fail, what each part does to accuracy, and retrieval against errors."""

from collections.abc import Sequence

import plotly.graph_objects as go

from components.charts.look import GRID, PALETTE, SYMBOLS, layout, plain
from evaluation.rag.outcomes import ERRORS, Impact, Outcome, Row

COLOURS = {Outcome.HALLUCINATION: PALETTE[1], Outcome.RETRIEVAL: PALETTE[0], Outcome.REASONING: PALETTE[6]}
_PATTERNS = {Outcome.HALLUCINATION: "", Outcome.RETRIEVAL: "/", Outcome.REASONING: "."}
"""A second cue beside the colour."""
TITLES = {
    Outcome.HALLUCINATION: "Hallucination",
    Outcome.RETRIEVAL: "Retrieval error",
    Outcome.REASONING: "Reasoning error",
    Outcome.SUCCESS: "Success",
    Outcome.UNKNOWN: "No verdict",
}
_LINE = 44
_LEAST = 10.0
"""Percent that the axis of hallucinations shows at least: a share of 0 is no line at the top."""
_PLACES = ("top center", "bottom center", "middle left", "middle right")
"""Of names of points, in turn: those of one model often lie close together."""
_NARROW = 0.05
"""A part of a bar that is narrower holds no figure."""


def errors(rows: Sequence[Row]) -> go.Figure:
    """Figure 2 of the paper: a bar a combination, its errors side by side in percent of its answers.

    Parts of bars have the customdata (row, error).
    """
    names = _lines([f"{plain(r.embedder, 30)}<br>{plain(r.model, 30)}" for r in rows])
    figure = go.Figure()
    for error in ERRORS:
        shares = [r.errors[error] for r in rows]
        known = [0.0 if not s.of else 100 * s.value for s in shares]
        figure.add_bar(
            x=known,
            y=names,
            orientation="h",
            name=TITLES[error],
            marker={
                "color": COLOURS[error],
                "pattern": {"shape": _PATTERNS[error], "fillmode": "overlay", "fgcolor": "#ffffff", "fgopacity": 0.35, "size": 7},
            },
            text=[f"{v:.0f}" if v >= 100 * _NARROW else "" for v in known],
            textposition="inside",
            insidetextanchor="middle",
            insidetextfont={"color": "#ffffff"},
            customdata=[(i, error.value) for i in range(len(rows))],
            hovertext=[
                f"<b>{plain(r.embedder)}</b> with <b>{plain(r.model)}</b><br>{TITLES[error]}: {s.count:,} of {s.of:,} answers"
                + (f", 95% interval {s.interval.low:.1%} to {s.interval.high:.1%}" if s.of else "")
                for r, s in zip(rows, shares, strict=True)
            ],
            hoverinfo="text",
        )
    return layout(
        figure,
        height=130 + _LINE * max(1, len(rows)),
        barmode="stack",
        xaxis={"title": {"text": "Percent of answers"}, "gridcolor": GRID, "rangemode": "tozero"},
        yaxis={"autorange": "reversed", "automargin": True, "showgrid": False},
        margin={"l": 20, "r": 20, "t": 40, "b": 55},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.01, "xanchor": "left", "x": 0, "traceorder": "normal"},
    )


def impact(embedders: Sequence[Impact], models: Sequence[Impact]) -> go.Figure:
    """Figure 3 of the paper: what each embedder and each model does to RAG accuracy, relative to the mean of its kind."""
    figure = go.Figure()
    for name, found, colour in (("Embedders", embedders, PALETTE[0]), ("Models", models, PALETTE[2])):
        percent = [100 * i.relative for i in found]
        figure.add_bar(
            x=percent,
            y=_lines([plain(i.level, 34) for i in found]),
            orientation="h",
            name=name,
            marker={"color": colour},
            text=[f" {p:+.1f} % " if p == p else " no figure " for p in percent],
            textposition="outside",
            cliponaxis=False,
            hovertext=[f"<b>{plain(i.level)}</b><br>RAG accuracy {i.accuracy:.1%}" for i in found],
            hoverinfo="text",
        )
    most = max((abs(100 * i.relative) for i in (*embedders, *models) if i.relative == i.relative), default=1.0) or 1.0
    return layout(
        figure,
        height=130 + 36 * (len(embedders) + len(models)),
        xaxis={
            "title": {"text": "RAG accuracy, percent above or below the mean"},
            "gridcolor": GRID,
            "zeroline": True,
            "zerolinecolor": GRID,
            "range": [-1.35 * most, 1.35 * most],
        },
        yaxis={"autorange": "reversed", "automargin": True, "showgrid": False},
        margin={"l": 20, "r": 20, "t": 40, "b": 55},
    )


def against_retrieval(rows: Sequence[Row]) -> go.Figure:
    """Hallucination against retrieval success, a point a combination; points have the customdata (row,)."""
    figure = go.Figure()
    shares = [100 * r.errors[Outcome.HALLUCINATION].value for r in rows if r.errors[Outcome.HALLUCINATION].of]
    most = max([_LEAST, *shares])
    for i, model in enumerate(dict.fromkeys(r.model for r in rows)):
        mine = [r for r in rows if r.model == model and r.hit.of and r.errors[Outcome.HALLUCINATION].of]
        figure.add_scatter(
            x=[100 * r.hit.value for r in mine],
            y=[100 * r.errors[Outcome.HALLUCINATION].value for r in mine],
            mode="markers+text",
            name=plain(model, 30),
            text=[plain(r.embedder, 24) for r in mine],
            textposition=[_PLACES[j % len(_PLACES)] for j in range(len(mine))],
            marker={"size": 12, "color": PALETTE[i % len(PALETTE)], "symbol": SYMBOLS[i % len(SYMBOLS)]},
            customdata=[(rows.index(r),) for r in mine],
            hovertext=[
                f"<b>{plain(r.embedder)}</b> with <b>{plain(r.model)}</b><br>relevant passage retrieved: {r.hit.value:.1%}<br>"
                f"hallucinations: {r.errors[Outcome.HALLUCINATION].value:.1%}"
                for r in mine
            ],
            hoverinfo="text",
        )
    return layout(
        figure,
        x="Questions whose relevant passage was retrieved, percent",
        y="Hallucinations, percent of answers",
        xaxis={
            "title": {"text": "Questions whose relevant passage was retrieved, percent"},
            "gridcolor": GRID,
            "range": [-3, 108],
        },
        yaxis={"title": {"text": "Hallucinations, percent of answers"}, "gridcolor": GRID, "range": [-0.06 * most, 1.15 * most]},
    )


def _lines(names: Sequence[str]) -> list[str]:
    # Two combinations whose names are cut alike would share a line.
    return [n if names.count(n) == 1 else f"{n} {i}" for i, n in enumerate(names, 1)]
