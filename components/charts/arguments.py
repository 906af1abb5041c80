"""3-ply arguments as figures: errors by factor and by complexity."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from groundscope.arguments.report import ArguerRow, percent
from groundscope.arguments.summary import FactorErrors, Figures, Mean
from groundscope.arguments.types import Catalogue
from groundscope.drawing.look import LINES, PALETTE, SYMBOLS, error_bars, hatched, layout, plain

KINDS = {
    "missed": ("Not used", PALETTE[4], "/"),
    "invented": ("Invented", PALETTE[1], ""),
    "wrong case": ("Wrong case", PALETTE[6], "."),
}
_LINE = 30


def _bars(means: Sequence[Mean]) -> dict[str, object]:
    """Error bars of means in percent."""
    ends = 100 * np.array([(m.value, m.interval.low, m.interval.high) for m in means]).reshape(-1, 3).T
    return error_bars(*ends, thickness=1.2)


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
