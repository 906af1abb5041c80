"""The page of stability: the matrix of a run over readings, and the answers behind a cell, the worst first."""

from functools import partial
from html import escape

import streamlit as st

from components import shell
from components.compare.data import BY_KEY
from components.controls import download
from components.figure import csv_of
from components.runs import copies
from components.runs.choice import Open
from components.runs.stability import answers, cells
from components.runs.stability.cells import MEASURES, NOTES
from groundscope.grounding.stability.figures import Stability, frame, measured


def show(open_: Open) -> None:
    """The matrix, and below it the answers of the cell that was clicked."""
    found = _measured(open_)
    if found is None:
        shell.notice("info", "No answer here was asked about twice. Choose other responses or another run, or ask below.")
        return
    lead, draw = cells.lead(open_.run, found), partial(cells.content, open_.run, open_.rules, found)
    measure, picked = copies.matrix("stability", lead, MEASURES, draw, "Readings", "Show these answers", found.cells)
    st.html(
        f'<p class="gs-note gs-measure">{escape(NOTES[measure])} Ranges are 95 % intervals; answers to one question count as '
        "alike. A reading without a verdict is left out and counted. Click a number to see its answers, the worst first; the "
        "heatmap judges an answer again.</p>"
    )
    download("Download this table as CSV", lambda: csv_of(frame(open_.run, found)), "stability.csv", "stability_csv")
    if picked is not None:
        with copies.behind("stability"):
            answers.show(open_, found, picked)


@st.cache_resource(max_entries=4, show_spinner="Measuring", hash_funcs=BY_KEY)
def _measured(open_: Open) -> Stability | None:
    return measured(open_.run, open_.verdicts, open_.rules, open_.rows)
