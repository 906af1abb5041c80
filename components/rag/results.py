"""Results of Legal RAG: main chart, tables, tests, retrieval, the questions behind every figure, and the audit of the judge."""

import json
from html import escape

import pandas as pd
import streamlit as st

from components import case_sets, shell
from components.case_sets import CaseSet
from components.charts import rag as charts
from components.controls import download, errors_shown, just_clicked, select_one, show_figure, slug, table_csv, tabs
from components.experiments.panel import Panel
from components.opened.rag_results import REPORTS, AnswerSource
from components.rag import messages, questions, state, tables
from components.rag.state import AnswerFilter
from components.rag.tables import SCROLLED
from components.state import once
from groundscope.drawing.html import region, table
from groundscope.grounding.tables import frame_csv
from groundscope.rag import experiments, offline_judge
from groundscope.rag.effects.printed import AXES_NOTE, frame
from groundscope.rag.outcomes import ERRORS, OutcomeRow, Share
from groundscope.rag.ranking import Matching, Ranking, rankings
from groundscope.rag.records import to_jsonl
from groundscope.rag.report import MARKS, RagReport, agreement_words, as_json, confounded, report, signed
from groundscope.review import case_key, default
from groundscope.review.audit import JudgeAudit, audit_sample, audit_values, people_audits
from groundscope.statistics.bootstrap import Interval
from groundscope.text.humanize import plural

PANEL = Panel(experiments.KIND, "Its questions, passages, answers and verdicts")


def show(source: AnswerSource) -> None:
    """Everything that the results say."""
    for note in source.notes:
        shell.notice("info", note)
    report = _report(source)
    judged = {
        state.QUESTIONS: lambda source, _: questions.show(source),
        "Results table": _table,
        "Impact": _impact,
        "What the differences mean": _tests,
        "Audit of the judge": _audit,
    }
    if offline_judge.by_methods(source.judge):
        # What needs no judge comes first: these verdicts are those of methods, and how good they are is not measured.
        _lead(messages.retrieved(report.embedders), messages.BY_METHODS, source, report)
        parts = {"Passages found": _retrieval, "Errors by this judge": _headline, **judged}
    else:
        _headline(source, report)
        parts = {**judged, "Passages found": _retrieval}
    state.turn()
    tabs(parts, "rag_tab", source, report)
    with st.container(horizontal=True):
        questions.review(source)
        if source.job is not None:
            PANEL.finished(source.job, "Delete this experiment")


def _lead(lead: str, more: str, source: AnswerSource, report: RagReport) -> None:
    answers = f"{plural(report.answers, 'answer')} to {plural(report.questions, 'question')}"
    facts = " · ".join(filter(None, (source.judge, f"data: {source.licence}" if source.licence else "")))
    st.html(
        f'<p class="gs-lead" style="max-width:95ch">{escape(lead)}</p><p class="gs-measure gs-flat" dir="auto">{escape(more)}</p>'
        f'<details class="gs-note" dir="auto"><summary>{escape(answers)}</summary>{escape(facts)}</details>'
    )


def _headline(source: AnswerSource, report: RagReport) -> None:
    lead, more = messages.headline(source.answers, report)
    _lead(lead, " ".join(filter(None, (more, messages.best(report.combinations)))), source, report)
    _errors(source, report)


def _report(source: AnswerSource) -> RagReport:
    """With the baselines of the session; cached, since a click must not make it again."""
    embedder, model = st.session_state.get("rag_base_embedder", ""), st.session_state.get("rag_base_model", "")
    present = {a.embedder for a in source.answers}, {a.model for a in source.answers}
    embedder, model = embedder if embedder in present[0] else "", model if model in present[1] else ""
    key = ("report", source.id, source.stamp, embedder, model)
    return once(REPORTS, key, lambda: report(source.answers, embedder, model))


def _errors(source: AnswerSource, report: RagReport) -> None:
    rows: tuple[OutcomeRow, ...] = report.combinations
    data = pd.DataFrame(
        [
            {"embedder": r.embedder, "model": r.model, **{e.value: r.errors[e].value for e in ERRORS}, "judge": source.judge}
            for r in rows
        ]
    )
    clicked = show_figure(
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
        name = slug(source.name)
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
    clicked = show_figure(
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
        embedders, models = {r.embedder: r.embedder for r in report.embedders}, {r.model: r.model for r in report.models}
        select_one(st, "Embedders are compared with", embedders, "rag_base_embedder", report.baseline_embedder, width=300)
        select_one(st, "Models are compared with", models, "rag_base_model", report.baseline_model, width=300)
    st.html(region("Tests of all outcomes", tables.printed_html(report, messages.OUTCOME_TITLES), css=tables.SCROLLED))
    st.html(
        "<p class='gs-note'>Least squares with an effect of every question, standard errors clustered by question; points are "
        f"percentage points. {escape(MARKS)}. Single comparisons are not corrected for their number; z and p of each, and why a "
        "joint test is not known, are in the file.</p>"
    )
    name = slug(source.name)
    download("Tests as CSV", lambda: frame_csv(frame(report)), f"{name}-tests.csv", "rag_tests_csv")


_SUBSTRING = "Compare ids by substring too, as the original code does"


def _retrieval(source: AnswerSource, report: RagReport) -> None:
    """Tables by measure."""
    if ranked := _ranked(source, "exact"):
        _rankings_tables(source, ranked)
    elif not any(r.hit.of for r in report.combinations):
        shell.notice("info", "Nothing says which passages are relevant, so retrieval cannot be measured.")
    else:
        text = (
            "Which passages were retrieved is not known here, only whether the relevant one was among them: for figures at "
            "k = 1, 3, 5 and 10 the results need relevant_passage_id, and context or retrieved_ids, with ids."
        )
        shell.notice("info", text)


def _rankings_tables(source: AnswerSource, ranked: list[Ranking]) -> None:
    if st.session_state.get("rag_substring"):
        ranked = [r for pair in zip(ranked, _ranked(source, "substring"), strict=True) for r in pair]
    drawn = tables.rankings_html(ranked)
    st.html(region("Passages found", *drawn[:1], css=tables.SCROLLED))
    with st.expander("More measures, and how they are counted", key="rag_measures"):
        st.html(region("Measures of retrieval", *drawn[1:], css=tables.SCROLLED))
        st.html(
            "<p class='gs-note gs-measure'>0 to 1, higher is better; under each figure its 95 % interval, by bootstrap over "
            f"questions. A hit is the exact id of a relevant passage. {messages.counted(ranked)}</p>"
        )
        if st.toggle(_SUBSTRING, key="rag_substring", persist_state="session"):
            st.html(
                "<p class='gs-note gs-measure'>For comparison only: an id that is part of another one, as <code>c1-s1</code> is "
                "of <code>c1-s10</code>, is taken for it, so these figures can be too high. Errors are separated as a loaded "
                "file says, and by exact ids where it says nothing.</p>"
            )
        name = f"{slug(f'retrieval {source.name}')}.csv"
        data = pd.DataFrame([ranking.row() for ranking in ranked])
        download("Retrieval as CSV", lambda: frame_csv(data), name, "rag_ranking_csv")


def _ranked(source: AnswerSource, matching: Matching) -> list[Ranking]:
    """Kept: intervals are resampled."""
    key = ("ranking", source.id, source.stamp, matching)
    return once(REPORTS, key, lambda: rankings(source.answers, matching))


_FIRST, _MOST = 30, 1_000
_AUDIT = (
    "Whether the judge is right is known only where people have read the same answers. A sample is drawn, rare verdicts as often "
    "as frequent ones. On the Review page each answer is read twice: beside its passages (grounded), and as the source of the "
    "reference answer (correct). The judge's verdict is not shown there."
)
_CORRECTED = (
    "Corrected: the share that people would find if they read all answers, by what they said of each pair of verdicts, with its "
    "95 % interval. It holds if the answers that were read were drawn at random. Where several people read an answer, it counts "
    "what they agree on or was settled."
)


def _audit(source: AnswerSource, report: RagReport) -> None:
    """What a second judge says, then the sample for people and what was decided."""
    if words := agreement_words(report):
        shell.notice("info", words)
    st.html(f"<p class='gs-measure'>{_AUDIT}</p>")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        count = st.number_input("Answers to read", 1, _MOST, _FIRST, key="rag_audit_count", persist_state="session", width=160)
        seed = st.number_input("Seed of the draw", 0, 1_000_000, 1, key="rag_audit_seed", persist_state="session", width=160)
        if st.button("Read this sample", key="rag_audit"):
            _read_sample(source, int(count), int(seed))
    with errors_shown():
        store = default()
        key = ("audit", source.id, source.stamp, store.database.shown, store.stamp())
        _audited(source, once(REPORTS, key, lambda: people_audits(source.answers, store)))


def _read_sample(source: AnswerSource, count: int, seed: int) -> None:
    cases = audit_sample(source.answers, count, seed)
    if not cases:
        shell.notice("info", "These results do not contain the texts of the answers, so there is nothing to read.")
        return
    case_sets.add(CaseSet(f"Audit of {source.name}"[:80], cases))
    st.switch_page("pages/review.py", query_params={"reviewed": case_key(cases[0])})


def _audited(source: AnswerSource, audits: tuple[JudgeAudit, ...]) -> None:
    if not audits:
        shell.notice("info", "No one has decided on any of these answers yet.")
        return
    heads = ("Verdict", "The judge says yes", "Read", "People agree with a yes", "People agree with a no", "Corrected")
    lines = [(a.what, _share(a.judged), plural(a.read, "answer"), _share(a.yes), _share(a.no), _corrected(a)) for a in audits]
    st.html(region("Judge against people", table(heads, lines, caption="The judge against people"), css=SCROLLED))
    st.html(f"<p class='gs-note gs-measure'>{_CORRECTED}</p>")
    table_csv(pd.DataFrame(map(audit_values, audits)), f"audit {source.name}", "rag_audit_csv")


def _share(share: Share) -> str:
    return f"{_between(share.value, share.interval)} of {share.of:,}" if share.of else "–"


def _corrected(audit: JudgeAudit) -> str:
    if audit.corrected != audit.corrected:
        return "not known: of some pair of verdicts no answer was read"
    return _between(audit.corrected, audit.interval)


def _between(value: float, ends: Interval) -> str:
    return f"{100 * value:.1f} % ({100 * ends.low:.0f}–{100 * ends.high:.0f})"
