"""Results of arguments: the main result, the paper's table, figures whose points list arguments, and extraction by a model."""

import json
from functools import partial
from html import escape

import pandas as pd
import streamlit as st

from components import shell
from components.arguments import messages, state, tables, triples
from components.arguments.state import ArgumentFilter, ArgumentSource
from components.charts import arguments as charts
from components.chat.model import offered
from components.chat.prompts import offered_prompts
from components.controls import download, errors_shown, just_clicked, one_of, select_one, show_figure, slug, tabs, unfolded
from components.experiments.jobs import jobs
from components.experiments.panel import Panel, offer
from components.state import once
from groundscope.arguments import loading, runs
from groundscope.arguments.asking import EXTRACTION
from groundscope.arguments.extraction import EXACT
from groundscope.arguments.records import to_jsonl
from groundscope.arguments.report import NAMES, ArguerRow, ArgumentsReport, agreement_words, as_json, extractor_error, report
from groundscope.arguments.summary import by_factor
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
        "Accuracy and recall": _against,
        "Factors": _factors,
        "Complexity": _levels,
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
        agreement_words(report.agreement),
        messages.checked(report),
        messages.cost(source.job.spent) if source.job else "",
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
    if source.job is None or source.job.finished:
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


_FACTORS = 15


def _against(source: ArgumentSource, report: ArgumentsReport) -> None:
    """Acc_H against Rec_U."""
    clicked = show_figure(
        charts.against(report.rows, messages.names(report)),
        key="arguments_against",
        name=f"accuracy and recall {source.name}",
        alt="Acc_H against Rec_U: a point a model and test, with the figures of the table above.",
        data=tables.figures_table(report),
        select=True,
    )
    st.html(
        "<p class='gs-note'>Small and filled: arguable; large and open: reordered. Bars are 95 % intervals. Models with the "
        "same figures overlap.</p>"
    )
    if point := just_clicked("arguments_against", clicked):
        state.argument_filter(_of_row(report.rows[int(point[0])], test=str(point[1])))
    _below(source, report)


def _factors(source: ArgumentSource, report: ArgumentsReport) -> None:
    """Which factors go wrong, and how: of the chosen model, or of all models."""
    chosen = state.argument_filter()
    named = [j for j in source.judged if chosen.arguer in (None, j.arguer) and chosen.wording in (None, j.wording)]
    mine = [j for j in named if report.score(j) is not None]
    errors = [f for f in by_factor(mine, report.extractor) if f.errors]
    if not errors:
        shell.notice("info", f"{_whose(chosen)} These arguments use every factor correctly.")
        triples.show(source, report)
        return
    most = (
        f"The {plural(min(_FACTORS, len(errors)), 'factor')} with most errors." if len(errors) > 1 else "One factor has errors."
    )
    st.html(f"<p class='gs-note'>{escape(_whose(chosen))} {most} Over all tests and complexities.</p>")
    counts = ("there", "missed", "invented", "wrong_case")
    data = pd.DataFrame([{"factor": f.key, **{name: getattr(f, name) for name in counts}} for f in errors])
    clicked = show_figure(
        charts.factors(errors[:_FACTORS], source.catalogue),
        key="arguments_factors",
        name=f"factors {source.name}",
        alt=messages.factors_alt(errors[:_FACTORS]),
        data=data,
        select=True,
    )
    if point := just_clicked("arguments_factors", clicked):
        state.argument_filter(ArgumentFilter(chosen.arguer, chosen.wording, factor=str(point[0]), error=str(point[1])))
    _below(source, report)


def _whose(chosen: ArgumentFilter) -> str:
    under = f", {tables.wording_title(chosen.wording)}" if chosen.wording else ""
    return f"Of {chosen.arguer or 'all models'}{under}."


def _levels(source: ArgumentSource, report: ArgumentsReport) -> None:
    """Acc_H or Rec_U by complexity."""
    name = one_of("Metric", {m: NAMES[m] for m in ("acc_h", "rec_u")}, "arguments_metric")
    if not any(charts.known(r) for r in report.rows):
        shell.notice("info", "No arguable or reordered triple here has a known complexity.")
        return
    data = [
        {"model": r.arguer, "wording": r.wording, "complexity": k, name: m.value, "from": m.interval.low, "to": m.interval.high}
        for r in report.rows
        for k, f in charts.known(r).items()
        for m in [getattr(f, name)]
    ]
    clicked = show_figure(
        charts.levels(report.rows, messages.names(report), name, NAMES[name]),
        key=f"arguments_levels_{name}",
        name=f"{name} by complexity {source.name}",
        alt=messages.levels_alt(report.rows, messages.names(report), name, NAMES[name]),
        data=pd.DataFrame(data),
        select=True,
    )
    st.html("<p class='gs-note'>Over arguable and reordered triples whose complexity is known. Bars are 95 % intervals.</p>")
    if point := just_clicked("arguments_levels", clicked):
        state.argument_filter(_of_row(report.rows[int(point[0])], state.ARGUED, int(point[1])))
    _below(source, report)


def _of_row(row: ArguerRow, test: str | None = None, complexity: int | None = None) -> ArgumentFilter:
    return ArgumentFilter(row.arguer, row.wording or None, test, complexity)


def _below(source: ArgumentSource, report: ArgumentsReport) -> None:
    st.html("<p class='gs-note'>Click a point to list its arguments here.</p>")
    triples.show(source, report)
