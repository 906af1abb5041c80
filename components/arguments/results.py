"""Arguments on a page: the main result, the paper's table, and the triples behind every figure."""

import json
from html import escape
from typing import Any, cast

import streamlit as st

from components import figure, shell
from components.arguments import extracting, figures, messages, state, tables, triples
from components.arguments.panel import PANEL
from components.arguments.sources import ArgumentSource
from components.arguments.state import ArgumentFilter
from groundscope.arguments.extraction import EXACT
from groundscope.arguments.records import to_jsonl
from groundscope.arguments.report import COLUMNS, NAMES, ArgumentsReport, as_json, report
from groundscope.arguments.scoring import Weights
from groundscope.arguments.types import Test
from groundscope.grounding.export import guarded
from groundscope.humanize import plural

TABS = ("Arguments", "Accuracy and recall", "Factors", "Complexity", "Abstention wording", "Options and export")
_CLICKED = "arguments_clicked"


def show(source: ArgumentSource) -> None:
    """All results of a source."""
    state.of_source(source.id)
    for note in source.notes:
        shell.notice("info", note)
    made = _report(source)
    st.html(
        f'<p class="gs-lead" style="max-width:95ch">{escape(messages.headline(made))}</p>'
        f'<p class="gs-note">{escape(_facts(source, made))}</p>'
    )
    _table(source, made)
    shown = st.tabs(TABS, key="arguments_tab", on_change="rerun")
    parts = (_arguments, figures.against, figures.factors, figures.levels, figures.abstention, _options)
    for tab, draw in zip(shown, parts, strict=True):
        if tab.open:
            with tab:
                draw(source, made)


def extractor(source: ArgumentSource) -> str:
    """Which extraction counts: `exact`, or `model` if a model extracted and the user chose it."""
    return "model" if source.extractor and st.session_state.get("arguments_by_model") else EXACT


def _report(source: ArgumentSource) -> ArgumentsReport:
    """With the options of the session; cached, so that a click does not compute it again."""
    chosen: Any = st.session_state.get("arguments_weights") if st.session_state.get("arguments_weighted") else None
    key = ("report", source.id, len(source.judged), extractor(source), chosen)
    kept: dict[tuple[Any, ...], Any] = state.kept()
    if key not in kept:
        kept[key] = report(source.judged, source.catalogue, extractor(source), chosen)
    return cast(ArgumentsReport, kept[key])


def _facts(source: ArgumentSource, made: ArgumentsReport) -> str:
    by = (
        f"extracted by {source.extractor}"
        if made.extractor != EXACT
        else "extracted by numbers and names, attributed to cases by rules"
    )
    parts = (
        f"{plural(made.arguments, 'argument')} about {plural(made.scenarios, 'triple')}",
        source.catalogue.name,
        by,
        messages.agreement(made.agreement),
        messages.cost(source.cost),
    )
    return " · ".join(p for p in parts if p)


def _table(source: ArgumentSource, made: ArgumentsReport) -> None:
    table = tables.paper_table(made)
    event: Any = st.dataframe(
        table,
        hide_index=True,
        width="stretch",
        height=38 + 35 * min(len(table), 12),
        key="arguments_table",
        on_select="rerun",
        selection_mode="single-cell",
        alt="Models by tests: Acc_H, Rec_U and abstention in percent with intervals",
    )
    st.html(
        "<p class='gs-note'>Percent, with the 95 % interval in brackets. Acc_H: 100 = nothing invented, below 0 where more is "
        "invented than there is. Rec_U: 100 = every factor used. Abstention: 100 = never argued without a common factor. Click "
        "a cell to list its arguments.</p>"
    )
    cells = event["selection"]["cells"]
    clicked = (source.id, tuple(cells[0])) if cells else None
    if clicked and st.session_state.get(_CLICKED) != clicked and cells[0][0] < len(made.rows):
        row = made.rows[cells[0][0]]
        titles = [(NAMES[name], test.value) for test, name in COLUMNS] + [("Weighted", test.value) for test in Test]
        of_columns = {f"{title} {test}": test for title, test in titles}
        state.wanted(ArgumentFilter(row.arguer, row.wording or None, of_columns.get(str(cells[0][1]))))
    st.session_state[_CLICKED] = clicked


def _arguments(source: ArgumentSource, made: ArgumentsReport) -> None:
    triples.show(source, extractor(source))


def _options(source: ArgumentSource, made: ArgumentsReport) -> None:
    if source.extractor:
        st.toggle(
            "Use the other model's extraction instead of numbers and names",
            key="arguments_by_model",
            persist_state="session",
        )
    _weights()
    extracting.show(source)
    name = figure.slug(source.name)
    with st.container(horizontal=True):
        st.download_button(
            "Arguments as JSONL", to_jsonl(source.judged, source.catalogue), f"{name}.jsonl", "application/jsonl",
            key="arguments_jsonl", on_click="ignore",
        )  # fmt: skip
        st.download_button("Table as CSV", _csv(made), f"{name}.csv", "text/csv", key="arguments_csv", on_click="ignore")
        everything = json.dumps(as_json(made), indent=1, ensure_ascii=False)
        st.download_button(
            "Everything as JSON", everything, f"{name}.json", "application/json", key="arguments_json", on_click="ignore"
        )
        if source.job is not None:
            PANEL.finished(source.job, "Delete this run")


def _weights() -> None:
    on = st.toggle("Add weighted recall by side", key="arguments_weighted", persist_state="session")
    if not on:
        return
    left, right, _ = st.columns([1, 1, 3])
    plaintiff = left.number_input(
        "Weight of a plaintiff's factor", 0.0, 100.0, 2.0, 0.5, key="arguments_weight_p", persist_state="session"
    )
    defendant = right.number_input(
        "Weight of a defendant's factor", 0.0, 100.0, 1.0, 0.5, key="arguments_weight_d", persist_state="session"
    )
    new = Weights(plaintiff, defendant)
    if st.session_state.get("arguments_weights") != new:
        st.session_state["arguments_weights"] = new
        st.rerun()


def _csv(made: ArgumentsReport) -> bytes:
    safe = tables.figures_table(made).map(lambda cell: guarded(cell) if isinstance(cell, str) else cell)
    text: str = safe.to_csv(index=False)
    return text.encode("utf-8")
