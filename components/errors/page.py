"""The errors page: what each method misses by error type, and the cases behind each number."""

from collections.abc import Mapping
from html import escape

import numpy as np
import streamlit as st

from components import shell
from components.controls import select_one
from components.errors import filters, listing, matrix, types_of_run
from components.errors.cells import OUTCOME_TITLES, SYMBOLS, VERDICT_WORDS
from components.opened import choice
from components.opened.choice import RunView
from components.opened.run_figures import BY_KEY, sentences
from components.opened.run_words import chance_words, rule_words, titles
from groundscope.drawing import reader
from groundscope.drawing.html import Html, region, table
from groundscope.grounding.misclassified.calls import (
    OUTCOMES,
    Calls,
    CaseFilter,
    ConfusionCell,
    Order,
    Positions,
    calls,
    cells,
    ordered,
    sentence_to_read,
)
from groundscope.grounding.misclassified.table import ErrorTable, error_table
from groundscope.grounding.runs.arrays import STATUSES
from groundscope.methods.advice import recommended
from groundscope.types import Status


def show(view: RunView) -> None:
    """Everything under the bar of the run."""
    if not len(view.rows):
        shell.notice("info", "No response here has a label. Choose other responses or another run.")
        return
    if not view.rules:
        shell.notice("info", "No method of this run has a threshold. Tune thresholds on the Thresholds page.")
        return
    lead = st.container()
    types_of_run.show(view.whole)
    _cases(view)
    # Last: the sentences of a large set take seconds, and the table is there meanwhile.
    with lead, st.spinner("Reading the labelled sentences"):
        words = chance_words([m.title for m in view.run.methods], sentences(view))
        if words:
            st.html(f'<p class="gs-lead gs-measure">{escape(words)}</p>')


def _cases(view: RunView) -> None:
    """The matrix, the filters, and the cases that they leave."""
    # Streamlit drops widgets when the page changes: if this one is missing, the user comes from another page.
    just_come = matrix.TAB not in st.session_state
    if just_come:
        listing.come_back()
    calls, table = _counted(view)
    names = titles(view.run)
    # The matrix is above the filters, and shows the cell that matches them.
    top = st.container()
    shell.section("The cases")
    # The first candidate is no method: it is recommended where none of the run is on the record.
    signatures = {filters.ALL: filters.ALL, **{m.id: m.signature for m in view.run.methods}}
    first_method = recommended({m: signatures[m] for m in (filters.ALL, *calls.ids)}).method
    case_filter, order = filters.choose(calls, names, first_method, just_come=just_come)
    with top:
        matrix.show(view, calls, table, case_filter)
    left = _ordered(view, calls, case_filter, order)
    if not len(left):
        shell.notice("info", "No response matches all filters.")
        st.button("Clear filters", key="errors_clear", type="primary", on_click=filters.clear)
        return
    opened = listing.show(view, calls, left, case_filter, order, names, just_come=just_come)
    if opened is not None:
        _case(view, calls, opened, case_filter, names)


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs=BY_KEY)
def _ordered(view: RunView, _calls: Calls, case_filter: CaseFilter, order: Order) -> Positions:
    return ordered(_calls, case_filter, order)


@st.cache_resource(max_entries=2, show_spinner=False, hash_funcs=BY_KEY)
def _counted(view: RunView) -> tuple[Calls, ErrorTable]:
    judged = calls(view.run, view.rules, view.verdicts, view.rows)
    return judged, error_table(judged)


_STATES = {
    Status.INVALID: "its answer could not be read",
    Status.ABSTAINED: "it abstained",
    Status.NOT_ASSESSABLE: "nothing to compare",
    Status.FAILED: "it could not run",
}
_NOTE = 240
_HEADS = ("Method", "Call", "Outcome", "Support", "Threshold")


def _case(view: RunView, calls: Calls, at: int, case_filter: CaseFilter, names: Mapping[str, str]) -> None:
    row = int(calls.rows[at])
    case = view.run.case(row)
    with st.container(border=True, key="errors_case_box"):
        label = "grounded" if calls.grounded[at] else "ungrounded"
        facts = [case.area, case.split or "", f"labelled {label}", case.id]
        st.html(
            f'<p class="gs-sub" dir="auto">{escape(" · ".join(f for f in facts if f))}</p>'
            f'<p class="gs-text" dir="auto"><b>{escape(case.query or "(no question)")}</b></p>'
        )
        _heatmap(view, calls, at, case_filter, names)
        left, right = st.columns(2)
        left.html(region("Response", Html(reader.response_html(case)), css="gs-scroll"))
        left.html(reader.errors_html(case) or _no_errors(bool(calls.grounded[at])))
        right.html(region("Verdicts of the methods", Html(_calls_html(view, calls, at, names)), css="gs-scroll"))
        with right.expander("Context"):
            st.html(reader.context_html(case))


def _no_errors(grounded: bool) -> str:
    words = "Labelled grounded: no errors." if grounded else "Labelled ungrounded, without a marked span."
    return f'<p class="gs-sub">{words}</p>'


def _heatmap(view: RunView, calls: Calls, at: int, case_filter: CaseFilter, names: Mapping[str, str]) -> None:
    """The button that opens the case in the heatmap with the method that the user filtered for."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = calls.ids.index(method_to_read(calls, at, case_filter, {m.id: m.signature for m in view.run.methods}))
        row = int(calls.rows[at])
        titles, key = {i: names[i] for i in calls.ids}, f"errors_method_{row}_{place}"
        method_id = select_one(st, "Method in the heatmap", titles, key, calls.ids[place], width=320)
        if st.button("Open in the heatmap", type="primary", key="errors_open"):
            case = view.run.case(row)
            choice.open_case(view.run, row, method_id, sentence_to_read(view.run, row, case, method_id))


def method_to_read(calls: Calls, at: int, case_filter: CaseFilter, signatures: Mapping[str, str]) -> str:
    """The recommended one of the methods whose calls match the filters; else of those that are wrong; else of all."""
    asked = np.flatnonzero(cells(calls, case_filter)[:, at]) if case_filter.methods or case_filter.outcomes else ()
    wrong = np.flatnonzero(
        np.isin(calls.outcomes[:, at], [OUTCOMES.index(o) for o in (ConfusionCell.MISSED, ConfusionCell.ALARM)])
    )
    able = next((places for places in (asked, wrong) if len(places)), range(len(calls.ids)))
    return recommended({calls.ids[i]: signatures[calls.ids[i]] for i in able}).method


def _calls_html(view: RunView, calls: Calls, at: int, names: Mapping[str, str]) -> str:
    lines = []
    for place, method_id in enumerate(calls.ids):
        outcome = OUTCOMES[calls.outcomes[place, at]]
        rule = view.rules[method_id]
        value = calls.margins[place, at] + rule.threshold
        lines.append(
            (
                names[method_id],
                VERDICT_WORDS[int(calls.verdicts[place, at])],
                f"{SYMBOLS[outcome]} {OUTCOME_TITLES[outcome].lower()}{_why(view, method_id, at, calls, outcome)}",
                "–" if np.isnan(value) else f"{value:.3f}",
                rule_words(rule).removeprefix("threshold "),
            )
        )
    return table(_HEADS, lines, caption="Verdicts of the methods")


def _why(view: RunView, method_id: str, at: int, calls: Calls, outcome: ConfusionCell) -> str:
    """Why there is no verdict: the method's own note, else its state."""
    if outcome is not ConfusionCell.NONE:
        return ""
    place, row = view.run.method(method_id), int(calls.rows[at])
    note = " ".join(view.run.read_notes(place, [row])[0].split())
    return f": {note[:_NOTE] or _STATES.get(STATUSES[view.run.status[place, row]], 'no sentence has a support')}"
