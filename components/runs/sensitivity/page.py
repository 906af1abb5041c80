"""The page of sensitivity: the matrix of a run over pairs, the pairs behind a cell, and the form that makes more."""

from functools import partial
from html import escape

import streamlit as st

from components import shell
from components.compare.data import BY_KEY
from components.controls import download
from components.figure import csv_of
from components.runs import copies
from components.runs.choice import Open
from components.runs.sensitivity import cells, pairs
from components.runs.sensitivity.cells import MEASURES, NOTES
from groundscope.grounding.sensitivity.matrix import Matrix, frame, measured


def show(open_: Open) -> None:
    """The matrix, and below it the pairs of the cell that was clicked."""
    found = _measured(open_)
    if found is None:
        shell.notice("info", "No pairs here. Choose other responses or another run, or make pairs below.")
        return
    lead, draw = cells.lead(open_.run, found), partial(cells.content, open_.run, open_.rules, found)
    measure, picked = copies.matrix("sensitivity", lead, MEASURES, draw, "Edit", "Show these pairs", found.cells)
    st.html(
        f'<p class="gs-note gs-measure">{escape(NOTES[measure])} Ranges are 95 % intervals; pairs of one question count '
        "as alike. Click a number to see its pairs. Edits are made by rules: whether one is wrong in law is for you to check.</p>"
    )
    download("Download this table as CSV", lambda: csv_of(frame(open_.run, found)), "sensitivity.csv", "sensitivity_csv")
    if picked is not None:
        with copies.behind("sensitivity"):
            pairs.show(open_, found, picked)


@st.cache_resource(max_entries=4, show_spinner="Measuring", hash_funcs=BY_KEY)
def _measured(open_: Open) -> Matrix | None:
    return measured(open_.run, open_.verdicts, open_.rows)
