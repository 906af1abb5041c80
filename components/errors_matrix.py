"""How often each method misses each error type: a table that leads to the cases, and a figure; how often types occur."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from components import errors_filters, figure, reader, shell
from components.charts.error_types import frequencies, misses
from components.errors_cells import Pick, csv_of, matrix, shown
from components.run_choice import Open
from evaluation.error_types import TITLES
from evaluation.misclassified import Calls
from evaluation.misclassified_cases import Filter
from evaluation.misclassified_table import OCCURRENCES, PARTS, ErrorTable, Per, frame, type_frequencies, type_sets
from evaluation.run_data import TYPES
from evaluation.types import ErrorType

TAB = "errors_tab"
JUMPS = "errors_jumps"
"""How often a cell was clicked in this session: the list of cases comes into view when it changes."""
_KEY = "errors_matrix"
_SETS = 12
_TABS = ("Table", "Figure", "How often each type occurs")
_PER: dict[Per, str] = {"response": "Responses that have it", "set": "Distinct sets of types"}
_STATIC = Path(__file__).parent / "static"

_mount = st.components.v2.component(
    "groundscope_errors_matrix",
    html='<div class="errors"></div>',
    css=(_STATIC / "errors.css").read_text(encoding="utf-8"),
    js="\n".join((_STATIC / f"{name}.js").read_text(encoding="utf-8") for name in ("text", "errors_matrix")),
)


def show(open_: Open, calls: Calls, table: ErrorTable, names: Mapping[str, str], wanted: Filter) -> None:
    """Draw the three views, the open one alone."""
    if not table.responses[PARTS.index(OCCURRENCES)]:
        shell.notice(
            "info",
            "No ungrounded response here has a labelled error type, so all of them stand in one column. Types can be suggested "
            "on the Cases page; the run then has to be made again.",
        )
    data = frame(open_.run, open_.rules, table)
    for name, tab in zip(_TABS, st.tabs(_TABS, key=TAB, on_change="rerun"), strict=True):
        if not tab.open:
            continue
        with tab:
            if name == _TABS[0]:
                _table(open_, calls, table, data, wanted)
            elif name == _TABS[1]:
                _figure(calls, table, names, data)
            else:
                _types(calls)


def _table(open_: Open, calls: Calls, table: ErrorTable, data: pd.DataFrame, wanted: Filter) -> None:
    content = matrix(open_.run, open_.rules, calls, table, errors_filters.picked(wanted))
    caption = "Misclassified responses by method and error type"
    _mount(key=_KEY, data={**content, "caption": caption}, on_picked_change=lambda: _picked(calls.ids))
    _note()
    st.download_button(
        "Download this table as CSV", lambda: csv_of(data), "error-types.csv", "text/csv", key="errors_csv", on_click="ignore"
    )


def _note() -> None:
    st.html(
        '<p class="gs-note gs-measure">Each number opens its cases below. Misclassified: an ungrounded response that the method '
        "does not call so; one without a verdict was not caught either, and is counted apart too. A response with several types "
        "counts once in each, as in the paper’s table 4. Ranges are Wilson’s 95% intervals; they take responses as independent "
        "of each other, so several responses to one question make them a little too narrow.</p>"
    )


def _picked(methods: tuple[str, ...]) -> None:
    """Take a click in the table; what comes from a browser is looked at before it is used."""
    value: Any = st.session_state[_KEY].get("picked")
    if isinstance(value, dict) and value.get("part") in PARTS and value.get("method") in methods:
        errors_filters.of_pick(Pick(value["part"], value["method"]))
        st.session_state[JUMPS] = st.session_state.get(JUMPS, 0) + 1


def _figure(calls: Calls, table: ErrorTable, names: Mapping[str, str], data: pd.DataFrame) -> None:
    figure.show(
        misses(table, [names[i] for i in calls.ids], shown(table)),
        key="errors_misses",
        name="Misclassified by error type",
        alt="One line a method, one column an error type. The area of a square is the share of the responses that the method "
        "misclassifies; its outline stands for all of them. The same numbers are in the table beside it.",
        data=data,
    )


def _types(calls: Calls) -> None:
    sets = type_sets(calls)
    if not sets:
        shell.notice("info", "There is nothing to count: no response here has a labelled error type.")
        return
    per: Per = (
        st.radio(
            "Count",
            list(_PER),
            format_func=lambda p: _PER[p],
            key="errors_per",
            horizontal=True,
            persist_state="session",
            help="Responses: figure 4 of the paper. Distinct sets of types: figure 3; a set counts once, however many responses "
            "have it.",
        )
        or "response"
    )
    counts = type_frequencies(calls, per)
    data = pd.DataFrame(
        {"error_type": [t.value for t in TYPES], "title": [TITLES[t] for t in TYPES], "count": counts, "per": per}
    )
    responses = sum(s.responses for s in sets)
    st.html(
        f'<p class="gs-note">Of {responses:,} ungrounded responses with a type, which have {len(sets):,} distinct sets of types. '
        f"Shares are of the {int(counts.sum()):,} counted in all bars.</p>"
    )
    figure.show(
        frequencies([TITLES[t] for t in TYPES], counts, _PER[per]),
        key=f"errors_types_{per}",
        name=f"Error types by {per}",
        alt="; ".join(f"{TITLES[t]}: {c:,}" for t, c in zip(TYPES, counts, strict=True)),
        data=data,
    )
    if per == "set":
        most = [(" + ".join(TITLES[ErrorType(t)] for t in s.types), f"{s.responses:,}") for s in sets[:_SETS]]
        rest = f"; the {_SETS} most frequent of {len(sets):,}" if len(sets) > _SETS else ""
        st.html(reader.counts_html(most, ("Types of a response", "Responses"), f"Distinct sets of types{rest}"))
