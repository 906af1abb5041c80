"""Results of legal RAG on a page: the picture first, then tables, tests, retrieval and the questions behind every figure."""

import json
from html import escape

import pandas as pd
import streamlit as st

from components import figure, shell
from components.charts import rag as charts
from components.controls import download, just_clicked, tabs
from components.experiments.panel import Panel
from components.rag import answer, audit, messages, questions, retrieval, state, tables
from components.rag.sources import AnswerSource
from components.rag.state import AnswerFilter
from components.state import once
from groundscope.drawing.html import region
from groundscope.rag import experiments, offline_judge
from groundscope.rag.effects.printed import AXES_NOTE
from groundscope.rag.outcomes import ERRORS, OutcomeRow
from groundscope.rag.ranking import rankings
from groundscope.rag.records import to_jsonl
from groundscope.rag.report import MARKS, RagReport, as_json, confounded, report, signed
from groundscope.text.humanize import plural

PANEL = Panel(experiments.KIND, "Its questions, passages, answers and verdicts", state.forget_link)


def show(source: AnswerSource) -> None:
    """Everything that the results say."""
    for note in source.notes:
        shell.notice("info", note)
    report = _report(source)
    judged = {
        state.QUESTIONS: _questions,
        "Results table": _table,
        "Impact": _impact,
        "What the differences mean": _tests,
        "Audit of the judge": audit.show,
    }
    if offline_judge.by_methods(source.judge):
        # What needs no judge comes first: these verdicts are those of methods, and how good they are is not measured.
        _lead(messages.retrieved(report.embedders), messages.BY_METHODS, _facts(source, report))
        parts = {"Retrieval": retrieval.show, "Errors by this judge": _headline, **judged}
    else:
        _headline(source, report)
        parts = {**judged, "Retrieval": retrieval.show}
    state.turn()
    tabs(parts, "rag_tab", source, report)
    with st.container(horizontal=True):
        answer.review(source)
        if source.job is not None:
            PANEL.finished(source.job, "Delete this experiment")


def _lead(lead: str, more: str, facts: str) -> None:
    st.html(
        f'<p class="gs-lead" style="max-width:95ch">{escape(lead)}</p><p class="gs-measure gs-flat" dir="auto">{escape(more)}</p>'
        f'<p class="gs-note" dir="auto">{escape(facts)}</p>'
    )


def _headline(source: AnswerSource, report: RagReport) -> None:
    lead, more = messages.headline(source.answers, report)
    _lead(lead, " ".join(filter(None, (more, messages.best(report.combinations)))), _facts(source, report))
    _errors(source, report)


def _report(source: AnswerSource) -> RagReport:
    """With the baselines of the session; cached, since a click must not make it again."""
    embedder, model = st.session_state.get("rag_base_embedder", ""), st.session_state.get("rag_base_model", "")
    present = {a.embedder for a in source.answers}, {a.model for a in source.answers}
    embedder, model = embedder if embedder in present[0] else "", model if model in present[1] else ""
    key = ("report", source.id, source.stamp, embedder, model)
    return once(state.reports(), key, lambda: report(source.answers, embedder, model))


def _facts(source: AnswerSource, report: RagReport) -> str:
    licence = f"data: {source.licence}" if source.licence else ""
    parts = (f"{plural(report.answers, 'answer')} to {plural(report.questions, 'question')}", source.judge, licence)
    return " · ".join(p for p in parts if p)


def _errors(source: AnswerSource, report: RagReport) -> None:
    rows: tuple[OutcomeRow, ...] = report.combinations
    data = pd.DataFrame(
        [
            {"embedder": r.embedder, "model": r.model, **{e.value: r.errors[e].value for e in ERRORS}, "judge": source.judge}
            for r in rows
        ]
    )
    clicked = figure.show(
        charts.errors(rows, source.judge),
        key="rag_errors",
        name=f"errors {source.name}",
        alt=messages.errors_alt(rows),
        data=data,
        select=True,
    )
    st.html("<p class='gs-note'>A click on a part of a bar lists the questions behind it.</p>")
    if point := just_clicked("rag_errors", clicked):
        row, error = point
        state.show_questions(AnswerFilter(rows[int(row)].embedder, rows[int(row)].model, str(error)))


def _questions(source: AnswerSource, report: RagReport) -> None:
    questions.show(source)


def _table(source: AnswerSource, report: RagReport) -> None:
    for title, rows in (("Combinations", report.combinations), ("Embedders", report.embedders), ("Models", report.models)):
        st.html(region(title, tables.shares_html(rows, title), css=tables.SCROLLED))
    st.html(
        "<p class='gs-note gs-measure'>Percent, under it the 95 % interval (Wilson). A share counts the answers that have the "
        "verdicts which it needs. RAG accuracy and errors count the same answers, those whose correctness is known, so that they "
        "add up to 100; where no correctness is known, hallucinations are of the answers whose grounding is.</p>"
    )
    if report.axes:
        title = "What each setting of retrieval does"
        st.html(region(title, tables.axes_html(report.axes, title), css=tables.SCROLLED))
        st.html(f"<p class='gs-note gs-measure'>{escape(AXES_NOTE)}</p>")
    with st.container(horizontal=True):
        name = figure.slug(source.name)
        download("Table as CSV", lambda: tables.csv(report), f"{name}.csv", "rag_csv")
        download("Everything as JSON", lambda: _json(source, report), f"{name}.json", "rag_json")
        download("Answers as JSONL", lambda: to_jsonl(source.answers), f"{name}.jsonl", "rag_jsonl")


def _json(source: AnswerSource, report: RagReport) -> str:
    return json.dumps(as_json(report, rankings(source.answers)), indent=1, ensure_ascii=False)


def _impact(source: AnswerSource, report: RagReport) -> None:
    embedders, models = report.embedder_impacts, report.model_impacts
    data = pd.DataFrame(
        [
            {"kind": kind, "name": i.level, "accuracy": i.accuracy, "relative": i.relative, "judge": source.judge}
            for kind, all_ in (("embedder", embedders), ("model", models))
            for i in all_
        ]
    )
    clicked = figure.show(
        charts.impact(embedders, models, source.judge),
        key="rag_impact",
        name=f"impact {source.name}",
        alt="RAG accuracy relative to the mean. "
        + "; ".join(f"{i.level} {signed(100 * i.relative)} %" for i in (*embedders, *models)),
        data=data,
        select=True,
    )
    st.html(
        "<p class='gs-note'>Each part's RAG accuracy, the mean over its combinations, in percent above or below the mean of all "
        "of its kind. A click on a bar lists its questions.</p>"
    )
    if doubt := confounded(report.combinations):
        shell.notice("info", doubt)
    if point := just_clicked("rag_impact", clicked):
        kind, at = point
        of_embedder = kind == "embedder"
        name = (embedders if of_embedder else models)[int(at)].level
        state.show_questions(AnswerFilter(embedder=name) if of_embedder else AnswerFilter(model=name))
        st.rerun()


def _tests(source: AnswerSource, report: RagReport) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for label, key, levels, now in (
            (
                "Embedders are compared with",
                "rag_base_embedder",
                [r.embedder for r in report.embedders],
                report.baseline_embedder,
            ),
            ("Models are compared with", "rag_base_model", [r.model for r in report.models], report.baseline_model),
        ):
            st.selectbox(label, levels, index=levels.index(now), key=key, width=300)
    st.html(region("Tests of all outcomes", tables.printed_html(report, messages.OUTCOME_TITLES), css=tables.SCROLLED))
    st.html(
        "<p class='gs-note'>Least squares with an effect of every question, standard errors clustered by question; points are "
        f"percentage points. {escape(MARKS)}. Single comparisons are not corrected for their number. Why a figure is not "
        "known stands below, with its outcome.</p>"
    )
    name = figure.slug(source.name)
    download("Tests as CSV", lambda: tables.tests_csv(report), f"{name}-tests.csv", "rag_tests_csv")
    with st.expander("Intervals, z and p of one outcome", key="rag_tests_full"):
        outcome = st.segmented_control(
            "Share of answers that are",
            list(messages.OUTCOME_TITLES),
            default="both",
            format_func=lambda o: messages.OUTCOME_TITLES[o],
            key="rag_outcome",
            required=True,
        )
        st.html(region("Tests", tables.tests_html(report, outcome or "both"), css=tables.SCROLLED))
