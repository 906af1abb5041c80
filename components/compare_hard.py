"""The responses that no method gets right, or few."""

from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from components import compare_data, compare_method, run_choice, shell
from components.chooser import LABELS
from components.errors_filters import CAUGHT
from components.figure import slug
from components.run_choice import Open
from evaluation.agreement import Hardness
from evaluation.results import Results
from evaluation.run_data import Integers
from evaluation.tables import frame_csv

_SHOWN = 200
"""Rows whose question is read and drawn."""


def show(open_: Open, found: Results) -> None:
    """How many there are, and a table that opens one in the heatmap."""
    hard = compare_data.hard(open_)
    if not hard.methods:
        shell.notice("info", "No method has a verdict here, so none can be right or wrong. Tune thresholds, or resume the run.")
        return
    st.html(f'<p class="gs-measure gs-flat">{escape(_summary(open_, found, hard))}</p>')
    most = 0
    if hard.methods > 1:
        most = int(
            st.number_input(
                "Methods that are right, at most", 0, hard.methods - 1, 0, key="compare_most", persist_state="session", width=280
            )
        )
    if missed := int((open_.run.gold[open_.rows[hard.at_most()]] == 0).sum()):
        label = f"The {missed:,} errors that no method finds" if missed > 1 else "The error that no method finds"
        st.page_link(compare_method.ERRORS, label=label, query_params=compare_method.address(CAUGHT, "nobody"))
    places = hard.at_most(most)
    if not len(places):
        st.html('<p class="gs-note">No response is as hard as that; allow more methods to be right.</p>')
        return
    _table(open_, open_.rows[places], hard.right[places], hard.judged[places])


def _summary(open_: Open, found: Results, hard: Hardness) -> str:
    rows = open_.rows[hard.at_most()]
    missed = int((open_.run.gold[rows] == 0).sum())
    nobody = "every other one is got right by at least one" if hard.methods > 1 else "it is wrong about no other"
    if len(rows):
        nobody = (
            f"none about {len(rows):,}: {missed:,} with errors that nobody found, {len(rows) - missed:,} sound that nobody "
            "called so"
        )
    unjudged = f" No method has a verdict on {hard.unjudged():,}." if hard.unjudged() else ""
    return f"Of {found.responses:,} responses, {_all_of(hard.methods)} right about {hard.everybody():,}, and {nobody}.{unjudged}"


def _all_of(methods: int) -> str:
    return "the method is" if methods == 1 else f"all {methods} methods are"


def _table(open_: Open, rows: Integers, right: Integers, judged: Integers) -> None:
    run, first = open_.run, rows[:_SHOWN]
    questions = [c.query[:300] for c in run.read_cases([int(i) for i in first])]
    shown = pd.DataFrame(
        {
            "Question": questions,
            "Label": [LABELS[bool(g)] for g in run.gold[first]],
            "Right": right[:_SHOWN],
            "Verdicts": judged[:_SHOWN],
            "Area": run.areas[first],
            "Split": run.splits[first],
            "Words": run.words[first],
            "Id": run.ids[first],
        }
    )
    key = f"compare_hard_{run.id}_{open_.split}_{hash(rows.tobytes())}"
    st.dataframe(
        shown,
        hide_index=True,
        width="stretch",
        height=38 + 35 * min(len(shown), 10),
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        column_config={
            "Question": st.column_config.Column("Question", width="large"),
            "Right": st.column_config.Column("Right", help="methods whose verdict is the label"),
            "Verdicts": st.column_config.Column("Verdicts", help="methods that have a verdict"),
        },
        alt=f"The hardest responses: {len(shown)} rows",
    )
    more = f" The first {_SHOWN} of {len(rows):,} are shown; the file has all." if len(rows) > _SHOWN else ""
    st.html(f'<p class="gs-note">Tick a row (by keyboard: Shift and Space), then open it.{more}</p>')
    picked = st.session_state[key]["selection"]["rows"]
    with st.container(horizontal=True):
        if st.button("Open in the heatmap", key="hard_open", disabled=not picked, type="primary"):
            run_choice.open_case(open_.run, int(first[picked[0]]), _first_wrong(open_, int(first[picked[0]])), None)
        everything = pd.DataFrame({"id": run.ids[rows], "label": run.gold[rows], "methods_right": right, "verdicts": judged})
        name = slug(f"hard cases {run.name}")
        st.download_button("CSV", lambda: frame_csv(everything), f"{name}.csv", "text/csv", key="hard_csv", on_click="ignore")


def _first_wrong(open_: Open, row: int) -> str:
    """A method that judged the response, to open it with."""
    return open_.run.methods[int(np.argmax(open_.verdicts[:, row] >= 0))].id
