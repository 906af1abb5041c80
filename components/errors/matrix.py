"""How often each method misses each error type: a table that links to the cases; how often types occur."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from components import shell
from components.charts.comparison import frequencies
from components.controls import clickable_matrix, download, one_of, show_figure, tabs
from components.errors import filters
from components.errors.cells import CellChoice, matrix
from components.opened.choice import RunView
from groundscope.cases.error_types import TITLES
from groundscope.grounding.misclassified.calls import Calls, CaseFilter
from groundscope.grounding.misclassified.table import (
    OCCURRENCES,
    PARTS,
    ErrorTable,
    Per,
    TypeSet,
    frame,
    type_frequencies,
    type_sets,
)
from groundscope.grounding.runs.arrays import TYPES
from groundscope.grounding.tables import frame_csv
from groundscope.text.humanize import plural
from groundscope.types import ErrorType

TAB = "errors_tab"
JUMPS = "errors_jumps"
"""Session key of the number of clicks on cells: the list of cases scrolls into view when it changes."""
_KEY = "errors_matrix"
_SETS = 12
_PER: dict[Per, str] = {"response": "Responses with the type", "set": "Distinct sets of types"}


def show(view: RunView, calls: Calls, table: ErrorTable, case_filter: CaseFilter) -> None:
    """Draw the open one of the two views."""
    if not table.responses[PARTS.index(OCCURRENCES)] and view.whole.types.any():
        shell.notice("info", "No ungrounded response here has a labelled error type, so all are in one column.")
    parts = {"Table": partial(_table, view, calls, table, case_filter), "How often each type occurs": partial(_types, calls)}
    tabs(parts, TAB)


def _table(view: RunView, calls: Calls, table: ErrorTable, case_filter: CaseFilter) -> None:
    content = matrix(view.run, view.rules, calls, table, filters.picked(case_filter))
    caption = "Misclassified responses by method and error type"
    words = {"caption": caption, "corner": "Method", "action": "Show these cases"}
    clickable_matrix(key=_KEY, data={**content, **words}, on_picked_change=lambda: _picked(calls.ids))
    st.html(
        '<p class="gs-note gs-measure">Click a number to list its cases below. Misclassified: an ungrounded response that the '
        "method does not flag; one without a verdict counts as missed, and is also counted separately. A response with several "
        "types counts once in each, as in the paper’s table 4. Ranges are Wilson’s 95% intervals. They assume independent "
        "responses, so with several responses per question they are slightly too narrow.</p>"
    )
    data = frame(view.run, view.rules, table)
    download("Download this table as CSV", lambda: frame_csv(data), "error-types.csv", "errors_csv")


def _picked(methods: tuple[str, ...]) -> None:
    """Handle a click in the table; values from the browser are checked before use."""
    value: Any = st.session_state[_KEY].get("picked")
    if isinstance(value, dict) and value.get("part") in PARTS and value.get("method") in methods:
        filters.of_pick(CellChoice(value["part"], value["method"]))
        st.session_state[JUMPS] = st.session_state.get(JUMPS, 0) + 1


def _types(calls: Calls) -> None:
    sets = type_sets(calls)
    if not sets:
        shell.notice("info", "No response here has a labelled error type.")
        return
    per = one_of("Count", _PER, "errors_per")
    about = "Figure 4 of the paper." if per == "response" else "Our reading of figure 3: each set of types counts once."
    log = st.toggle(
        "Logarithmic axis", value=True, key="errors_log", persist_state="session", help="Shows rare types beside frequent ones."
    )
    counts = type_frequencies(calls, per)
    responses = sum(s.responses for s in sets)
    st.html(
        f'<p class="gs-note">Of {responses:,} ungrounded responses with a type; {plural(len(sets), "distinct set")} of types. '
        f"Shares here are of the {int(counts.sum()):,} in all bars. {about}</p>"
    )
    _bars([TITLES[t] for t in TYPES], [t.value for t in TYPES], counts, per, _PER[per], log=log)
    if per == "response":
        _combinations(sets, responses, log=log)


def _combinations(sets: Sequence[TypeSet], responses: int, *, log: bool) -> None:
    rest = f": the {_SETS} most frequent of {len(sets):,}" if len(sets) > _SETS else ""
    note = f"Shares are of the {responses:,} responses."
    st.html(f'<h2 class="gs-small">Combinations of types{rest}</h2><p class="gs-note">{note}</p>')
    first = sets[:_SETS]
    titles = [" + ".join(TITLES[ErrorType(t)] for t in s.types) for s in first]
    counts = np.array([s.responses for s in first])
    unit = "Responses with exactly these types"
    _bars(titles, [" ".join(s.types) for s in first], counts, "combination", unit, responses, log=log)


def _bars(titles: list[str], ids: list[str], counts: NDArray[np.int64], per: str, unit: str, of: int = 0, *, log: bool) -> None:
    show_figure(
        frequencies(titles, counts, unit, of=of, log=log),
        key=f"errors_types_{per}_{log}",
        name=f"Error types by {per}",
        alt="; ".join(f"{title}: {count:,}" for title, count in zip(titles, counts, strict=True)),
        data=pd.DataFrame({"error_type": ids, "title": titles, "count": counts, "per": per}),
    )
