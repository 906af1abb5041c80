"""Figures of arguments; a click on a point lists its arguments below."""

from html import escape

import pandas as pd
import streamlit as st

from components import shell
from components.arguments import messages, state, tables, triples
from components.arguments.sources import ArgumentSource
from components.arguments.state import ArgumentFilter
from components.charts import arguments as charts
from components.controls import just_clicked, one_of, show_figure
from groundscope.arguments.report import NAMES, ArguerRow, ArgumentsReport
from groundscope.arguments.summary import by_factor
from groundscope.text.humanize import plural

_FACTORS = 15


def against(source: ArgumentSource, report: ArgumentsReport) -> None:
    """Acc_H against Rec_U."""
    clicked = show_figure(
        charts.against(report.rows, messages.names(report)),
        key="arguments_against",
        name=f"accuracy and recall {source.name}",
        alt=messages.scatter_alt(report.rows, messages.names(report)),
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


def factors(source: ArgumentSource, report: ArgumentsReport) -> None:
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


def levels(source: ArgumentSource, report: ArgumentsReport) -> None:
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
