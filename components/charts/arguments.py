"""3-ply arguments as figures: accuracy against recall, errors by factor and by complexity."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from groundscope.arguments.report import ArguerRow, percent
from groundscope.arguments.summary import FactorErrors, Figures, Mean
from groundscope.arguments.types import Catalogue, Test
from groundscope.drawing.look import GRID, LINES, PALETTE, SYMBOLS, error_bars, hatched, layout, plain

KINDS = {
    "missed": ("Not used", PALETTE[4], "/"),
    "invented": ("Invented", PALETTE[1], ""),
    "wrong case": ("Wrong case", PALETTE[6], "."),
}
_LINE = 30
_ROOM = 4.0
"""Margin around the points of a scatter, in percent."""


def _bars(means: Sequence[Mean]) -> dict[str, object]:
    """Error bars of means in percent."""
    ends = 100 * np.array([(m.value, m.interval.low, m.interval.high) for m in means]).reshape(-1, 3).T
    return error_bars(*ends, thickness=1.2)


def against(rows: Sequence[ArguerRow], names: Sequence[str]) -> go.Figure:
    """Acc_H against Rec_U, one point per model and arguable test; points have the customdata (row, test)."""
    figure = go.Figure()
    tests = (Test.ARGUABLE, Test.REORDERED)
    values = [100.0]
    for i, (row, name) in enumerate(zip(rows, names, strict=True)):
        mine = [(t, row.tests[t]) for t in tests if t in row.tests and row.tests[t].acc_h.of]
        if not mine:
            continue
        ends = [v for _, f in mine for m in (f.acc_h, f.rec_u) for v in (m.value, m.interval.low)]
        values += [100 * v for v in ends if v == v]
        figure.add_scatter(
            x=[100 * f.acc_h.value for _, f in mine],
            y=[100 * f.rec_u.value for _, f in mine],
            error_x=_bars([f.acc_h for _, f in mine]),
            error_y=_bars([f.rec_u for _, f in mine]),
            mode="markers",
            name=plain(name, 40),
            marker={
                # Both tests often give the same point: one symbol is drawn around the other.
                "size": [11 if t is Test.ARGUABLE else 19 for t, _ in mine],
                "color": PALETTE[i % len(PALETTE)],
                "symbol": [f"{SYMBOLS[i % len(SYMBOLS)]}{'' if t is Test.ARGUABLE else '-open'}" for t, _ in mine],
                "line": {"width": [0 if t is Test.ARGUABLE else 2 for t, _ in mine], "color": PALETTE[i % len(PALETTE)]},
            },
            customdata=[(i, t.value) for t, _ in mine],
            hovertext=[
                f"<b>{plain(name)}</b>, {t.value}<br>Acc_H {percent(f.acc_h)}<br>Rec_U {percent(f.rec_u)}" for t, f in mine
            ],
            hoverinfo="text",
        )
    low = min(values) - _ROOM
    axis = {"range": [low, 100 + _ROOM], "zeroline": low < 0, "zerolinecolor": GRID}
    x, y = "Acc_H, percent: 100 = nothing invented", "Rec_U, percent: 100 = all factors used"
    return layout(figure, height=460, x=x, y=y, xaxis=axis, yaxis=axis)


def factors(errors: Sequence[FactorErrors], catalogue: Catalogue) -> go.Figure:
    """Stacked bars of errors by factor; parts of bars have the customdata (factor, kind)."""
    figure = go.Figure()
    names = [plain(catalogue.by_key[f.key].written if f.key in catalogue.by_key else f"{f.key} (no factor)", 48) for f in errors]
    for kind, (title, colour, pattern) in KINDS.items():
        counts = [{"missed": f.missed, "invented": f.invented, "wrong case": f.wrong_case}[kind] for f in errors]
        figure.add_bar(
            x=counts,
            y=names,
            orientation="h",
            name=title,
            marker=hatched(colour, pattern),
            customdata=[(f.key, kind) for f in errors],
            hovertext=[
                f"<b>{n}</b><br>{title.lower()}: {c:,}"
                + (f" of {f.there:,} cases that have it" if kind == "missed" else " times")
                for n, c, f in zip(names, counts, errors, strict=True)
            ],
            hoverinfo="text",
        )
    return layout(
        figure,
        height=120 + _LINE * max(1, len(errors)),
        x="Cases with an error",
        barmode="stack",
        xaxis={"rangemode": "tozero"},
        yaxis=LINES,
        margin={"l": 20, "t": 40},
        legend={"y": 1.01, "traceorder": "normal"},
    )


def known(row: ArguerRow) -> dict[int, Figures]:
    """Figures by complexity, for triples of known complexity."""
    return {k: f for k, f in row.complexities.items() if k}


def levels(rows: Sequence[ArguerRow], names: Sequence[str], metric: str, title: str) -> go.Figure:
    """A metric by complexity over arguable triples, one line per model; points have the customdata (row, complexity)."""
    figure = go.Figure()
    for i, (row, name) in enumerate(zip(rows, names, strict=True)):
        mine = [(k, getattr(f, metric)) for k, f in known(row).items() if getattr(f, metric).of]
        figure.add_scatter(
            x=[k for k, _ in mine],
            y=[100 * m.value for _, m in mine],
            error_y=_bars([m for _, m in mine]),
            mode="lines+markers",
            name=plain(name, 40),
            line={"color": PALETTE[i % len(PALETTE)]},
            marker={"size": 10, "symbol": SYMBOLS[i % len(SYMBOLS)]},
            customdata=[(i, k) for k, _ in mine],
            hovertext=[f"<b>{plain(name)}</b><br>complexity {k}: {title} {percent(m)}" for k, m in mine],
            hoverinfo="text",
        )
    return layout(figure, x="Complexity: about this many factors per case", y=f"{title}, percent", xaxis={"dtick": 1})
