"""F1 against latency: each method a point, the Pareto front, and the paper's own figures as hollow points."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from groundscope.drawing.look import GRID, INK, PALETTE, error_bars, hover_text, layout, plain
from groundscope.drawing.spots import (
    CUT,
    LARGE,
    SMALL,
    Frame,
    PaperSpot,
    Spot,
    frame_of,
    label_places,
    sizes,
    spread,
    symbol,
    ticks,
)
from groundscope.grounding.latency import RESOLUTION

HEIGHT = 480
FRONT, OTHER, PAPER = PALETTE[0], INK, PALETTE[1]
KINDS = {
    "circle": "runs within Groundscope",
    "diamond": "asks a model",
    "diamond-dot": "asks a model, price unknown",
    "square": "scored by another tool, elsewhere",
}
WIDTH = 0.2
"""Share of the drawing, without the gap to its neighbour."""
MOST = 18
"""Most points in a strip."""
_DRAWN = 360.0
"""Height of the drawing in pixels, without axes and legend."""
_LINE = 14.0
_MARK, _LABEL = 0.06, 0.17
_QUIET = {"hoverinfo": "skip", "showlegend": False}
_EDGE = {"color": GRID, "width": 1, "dash": "dot"}


@dataclass(frozen=True, slots=True)
class StripPoint:
    """A point without a latency. A click returns its id, empty = nothing; size in pixels; the hover is escaped here."""

    id: str
    title: str
    f1: float
    symbol: str
    size: float
    color: str
    hover: tuple[str, ...] = ()


def strip(figure: go.Figure, points: Sequence[StripPoint], levels: tuple[float, float], axis: int, title: str) -> None:
    """Add a strip to a figure, whose own horizontal axis must leave space.

    `levels` is the range of the F1 axis, `axis` the number of the strip's own: 2 at the right, 3 at the left; `title` says why
    the points have no latency.
    """
    start, name = (1 - WIDTH, "x2") if axis == 2 else (0.0, f"x{axis}")
    gap = _LINE / _DRAWN * (levels[1] - levels[0])
    heights = spread([p.f1 for p in points], gap, levels[0] + gap, levels[1] - gap)
    ties_x = [x for _ in points for x in (_MARK, _LABEL - 0.02, None)]
    ties_y = [y for p, height in zip(points, heights, strict=True) for y in (p.f1, height, None)]
    figure.add_scatter(x=ties_x, y=ties_y, mode="lines", line={"color": GRID, "width": 1}, xaxis=name, **_QUIET)
    figure.add_scatter(
        x=[_MARK] * len(points),
        y=[p.f1 for p in points],
        mode="markers",
        marker={
            "symbol": [p.symbol for p in points],
            "size": [p.size for p in points],
            "color": [p.color for p in points],
            "opacity": 1,
            "line": {"width": [2 if p.symbol.endswith("open") else 0 for p in points]},
        },
        customdata=[[p.id] for p in points],
        hovertext=[hover_text((p.title, *p.hover)) for p in points],
        hoverinfo="text",
        showlegend=False,
        xaxis=name,
    )
    figure.add_scatter(
        x=[_LABEL] * len(points),
        y=heights,
        mode="text",
        text=[plain(p.title, 24) for p in points],
        textposition="middle right",
        textfont={"size": 11, "color": INK},
        xaxis=name,
        **_QUIET,
    )
    look = {"domain": [start, start + WIDTH], "range": [0, 1], "anchor": "y", "showgrid": False, "zeroline": False}
    figure.update_layout({f"xaxis{axis}": {**look, "showticklabels": False, "fixedrange": True, "title": {"text": title}}})
    edge = start if axis == 2 else start + WIDTH
    figure.add_shape(type="line", xref="paper", x0=edge, x1=edge, yref="paper", y0=0, y1=1, line=_EDGE)


def tradeoff(
    spots: Sequence[Spot],
    front: Sequence[str] = (),
    paper: Sequence[PaperSpot] = (),
    *,
    chosen: str = "",
    x: str = "Seconds per response",
    y: str = "Macro-F1",
    guess: float = 0.5,
) -> go.Figure:
    """Draw the methods that have an F1, the one with the id `chosen` in a ring; `x` and `y` are titles of the axes.

    `front` has the ids of the methods that a line joins; at `guess` is a dotted line.

    Points without a place on the latency axis are in a strip at the right: methods that took less than a clock counts, methods
    not timed, and latencies that the paper does not print.
    If one strip is too full, the methods have another one at the left.
    """
    drawn = [s for s in spots if not math.isnan(s.f1)]
    timed = [s for s in drawn if s.seconds >= RESOLUTION]
    printed = [p for p in paper if p.seconds > 0]
    untimed = [
        StripPoint(s.id, s.title, s.f1, symbol(s), SMALL, FRONT if s.id in front else OTHER, s.hover)
        for s in drawn
        if s not in timed
    ]
    unprinted = [StripPoint("", p.title, p.f1, "circle-open", 9.0, PAPER, p.hover) for p in paper if not p.seconds > 0]
    frame = frame_of(timed, printed, drawn, paper)
    instant, unknown = any(s.instant for s in drawn), any(math.isnan(s.seconds) for s in drawn)
    why = [w for w, there in (("Under the clock's resolution", instant), ("Not timed", unknown)) if there]
    apart = len(untimed) + len(unprinted) > MOST
    right = unprinted if apart else untimed + unprinted
    domain = (WIDTH + 0.04 if apart else 0.0, 1 - WIDTH - 0.03 if right else 1.0)
    figure = _axes(frame, domain, x, y, guess)
    members = sorted((i for i, s in enumerate(timed) if s.id in front), key=lambda i: timed[i].seconds)
    where = label_places(timed, printed, members, frame, domain[1] - domain[0])
    _ring(figure, timed, chosen)
    _front(figure, [timed[i] for i in members])
    _points(figure, timed, members, where[: len(timed)])
    _paper(figure, paper, printed, where[len(timed) :])
    levels = (frame.low, frame.high)
    if apart:
        strip(figure, untimed, levels, 3, "<br>".join(why))
    if right:
        words = [*(why if not apart else ()), *(("Latency not printed",) if unprinted else ())]
        strip(figure, right, levels, 2, "<br>".join(words))
    return figure


def _axes(frame: Frame, domain: tuple[float, float], x: str, y: str, guess: float) -> go.Figure:
    figure = layout(go.Figure(), height=HEIGHT, y=y, margin={"l": 60, "r": 12, "t": 64, "b": 55})
    figure.update_layout(legend={"itemsizing": "constant"})
    marks = ticks(frame)
    figure.update_yaxes(range=[frame.low, frame.high], tickformat=".2f", anchor="free", position=0)
    figure.update_xaxes(
        type="log",
        range=[frame.left, frame.right],
        tickvals=marks,
        ticktext=[f"{t:g}" for t in marks],
        title={"text": x},
        domain=list(domain),
    )
    if not math.isnan(guess):
        figure.add_hline(y=guess, line={"color": INK, "dash": "dot", "width": 1.2})
    return figure


def _front(figure: go.Figure, members: Sequence[Spot]) -> None:
    if not members:
        return
    figure.add_scatter(
        x=[s.seconds for s in members],
        y=[s.f1 for s in members],
        mode="lines",
        line={"color": FRONT, "width": 2, "shape": "hv"},
        name="Pareto front: better than every faster one",
        hoverinfo="skip",
    )


def _points(figure: go.Figure, timed: Sequence[Spot], members: Sequence[int], where: Sequence[str]) -> None:
    """The methods, one trace per kind so that the legend names the symbols."""
    diameters = sizes([s.cost for s in timed])
    for kind, words in KINDS.items():
        places = [i for i, s in enumerate(timed) if symbol(s) == kind]
        if not places:
            continue
        group = [timed[i] for i in places]
        figure.add_scatter(
            x=[s.seconds for s in group],
            y=[s.f1 for s in group],
            mode="markers+text",
            text=[plain(s.title, CUT) if where[i] else "" for i, s in zip(places, group, strict=True)],
            textposition=[where[i] or "top center" for i in places],
            textfont={"size": 12},
            marker={
                "symbol": kind,
                "size": [diameters[i] for i in places],
                "color": [FRONT if i in members else OTHER for i in places],
                "opacity": 0.92,
                "line": {"width": 1, "color": "rgba(128,134,143,0.6)"},
            },
            error_x=error_bars(*zip(*((s.seconds, s.fast, s.slow) for s in group), strict=True), color=INK),
            error_y=error_bars(*zip(*((s.f1, s.low, s.high) for s in group), strict=True), color=INK),
            customdata=[[s.id] for s in group],
            hovertext=[hover_text((s.title, *s.hover)) for s in group],
            hoverinfo="text",
            name=words[0].upper() + words[1:],
            selected={"marker": {"opacity": 0.92}},
            unselected={"marker": {"opacity": 0.92}},
        )


def _ring(figure: go.Figure, timed: Sequence[Spot], chosen: str) -> None:
    selected = [s for s in timed if s.id == chosen]
    figure.add_scatter(
        x=[s.seconds for s in selected],
        y=[s.f1 for s in selected],
        mode="markers",
        marker={"symbol": "circle-open", "size": LARGE + 8, "color": INK, "line": {"width": 2}},
        **_QUIET,
    )


def _paper(figure: go.Figure, paper: Sequence[PaperSpot], printed: Sequence[PaperSpot], where: Sequence[str]) -> None:
    if not paper:
        return
    figure.add_scatter(
        # A trace without any point has no words in the legend, which those in the strip need, too.
        x=[p.seconds for p in printed] or [math.nan],
        y=[p.f1 for p in printed] or [math.nan],
        mode="markers+text",
        text=[plain(p.title, CUT) if place else "" for p, place in zip(printed, where, strict=True)],
        textposition=[place or "top center" for place in where],
        textfont={"size": 11, "color": INK},
        marker={"symbol": "circle-open", "size": SMALL, "color": PAPER, "line": {"width": 2}},
        hovertext=[hover_text((p.title, *p.hover)) for p in printed],
        hoverinfo="text",
        name=f"Printed in the paper of its own {paper[0].size}: not run here",
    )
