"""`rag-report`: analyse results of legal RAG pipelines, from an experiment here or another tool."""

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click

from groundscope.commands.case_files import content, tell_rejected
from groundscope.commands.terminal import DONE, say, show, table
from groundscope.files.rows import KINDS
from groundscope.grounding.tables import frame_csv
from groundscope.rag import report
from groundscope.rag.effects import CannotTell, Effect, printed
from groundscope.rag.effects.axes import Axis
from groundscope.rag.experiments import FOLDER, answers
from groundscope.rag.outcomes import OutcomeRow, Share, errors_in
from groundscope.rag.ranking import NAMES, Ranking, rankings
from groundscope.rag.records import NAME, PATH, RagResults, joined, read_results, to_jsonl
from groundscope.review import default
from groundscope.review.audit import JudgeAudit, audit_values, people_audits
from groundscope.statistics.bootstrap import Interval
from groundscope.text.humanize import plural


@click.command()
@click.argument(
    "results",
    metavar="RESULTS...",
    nargs=-1,
    required=True,
    help=f"an experiment's id, files of answers with verdicts, such as one a combination: {KINDS}; or offline-pipelines",
)
@click.option(
    "--baseline-embedder",
    metavar="X",
    default="",
    help="what embedders are compared with",
    show_default="the paper's, or the first",
)
@click.option(
    "--baseline-llm", metavar="Y", default="", help="what models are compared with", show_default="the paper's, or the first"
)
@click.option("--audit", is_flag=True, help="also the judge against what people decided of these answers on the Review page")
@click.option("--json", "in_json", is_flag=True, help="everything as JSON, shares 0 to 1")
@click.option("--tests-csv", is_flag=True, help="every test and comparison as CSV, a row each, with standard errors")
def rag_report(
    results: Sequence[str],
    baseline_embedder: str,
    baseline_llm: str,
    audit: bool,
    in_json: bool,
    tests_csv: bool,
) -> int:
    """Analyse results of retrieval-augmented generation.

    Needs embedding_model, generative_model, question_id, correct and grounded in each row, and relevant_passage_in_context to
    separate retrieval errors from reasoning errors. What the code of Legal RAG Bench writes is read as it is.
    """
    records = joined([_read(named) for named in results])
    tell_rejected(records.rejected, None)
    for note in filter(None, (records.unequal, *records.notes)):
        say(note)
    analysis = report.report(records.answers, baseline_embedder, baseline_llm)
    if tests_csv:
        show(frame_csv(printed.frame(analysis)).decode("utf-8"))
        return DONE
    ranked = rankings(records.answers)
    audited = people_audits(records.answers, default()) if audit else None
    if in_json:
        audit_part = {} if audited is None else {"audit": [audit_values(one) for one in audited]}
        show(json.dumps(report.as_json(analysis, ranked) | audit_part, indent=1, ensure_ascii=False))
    else:
        show("\n\n".join([_text(analysis, ranked), *_audit(audited)]))
    return DONE


def _read(named: str) -> RagResults:
    """The answers of a file, of the results that come with the program, or of an experiment here by its id."""
    if not Path(named).exists() and named in {file.id for file in FOLDER.files()}:
        with closing(FOLDER.open(named)) as file:
            return read_results(f"{named}.jsonl", to_jsonl(answers(file)).encode())
    path = PATH if named == NAME else Path(named)
    return read_results(path.name, content(path, "a file of results, or an experiment's id"))


def _audit(audits: Sequence[JudgeAudit] | None) -> list[str]:
    """A table of the judge against people; nothing where none is wanted."""
    if audits is None:
        return []
    if not audits:
        return ["No one has decided on any of these answers yet. Read a sample: Legal RAG > Audit of the judge."]
    head = ("verdict", "the judge says yes", "read", "people agree with a yes", "people agree with a no", "corrected")
    lines = [(a.what, _cell(a.judged), f"{a.read:,}", _cell(a.yes), _cell(a.no), _ends(a.corrected, a.interval)) for a in audits]
    return ["The judge against people", table(head, lines)]


def _text(analysis: report.RagReport, ranked: Sequence[Ranking]) -> str:
    lines = (*analysis.combinations, *analysis.embedders, *analysis.models)
    parts = [
        f"{plural(analysis.answers, 'answer')} to {plural(analysis.questions, 'question')}. Percent; in brackets 95 % intervals.",
        "\n".join(analysis.judges),
        report.agreement_words(analysis),
        _shares(lines),
        "Errors, percent of the answers that RAG accuracy counts; where it counts none, hallucinations of those whose grounding "
        "is known",
        _errors(lines),
        *_axes(analysis.axes),
        *_retrieval(ranked),
        "RAG accuracy relative to the mean",
        report.confounded(analysis.combinations),
        table(
            ("embedder or model", "accuracy", "impact"),
            [_impact(i) for i in (*analysis.embedder_impacts, *analysis.model_impacts)],
        ),
    ]
    return "\n\n".join(filter(None, [*parts, *_printed(analysis)]))


def _printed(analysis: report.RagReport) -> list[str]:
    """Joint tests, then differences as in the paper's table 4, a column an outcome."""
    tables = [
        f"What the differences mean, with the baselines {analysis.baseline_embedder} and {analysis.baseline_model}: "
        "chi-square (degrees of freedom), p; then percentage points (standard error)",
        table(("question", *report.OUTCOMES), [(question, *cells) for question, cells in printed.joint_lines(analysis)]),
    ]
    for title, lines in printed.effect_lines(analysis).items():
        rows = [(printed.comparison_words(one[0]), *(printed.estimate_words(c.found) for c in one)) for one in lines]
        tables.append(table((title, *report.OUTCOMES), rows))
    return [*tables, f"{report.MARKS}. Interval, z and p of each, and why one is not known: --tests-csv."]


def _shares(rows: Sequence[OutcomeRow]) -> str:
    head = ("embedder", "model", "correct", "grounded", "retrieved", "RAG accuracy")
    return table(head, [(*_names(r), *map(_cell, (r.correct, r.grounded, r.hit, r.accuracy))) for r in rows])


def _errors(rows: Sequence[OutcomeRow]) -> str:
    shown = errors_in(rows)
    head = ("embedder", "model", *(error.value for error in shown), "no verdict")
    return table(head, [(*_names(r), *(_cell(r.errors[e]) for e in shown), f"{r.unknown:,}") for r in rows])


def _axes(axes: Sequence[Axis]) -> list[str]:
    """A table of the settings of retrieval that vary; nothing where none does."""
    errors, groups = printed.axis_table(axes)
    heads = ("", "correct", "grounded", "retrieved", "RAG accuracy", *(error.value for error in errors))
    rows: list[tuple[str, ...]] = []
    for caption, lines in groups:
        rows.append((caption, *[""] * (len(heads) - 1)))
        rows += [(f"- {words}", *map(_axis_cell, cells)) for words, cells in lines]
    return [printed.AXES_NOTE, table(heads, rows)] if rows else []


def _axis_cell(value: Share | Effect | CannotTell) -> str:
    if isinstance(value, Share):
        return _cell(value)
    points, interval = printed.interval_words(value)
    return f"{points} ({interval})" if interval else points


def _impact(impact: report.Impact) -> tuple[str, str, str]:
    is_known = impact.accuracy == impact.accuracy
    relative = f"{100 * impact.relative:+.1f} %" if impact.relative == impact.relative else "none"
    return impact.level, f"{100 * impact.accuracy:.1f}" if is_known else "-", relative


def _names(row: OutcomeRow) -> tuple[str, str]:
    return row.embedder or "(all)", row.model or "(all)"


def _retrieval(ranked: Sequence[Ranking]) -> list[str]:
    """A table of retrieval by rank; nothing where no list of passages is known."""
    if not ranked:
        return []
    figures = [n for n in NAMES if any(r.figures[n].mean == r.figures[n].mean for r in ranked)]
    lines = [(r.retriever, f"{r.questions:,}", *(_figure(r.figures[n].mean) for n in figures)) for r in ranked]
    return ["Retrieval, 0 to 1, by the exact ids of relevant passages", table(("embedder", "questions", *figures), lines)]


def _figure(value: float) -> str:
    return f"{value:.3f}" if value == value else "-"


def _cell(share: Share) -> str:
    return _ends(share.value, share.interval)


def _ends(value: float, ends: Interval) -> str:
    return f"{100 * value:.1f} ({100 * ends.low:.1f}-{100 * ends.high:.1f})" if value == value else "-"
