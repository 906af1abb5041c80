"""Results of arguments: the main result, the paper's table, the triples behind every figure, and extraction by a model."""

import json
from functools import partial
from html import escape

import streamlit as st

from components import shell
from components.arguments import figures, messages, state, tables, triples
from components.arguments.sources import ArgumentSource
from components.chat.model import offered
from components.chat.prompts import offered_prompts
from components.controls import download, errors_shown, select_one, slug, tabs, unfolded
from components.experiments.jobs import jobs
from components.experiments.panel import Panel, offer
from components.state import once
from groundscope.arguments import loading, runs
from groundscope.arguments.asking import TASK as EXTRACTION
from groundscope.arguments.extraction import EXACT
from groundscope.arguments.records import to_jsonl
from groundscope.arguments.report import ArgumentsReport, as_json, extractor_error, report
from groundscope.chat.prompt_files import asked_chat
from groundscope.drawing.html import region
from groundscope.grounding.tables import frame_csv
from groundscope.text.humanize import plural

PANEL = Panel(runs.KIND, "Its triples, arguments and extracted factors")


def show(source: ArgumentSource) -> None:
    """All results of a source."""
    state.of_source(source.id)
    for note in source.notes:
        shell.notice("info", note)
    report = _report(source)
    st.html(
        f'<p class="gs-lead" style="max-width:95ch">{escape(messages.headline(report))}</p>'
        f'<p class="gs-note">{escape(_facts(source, report))}</p>'
    )
    _table(report)
    parts = {
        "Arguments": triples.show,
        "Accuracy and recall": figures.against,
        "Factors": figures.factors,
        "Complexity": figures.levels,
        "Options and export": _options,
    }
    tabs(parts, "arguments_tab", source, report)


def extractor(source: ArgumentSource) -> str:
    """Which extraction counts: `exact`, or `model` if a model extracted and the user chose it."""
    return "model" if source.extractor and st.session_state.get("arguments_by_model") else EXACT


def _report(source: ArgumentSource) -> ArgumentsReport:
    """With the options of the session; cached, so that a click does not compute it again."""
    silent = bool(st.session_state.get("arguments_without_silent"))
    key = ("report", source.id, len(source.judged), extractor(source), silent)
    make = partial(report, source.judged, source.catalogue, extractor(source), without_silent=silent)
    return once(state.ANALYSES, key, make)


def _facts(source: ArgumentSource, report: ArgumentsReport) -> str:
    parts = (
        f"{plural(report.arguments, 'argument')} about {plural(report.scenarios, 'triple')} (a case with two precedents)",
        source.catalogue.name,
        "" if report.extractor == EXACT else f"facts found in them by {source.extractor}",
        messages.agreement(report.agreement),
        messages.checked(report),
        messages.cost(source.cost),
    )
    return " · ".join(p for p in parts if p)


def _table(report: ArgumentsReport) -> None:
    st.html(
        region("Models by tests", tables.paper_table(report), css="gs-scroll gs-tables gs-names")
        + f"<details class='gs-note gs-measure'><summary>What the columns mean</summary>{messages.COLUMNS_MEAN} "
        f"{'' if report.extractor != EXACT else messages.EXTRACTED} {escape(messages.silence(report))} "
        f"{escape(extractor_error(report))}</details>"
    )


def _options(source: ArgumentSource, report: ArgumentsReport) -> None:
    if source.extractor:
        st.toggle(
            "Use the other model's extraction instead of numbers and names",
            key="arguments_by_model",
            persist_state="session",
        )
    if report.silent:
        st.toggle(
            "Leave out arguments that say nothing",
            key="arguments_without_silent",
            persist_state="session",
            help="The paper’s formulas count an empty reply as an abstention that uses no factor. Left out, it is in no figure.",
        )
    if source.complete:
        unfolded("Extract with a model, too", "arguments_extract", _offer_extraction, source)
    name = slug(source.name)
    with st.container(horizontal=True):
        download("Arguments as JSONL", to_jsonl(source.judged, source.catalogue), f"{name}.jsonl", "arguments_jsonl")
        download("Table as CSV", frame_csv(tables.figures_table(report)), f"{name}.csv", "arguments_csv")
        everything = json.dumps(as_json(report), indent=1, ensure_ascii=False)
        download("Everything as JSON", everything, f"{name}.json", "arguments_json")
        if source.job is not None:
            PANEL.finished(source.job, "Delete this run")


def _offer_extraction(source: ArgumentSource) -> None:
    left, right = st.columns([5, 1], vertical_alignment="bottom")
    with right:
        chats = offered("arguments_extract_chat")
    if not chats:
        left.html("<p class='gs-note'>Choose a chat model first: here, or on the Methods page.</p>")
        return
    titles = {part: title for line in chats for part, title in offered_prompts(EXTRACTION, f"chat:{line}", line).items()}
    chosen = select_one(left, "Who extracts", titles, f"arguments_extract_{hash(tuple(titles))}")
    model = asked_chat(chosen).spec
    name = f"{source.name}, extracted by {model.partition('@')[0].partition(';')[0]}"
    st.html(
        f"<p class='gs-note gs-measure'>It reads the text of {plural(len(source.judged), 'argument')}, without the triples. "
        f"Texts and lists are saved on this machine until you delete them. When it is finished, choose it above as "
        f"<b>{escape(name)}</b>, with how far both extractors agree.</p>"
    )
    with errors_shown(ValueError):
        takes = loading.extraction_forecast(source.judged, chosen)
        limits = offer([takes], "arguments_extract")
        if limits is not None:
            jobs().resume(loading.begin_extraction(name, source.catalogue, source.judged, chosen, limits))
            st.rerun()
