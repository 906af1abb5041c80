"""The errors page: what each method misses by error type, and the cases behind each number."""

from html import escape

import streamlit as st

from components import shell
from components.compare.data import BY_KEY, sentences
from components.compare.messages import chance_words
from components.errors import case, filters, listing, matrix, types_of_run
from components.errors.cells import titles
from components.runs.choice import Open
from groundscope.grounding.misclassified.calls import Calls, calls
from groundscope.grounding.misclassified.cases import CaseFilter, Order, Positions, ordered
from groundscope.grounding.misclassified.table import ErrorTable, error_table


def show(open_: Open) -> None:
    """Everything under the bar of the run."""
    if not len(open_.rows):
        shell.notice("info", "No response here has a label. Choose other responses or another run.")
        return
    if not open_.rules:
        shell.notice("info", "No method of this run has a threshold. Tune thresholds on the Thresholds page.")
        return
    lead = st.container()
    types_of_run.show(open_.whole)
    _cases(open_)
    # Last: the sentences of a large set take seconds, and the table is there meanwhile.
    with lead, st.spinner("Reading the labelled sentences"):
        words = chance_words([m.title for m in open_.run.methods], sentences(open_))
        if words:
            st.html(f'<p class="gs-lead gs-measure">{escape(words)}</p>')


def _cases(open_: Open) -> None:
    """The matrix, the filters, and the cases that they leave."""
    # Streamlit drops widgets when the page changes: if this one is missing, the user comes from another page.
    just_come = matrix.TAB not in st.session_state
    if just_come:
        listing.come_back()
    found, table = _counted(open_)
    names = titles(open_.run)
    # The matrix is above the filters, and shows the cell that matches them.
    top = st.container()
    shell.section("The cases")
    wanted, order = filters.choose(found, names, just_come=just_come)
    with top:
        matrix.show(open_, found, table, names, wanted)
    left = _ordered(open_, found, wanted, order)
    if not len(left):
        shell.notice("info", "No response matches all filters.")
        st.button("Clear filters", key="errors_clear", type="primary", on_click=filters.clear)
        return
    opened = listing.show(open_, found, left, wanted, order, names, just_come=just_come)
    if opened is not None:
        case.show(open_, found, opened, wanted, names)


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs=BY_KEY)
def _ordered(open_: Open, _calls: Calls, wanted: CaseFilter, order: Order) -> Positions:
    return ordered(_calls, wanted, order)


@st.cache_resource(max_entries=2, show_spinner=False, hash_funcs=BY_KEY)
def _counted(open_: Open) -> tuple[Calls, ErrorTable]:
    found = calls(open_.run, open_.rules, open_.verdicts, open_.rows)
    return found, error_table(found)
