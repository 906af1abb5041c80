"""On whose labels, how good: a row a method of the board, a column a set."""

from collections.abc import Iterator

import streamlit as st

from components import shell
from components.controls import unfolded
from groundscope.drawing.html import explained, region, table, tag, with_small
from groundscope.methods.board import Board, MeasuredMethod, board

_TITLE = "On whose labels, how good"
_MEANING = (
    "AUROC by answer: the share of pairs in which a sound answer ranks above a wrong one; 0.50 is chance. Worst and mean are of "
    "the sets marked *. Of the methods that run unasked (a cascade does not) the one with the best worst set is recommended. "
    "Flagged: below the starting threshold, on the median set marked *."
)
_SETS = ("Set", "Labelled by", "Answers", "Wrong", "Source sentences", "How nothing was learned from it")


def show() -> None:
    """The table, intervals where they are asked for, and the sets behind it."""
    on = board()
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.html(tag("h2", _TITLE, class_="gs-small"), width="content")
        intervals = st.toggle("95 % intervals", key="board_intervals", persist_state="session")
    heads = (
        "Method",
        "Worst*",
        "Mean*",
        "Wrong flagged",
        "Sound flagged",
        "Seconds",
        *(f"{s.name}{'*' if s.decides else ''}" for s in on.sets),
    )
    order = sorted(on.methods.values(), key=lambda row: row.worth, reverse=True)
    st.html(
        region(_TITLE, table(heads, [tuple(_row(on, row, intervals)) for row in order], css="gs-counts gs-board"))
        + shell.note(_MEANING)
    )
    unfolded("The sets: who labelled them, and how nothing was learned from them", "board_sets", _sets, on)


def _row(on: Board, row: MeasuredMethod, intervals: bool) -> Iterator[str]:
    """A method's cells; the worst set is named on its figure."""
    rankings = {**row.deciding, **row.others}
    yield row.title
    yield explained(f"{row.deciding[row.worst].auroc:.2f}\n{row.worst}")
    yield f"{row.mean:.2f}"
    yield f"{100 * row.errors_flagged:.0f} %"
    yield f"{100 * row.alarms:.0f} %"
    yield f"{max(row.seconds, 0.001):.3f}"
    for s in on.sets:
        auroc, low, high = rankings[s.name]
        yield with_small(f"{auroc:.2f}", f"{low:.2f} to {high:.2f}" if intervals else "")


def _sets(on: Board) -> None:
    rows = [(s.name, s.labelled, f"{s.rows:,}", f"{s.wrong:,}", f"{s.length:g}", s.held) for s in on.sets]
    st.html(region("The sets", table(_SETS, rows)) + shell.note(f"Measured on {on.measured}."))
