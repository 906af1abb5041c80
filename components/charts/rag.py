"""Legal RAG as figures: errors by combination, and effect of each part on accuracy."""

from collections.abc import Sequence
from textwrap import wrap

import plotly.graph_objects as go

from groundscope.drawing.look import GRID, INK, LINES, PALETTE, distinct, hatched, layout, plain
from groundscope.rag.outcomes import AnswerOutcome, OutcomeRow, errors_in
from groundscope.rag.report import Impact, signed
from groundscope.text.humanize import plural

COLOURS = {
    AnswerOutcome.HALLUCINATION: PALETTE[1],
    AnswerOutcome.RETRIEVAL: PALETTE[0],
    AnswerOutcome.REASONING: PALETTE[6],
    AnswerOutcome.UNCLEAR: PALETTE[4],
}
_PATTERNS = {
    AnswerOutcome.HALLUCINATION: "",
    AnswerOutcome.RETRIEVAL: "/",
    AnswerOutcome.REASONING: ".",
    AnswerOutcome.UNCLEAR: "x",
}
"""A second cue beside the colour."""
TITLES = {
    AnswerOutcome.HALLUCINATION: "Hallucination",
    AnswerOutcome.RETRIEVAL: "Retrieval error",
    AnswerOutcome.REASONING: "Reasoning error",
    AnswerOutcome.UNCLEAR: "Not correct, cause not known",
    AnswerOutcome.SUCCESS: "Success",
    AnswerOutcome.UNKNOWN: "No verdict",
}
_LINE = 44
_NARROW = 0.04
"""Narrower parts of a bar, as a share of the axis, have no number."""
_JUDGE, _WIDE = 400, 110
"""Most characters of the judge's name, and of one line of it under a chart."""


def errors(rows: Sequence[OutcomeRow], judge: str = "") -> go.Figure:
    """One bar per combination, its errors in percent of its answers.

    Parts of bars have the customdata (row, error). A combination without verdicts is labelled so: its empty bar is no
    success. The judge's name is in every figure, because people share figures.
    """
    shown = errors_in(rows)
    lengths = [sum(100 * r.errors[e].value for e in shown if r.errors[e].of) for r in rows]
    most = max(lengths, default=0.0)
    names = distinct([f"{plain(r.embedder, 30)}<br>{plain(r.model, 30)}" for r in rows])
    figure = go.Figure()
    for error in shown:
        shares = [r.errors[error] for r in rows]
        percents = [0.0 if not s.of else 100 * s.value for s in shares]
        figure.add_bar(
            x=percents,
            y=names,
            orientation="h",
            name=TITLES[error],
            marker=hatched(COLOURS[error], _PATTERNS[error]),
            text=[f"{v:.0f}" if v and v >= most * _NARROW else "" for v in percents],
            textposition="inside",
            insidetextanchor="middle",
            insidetextfont={"color": "#ffffff"},
            customdata=[(i, error.value) for i in range(len(rows))],
            hovertext=[
                f"<b>{plain(r.embedder)}</b> with <b>{plain(r.model)}</b><br>"
                + f"{TITLES[error]}: {s.count:,} of {plural(s.of, 'answer')}"
                + (f", 95% interval {s.interval.low:.1%} to {s.interval.high:.1%}" if s.of else "")
                for r, s in zip(rows, shares, strict=True)
            ],
            hoverinfo="text",
        )
    for i, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        if lacks := lacking(row):
            figure.add_annotation(
                x=length, y=i, text=lacks, showarrow=False, xanchor="left", xshift=6, font={"color": INK, "size": 12}
            )
    return layout(
        figure,
        height=130 + _LINE * max(1, len(rows)) + _room(judge),
        x=_titled("Percent of answers", judge),
        barmode="stack",
        xaxis={"rangemode": "tozero"},
        yaxis=LINES,
        margin={"l": 20, "t": 40, "b": 55 + _room(judge)},
        legend={"y": 1.01, "traceorder": "normal"},
    )


def lacking(row: OutcomeRow) -> str:
    """What a combination's bar cannot show because verdicts are missing; empty = it shows everything."""
    if row.accuracy.of:
        return ""
    return "correctness not known" if row.grounded.of else "no verdict"


def impact(embedders: Sequence[Impact], models: Sequence[Impact], judge: str = "") -> go.Figure:
    """RAG accuracy of each embedder and each model, relative to the mean of its kind: perhaps the paper's figure 3.

    We know what the paper computes, but are not certain of the number of its figure.

    Bars have the customdata (kind, index within its kind); the kind is `embedder` or `model`.
    """
    figure = go.Figure()
    kinds = (("Embedders", "embedder", embedders, PALETTE[0]), ("Models", "model", models, PALETTE[2]))
    lines = iter(distinct([plain(i.level, 34) for i in (*embedders, *models)]))
    for name, kind, impacts, colour in kinds:
        percent = [100 * i.relative for i in impacts]
        figure.add_bar(
            x=percent,
            y=[next(lines) for _ in impacts],
            customdata=[(kind, i) for i in range(len(impacts))],
            orientation="h",
            name=name,
            marker={"color": colour},
            text=[f" {signed(p)} % " if p == p else " no figure " for p in percent],
            textposition="outside",
            cliponaxis=False,
            hovertext=[f"<b>{plain(i.level)}</b><br>RAG accuracy {i.accuracy:.1%}" for i in impacts],
            hoverinfo="text",
        )
    most = max((abs(100 * i.relative) for i in (*embedders, *models) if i.relative == i.relative), default=1.0) or 1.0
    return layout(
        figure,
        height=130 + 36 * (len(embedders) + len(models)) + _room(judge),
        x=_titled("RAG accuracy, percent above or below the mean", judge),
        xaxis={"zeroline": True, "zerolinecolor": GRID, "range": [-1.35 * most, 1.35 * most]},
        yaxis=LINES,
        margin={"l": 20, "t": 40, "b": 55 + _room(judge)},
    )


def _titled(title: str, judge: str) -> str:
    lines = _under(judge)
    return f"{title}<br><span style='font-size:11px'>{'<br>'.join(lines)}</span>" if lines else title


def _room(judge: str) -> int:
    """Height of the lines under a chart in pixels."""
    return 16 * len(_under(judge))


def _under(judge: str) -> list[str]:
    # Escaped line by line: escaped text must not be cut.
    return [plain(line, _WIDE) for line in wrap(judge[:_JUDGE], _WIDE)]
