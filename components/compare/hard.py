"""Hard cases: responses that few methods, or none, get right."""

from html import escape

import pandas as pd
import streamlit as st

from components import shell
from components.compare import data, method
from components.controls import table_csv, ticked_list
from components.errors.filters import CAUGHT
from components.heatmap.chooser import LABELS
from components.runs import choice
from components.runs.choice import RunView
from groundscope.grounding.comparing.agreement import Hardness
from groundscope.grounding.results import RunResults
from groundscope.grounding.runs.arrays import Integers
from groundscope.methods.recommendation import recommended

_SHOWN = 200
"""Most rows in the table."""


def show(view: RunView, results: RunResults) -> None:
    """Their number, and a table that opens one in the heatmap."""
    hard = data.hard(view)
    if not hard.methods:
        shell.notice("info", "No method has a verdict here. Tune thresholds, or resume the run.")
        return
    st.html(f'<p class="gs-measure gs-flat">{escape(_summary(view, results, hard))}</p>')
    most = 0
    if hard.methods > 1:
        label, key = "Right methods, at most", "compare_most"
        most = int(st.number_input(label, 0, hard.methods - 1, 0, key=key, persist_state="session", width=280))
    if missed := int((view.run.gold[view.rows[hard.at_most()]] == 0).sum()):
        label = f"The {missed:,} errors that no method finds" if missed > 1 else "The error that no method finds"
        st.page_link(method.ERRORS, label=label, query_params=method.address(CAUGHT, "nobody"))
    places = hard.at_most(most)
    if not len(places):
        st.html('<p class="gs-note">No response is that hard. Raise the number of right methods.</p>')
        return
    _table(view, view.rows[places], hard.right[places], hard.judged[places])


def _summary(view: RunView, results: RunResults, hard: Hardness) -> str:
    rows = view.rows[hard.at_most()]
    missed = int((view.run.gold[rows] == 0).sum())
    none = "at least one is right about every other response" if hard.methods > 1 else "wrong about no other"
    if len(rows):
        none = (
            f"none about {len(rows):,}: {missed:,} with errors that no method found, {len(rows) - missed:,} sound ones that "
            "no method called sound"
        )
    unjudged = f" No method has a verdict on {hard.unjudged():,}." if hard.unjudged() else ""
    judges = "the method is" if hard.methods == 1 else f"all {hard.methods} methods are"
    return f"Of {results.responses:,} responses, {judges} right about {hard.everybody():,}, and {none}.{unjudged}"


def _table(view: RunView, rows: Integers, right: Integers, judged: Integers) -> None:
    run, first = view.run, rows[:_SHOWN]
    questions = [c.query[:300] for c in run.read_cases([int(i) for i in first])]
    labels = [LABELS[bool(g)] for g in run.gold[first]]
    shown = pd.DataFrame({"Question": questions, "Label": labels, "Right": right[:_SHOWN], "Verdicts": judged[:_SHOWN]})
    shown = shown.assign(Area=run.areas[first], Split=run.splits[first], Words=run.words[first], Id=run.ids[first])
    key = f"compare_hard_{run.id}_{view.split}_{hash(rows.tobytes())}"
    columns = {
        "Question": st.column_config.Column("Question", width="large"),
        "Right": st.column_config.Column("Right", help="Methods whose verdict equals the label"),
        "Verdicts": st.column_config.Column("Verdicts", help="Methods with a verdict"),
    }
    picked = ticked_list(shown, key, 10, f"The hardest responses: {len(shown)} rows", columns)
    more = f" The first {_SHOWN} of {len(rows):,} are shown; the file has all." if len(rows) > _SHOWN else ""
    st.html(f'<p class="gs-note">Tick a row (by keyboard: Shift and Space), then open it.{more}</p>')
    with st.container(horizontal=True):
        if st.button("Open in the heatmap", key="hard_open", disabled=picked is None, type="primary") and picked is not None:
            row = int(first[picked])
            choice.open_case(run, row, _first_judge(view, row))
        everything = pd.DataFrame({"id": run.ids[rows], "label": run.gold[rows], "methods_right": right, "verdicts": judged})
        table_csv(everything, f"hard cases {run.name}", "hard_csv")


def _first_judge(view: RunView, row: int) -> str:
    """The recommended method of those that judged the response, for the heatmap."""
    judged = [m for m, verdict in zip(view.run.methods, view.verdicts[:, row], strict=True) if verdict >= 0]
    return recommended([m.id for m in judged or view.run.methods], {m.id: m.signature for m in judged}).method
