"""Shared by sensitivity and stability: a matrix whose cells open a list, and fields of the form for a new run."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from html import escape
from math import isnan
from typing import Any, NamedTuple, TypeVar

import pandas as pd
import streamlit as st

from components import shell, state
from components.controls import clickable_matrix, download, one_of
from components.opened import starting
from components.opened.run_words import rule_words, titles
from components.scoring.session import this_session
from groundscope.drawing.html import tag
from groundscope.experiments.plan import Part
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tables import frame_csv
from groundscope.grounding.tuning import Rule
from groundscope.methods import Method
from groundscope.statistics.bootstrap import Interval

_T = TypeVar("_T")
_W = TypeVar("_W", bound=str)
_SHOWN = 10
COPY_SETS = 4
"""Sets of copies that a session keeps of a form."""


class MatrixCell(NamedTuple):
    """A cell: its line and its method."""

    line: str
    method: str


class MatrixLine(NamedTuple):
    """A line of a matrix: its name, its title, how many copies it is of, and whether it sums up others."""

    name: str
    title: str
    counted: str
    total: bool = False


class Measured(NamedTuple):
    """Something that a matrix shows: what it is called, and what it means."""

    title: str
    note: str


Drawn = Callable[[str, str], dict[str, Any]]
"""Makes a cell of the name of its line and the id of its method."""


def content(
    run: RunData, rules: Mapping[str, Rule] | None, lines: Iterable[MatrixLine], cell: Drawn, picked: MatrixCell | None
) -> dict[str, Any]:
    """A matrix with one column a method; without rules its figures depend on no threshold."""
    names = titles(run)
    heads = [
        {
            "title": names[m.id],
            "count": "" if rules is None else rule_words(rules[m.id]) if m.id in rules else "no threshold",
            "hint": m.id,
            "rule": False,
        }
        for m in run.methods
    ]
    drawn = [
        {
            "title": line.title,
            "rule": line.counted,
            "coverage": "",
            "total": line.total,
            "cells": [{"part": m.id, "pressed": picked == (line.name, m.id), **cell(line.name, m.id)} for m in run.methods],
            "method": line.name,
        }
        for line in lines
    ]
    return {"heads": heads, "lines": drawn}


def signed(interval: Interval) -> str:
    """An interval of what may be below 0; empty if there is none."""
    return "" if isnan(interval.low) else f"{interval.low:+.2f} to {interval.high:+.2f}"


def matrix(
    page: str,
    lead: str,
    measures: Mapping[_W, Measured],
    about: str,
    draw: Callable[[_W, MatrixCell | None], Mapping[str, Any]],
    corner: str,
    action: str,
    cells: Container[tuple[str, str]],
    table: pd.DataFrame,
    behind: Callable[[MatrixCell], None],
) -> None:
    """A sentence, the matrix with folded what is measured, and what is behind the cell that was clicked."""
    st.html(f'<p class="gs-lead gs-measure">{escape(lead)}</p>')
    place = st.container()
    with st.expander("What the figures mean, and other measures", key=f"{page}_measures"):
        titles = {name: measure.title for name, measure in measures.items()}
        measure = one_of("Show", titles, f"{page}_measure", bind="query-params")
        st.html(f'<p class="gs-note gs-measure">{escape(f"{measures[measure].note} {about}")}</p>')
        download("Download this table as CSV", lambda: frame_csv(table), f"{page}.csv", f"{page}_csv")
    # The cell that was clicked last, if it is there.
    chosen = clicked if (clicked := _last(page).get("cell")) in cells else None
    words = {"corner": corner, "action": action, "below": f"{page}_list"}
    words["caption"] = f"{titles[measure]}, by {corner.lower()} and method"
    with place:
        st.html(tag("p", f"{titles[measure]}. Click a number to {action[0].lower()}{action[1:]}.", class_="gs-note"))
        data = {**draw(measure, chosen), **words}
        clickable_matrix(key=f"{page}_matrix", data=data, on_picked_change=lambda: _take(page, cells))
    if chosen is not None:
        # A click on the cell scrolls there.
        with st.container(key=f"{page}_list"):
            behind(chosen)


def _last(page: str) -> dict[str, MatrixCell]:
    return state.own(f"{page}_picked", {})


def _take(page: str, cells: Container[tuple[str, str]]) -> None:
    """Handle a click in the table; values from the browser are checked before use."""
    value: Any = st.session_state[f"{page}_matrix"].get("picked")
    if isinstance(value, dict) and (value.get("method"), value.get("part")) in cells:
        _last(page)["cell"] = MatrixCell(value["method"], value["part"])


def page_of(items: Sequence[_T], key: str) -> Sequence[_T]:
    """The items of the chosen page of a list."""
    pages, page = -(-len(items) // _SHOWN), 1
    if pages > 1:
        page = int(st.number_input(f"Page of {pages:,}", 1, pages, key=key, width=150))
    return items[(page - 1) * _SHOWN : page * _SHOWN]


def methods_field(page: str, first: Callable[[Method], bool]) -> Sequence[tuple[Part, Method]]:
    """A choice of methods and of the session's parts, at first those of a kind or all; says what to do where there is none."""
    methods = this_session()
    default = [m.id for m in methods.ready if first(m.method)] or [m.id for m in methods.ready]
    chosen = starting.methods_field(f"{page}_methods", methods, default)
    if not chosen:
        shell.notice("info", "Choose at least one method.")
    return starting.loaded_parts(chosen, methods) or ()
