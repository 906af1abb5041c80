"""The page of sensitivity: the matrix of a run over pairs, the pairs behind a cell, and the form that makes more."""

from html import escape
from typing import Any

import streamlit as st

from components import shell, state
from components.compare.data import BY_KEY
from components.controls import download, one_of
from components.errors.matrix import mount
from components.figure import csv_of
from components.runs.choice import Open
from components.runs.sensitivity import cells, pairs
from components.runs.sensitivity.cells import MEASURES, NOTES, Measure, Picked
from groundscope.grounding.sensitivity.matrix import Matrix, frame, measured

_KEY, _PAIRS = "sensitivity_matrix", "sensitivity_pairs_list"


def show(open_: Open) -> None:
    """The matrix, and below it the pairs of the cell that was clicked."""
    found = _measured(open_)
    if found is None:
        shell.notice("info", "No pairs here. Choose other responses or another run, or make pairs below.")
        return
    if words := cells.lead(open_.run, found):
        st.html(f'<p class="gs-lead gs-measure">{escape(words)}</p>')
    measure: Measure = one_of("Show", MEASURES, "sensitivity_measure", bind="query-params")
    picked = _picked(found)
    data = cells.content(open_.run, open_.rules, found, measure, picked)
    caption = f"{MEASURES[measure]}, by edit and method"
    shown = {"caption": caption, "corner": "Edit", "action": "Show these pairs", "below": _PAIRS}
    mount(key=_KEY, data={**data, **shown}, on_picked_change=lambda: _take(found))
    st.html(
        f'<p class="gs-note gs-measure">{escape(NOTES[measure])} Ranges are 95 % intervals; pairs of one question count '
        "as alike. Click a number to see its pairs. Edits are made by rules: whether one is wrong in law is for you to check.</p>"
    )
    download("Download this table as CSV", lambda: csv_of(frame(open_.run, found)), "sensitivity.csv", "sensitivity_csv")
    if picked is not None:
        with st.container(key=_PAIRS):
            pairs.show(open_, found, picked)


@st.cache_resource(max_entries=4, show_spinner="Measuring", hash_funcs=BY_KEY)
def _measured(open_: Open) -> Matrix | None:
    return measured(open_.run, open_.verdicts, open_.rows)


def _picked(found: Matrix) -> Picked | None:
    picked = _last().get("cell")
    return picked if picked in found.cells else None


def _last() -> dict[str, Picked]:
    return state.own("sensitivity_picked", {})


def _take(found: Matrix) -> None:
    """Handle a click in the table; values from the browser are checked before use."""
    value: Any = st.session_state[_KEY].get("picked")
    if isinstance(value, dict) and (value.get("method"), value.get("part")) in found.cells:
        _last()["cell"] = Picked(value["method"], value["part"])
