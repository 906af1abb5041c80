"""The errors page: what each method misses by error type, and the cases behind each number."""

import streamlit as st

from components import errors_case, errors_filters, errors_list, errors_matrix, shell
from components.compare_data import Key, key
from components.errors_cells import titles
from components.run_choice import Open
from evaluation.misclassified import Calls, calls
from evaluation.misclassified_cases import ordered
from evaluation.misclassified_table import ErrorTable, error_table


def show(open_: Open) -> None:
    """Everything under the bar of the run."""
    if not len(open_.rows):
        shell.notice(
            "info", "No response here is labelled, so nothing can be called an error. Choose other responses or another run."
        )
        return
    if not open_.rules:
        shell.notice(
            "info", "No method of this run has a threshold, so none has a verdict. Tune thresholds on the Thresholds page."
        )
        return
    # Streamlit forgets widgets when the page changes: without this one the user has just come.
    just_come = errors_matrix.TAB not in st.session_state
    if just_come:
        errors_list.come_back()
    found, table = _counted(key(open_), open_)
    names = titles(open_.run)
    # The matrix stands above the filters, and shows which of its cells they stand for.
    top = st.container()
    shell.section("The cases")
    wanted, order = errors_filters.choose(found, names, just_come=just_come)
    with top:
        errors_matrix.show(open_, found, table, names, wanted)
    left = ordered(found, wanted, order)
    if not len(left):
        shell.notice("info", "No response has everything that the filters ask for.")
        st.button("Clear the filters", key="errors_clear", type="primary", on_click=errors_filters.clear)
        return
    opened = errors_list.show(open_, found, left, wanted, order, names, just_come=just_come)
    if opened is not None:
        errors_case.show(open_, found, opened, wanted, names)


@st.cache_resource(max_entries=4, show_spinner=False)
def _counted(key: Key, _open: Open) -> tuple[Calls, ErrorTable]:
    found = calls(_open.run, _open.rules, _open.verdicts, _open.rows)
    return found, error_table(found)
