"""Arguments on a page: what stands out, the paper's table, and behind every figure its triples."""

import json
from html import escape
from typing import Any, cast

import pandas as pd
import streamlit as st

from components import figure, shell
from components.arguments import state, tables, triples, words
from components.arguments.sources import Source
from components.arguments.state import Filter
from components.arguments.under_way import deletion
from components.charts import arguments as charts
from evaluation.arguments.extraction import EXACT
from evaluation.arguments.judged import by_factor
from evaluation.arguments.records import to_jsonl
from evaluation.arguments.report import COLUMNS, NAMES, Report, Row, as_json, report
from evaluation.arguments.scoring import Weights
from evaluation.arguments.types import Test
from evaluation.export import guarded

TABS = ("Arguments", "Accuracy and recall", "Factors", "Complexity", "Abstention wording", "Options and export")
_FACTORS = 15
_CLICKED = "arguments_clicked"


def show(source: Source) -> None:
    """Everything that the arguments say."""
    for note in source.notes:
        shell.notice("info", note)
    made = _report(source)
    st.html(
        f'<p class="gs-lead" style="max-width:95ch">{escape(words.headline(made))}</p>'
        f'<p class="gs-note">{escape(_facts(source, made))}</p>'
    )
    _table(source, made)
    shown = st.tabs(TABS, key="arguments_tab", on_change="rerun")
    for tab, draw in zip(shown, (_arguments, _against, _factors, _levels, _abstention, _options), strict=True):
        if tab.open:
            with tab:
                draw(source, made)


def extractor(source: Source) -> str:
    """Whose extraction is counted: `exact`, or `model` where one extracted and the user chose it."""
    return "model" if source.extractor and st.session_state.get("arguments_by_model") else EXACT


def _report(source: Source) -> Report:
    """With the options of the session; kept, since a click must not make it anew."""
    chosen: Any = st.session_state.get("arguments_weights") if st.session_state.get("arguments_weighted") else None
    key = ("report", source.id, len(source.judged), extractor(source), chosen)
    kept: dict[tuple[Any, ...], Any] = state.kept()
    if key not in kept:
        kept[key] = report(source.judged, source.catalogue, extractor(source), chosen)
    return cast(Report, kept[key])


def _facts(source: Source, made: Report) -> str:
    by = f"extracted by {source.extractor}" if made.extractor != EXACT else "extracted by numbers and names"
    agree = made.agreement.share
    both = f"both extractors agree on {agree:.0%} of what either found" if agree is not None else ""
    parts = (
        f"{made.arguments:,} arguments about {made.scenarios:,} triples",
        source.catalogue.name,
        by,
        both,
        words.cost(source.cost),
    )
    return " · ".join(p for p in parts if p)


def _table(source: Source, made: Report) -> None:
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
        "<p class='gs-note'>Percent, in brackets the 95 % interval. Acc_H: 100 = nothing invented, below 0 where more is "
        "invented than there is. Rec_U: 100 = every factor used. Abstention: 100 = never argued without a common factor. A click "
        "on a cell lists its arguments.</p>"
    )
    cells = event["selection"]["cells"]
    clicked = (source.id, tuple(cells[0])) if cells else None
    if clicked and st.session_state.get(_CLICKED) != clicked and cells[0][0] < len(made.rows):
        row = made.rows[cells[0][0]]
        names = {f"{NAMES[name]} {test.value}": test.value for test, name in COLUMNS}
        state.wanted(Filter(row.arguer, row.wording or None, names.get(str(cells[0][1]).removeprefix("Weighted "))))
    st.session_state[_CLICKED] = clicked


def _names(made: Report) -> list[str]:
    """Rows for people: with the wording where there are several."""
    arguers = [r.arguer for r in made.rows]
    return [r.arguer if arguers.count(r.arguer) == 1 else f"{r.arguer}, {tables.wording_title(r.wording)}" for r in made.rows]


def _arguments(source: Source, made: Report) -> None:
    triples.show(source, extractor(source))


def _against(source: Source, made: Report) -> None:
    clicked = figure.show(
        charts.against(made.rows, _names(made)),
        key="arguments_against",
        name=f"accuracy and recall {source.name}",
        alt=words.scatter_alt(made.rows),
        data=tables.figures_table(made),
        select=True,
    )
    st.html(
        "<p class='gs-note'>Small and filled: arguable; large and open: reordered. Bars are 95 % intervals. Models with the "
        "same figures lie on one another.</p>"
    )
    _follow("against", clicked, lambda c: _of_row(made.rows[int(c[0])], test=str(c[1])))
    _below(source)


def _factors(source: Source, made: Report) -> None:
    wanted = state.wanted()
    mine = [j for j in source.judged if wanted.arguer in (None, j.arguer) and wanted.wording in (None, j.wording)]
    found = [f for f in by_factor(mine, extractor(source)) if f.errors]
    if not found:
        shell.notice("info", "No factor goes wrong in these arguments.")
        return
    st.html(f"<p class='gs-note'>{escape(_whose(wanted))} The {min(_FACTORS, len(found))} factors that go wrong most.</p>")
    counts = ("there", "missed", "invented", "wrong_case")
    data = pd.DataFrame([{"factor": f.key, **{name: getattr(f, name) for name in counts}} for f in found])
    clicked = figure.show(
        charts.factors(found[:_FACTORS], source.catalogue),
        key="arguments_factors",
        name=f"factors {source.name}",
        alt=words.factors_alt(found[:_FACTORS]),
        data=data,
        select=True,
    )
    _follow("factors", clicked, lambda c: wanted._replace(factor=str(c[0]), error=str(c[1])))
    _below(source)


def _whose(wanted: Filter) -> str:
    if wanted.arguer is None:
        return "Of all models."
    return f"Of {wanted.arguer}{f', {tables.wording_title(wanted.wording)}' if wanted.wording else ''}."


def _levels(source: Source, made: Report) -> None:
    metric = st.segmented_control(
        "Metric",
        ("acc_h", "rec_u"),
        default="acc_h",
        format_func=lambda m: NAMES[m],
        key="arguments_metric",
        required=True,
        persist_state="session",
    )
    name = str(metric or "acc_h")
    data = [
        {"model": r.arguer, "wording": r.wording, "complexity": k, name: m.value, "from": m.interval.low, "to": m.interval.high}
        for r in made.rows
        for k, f in r.complexities.items()
        for m in [getattr(f, name)]
    ]
    clicked = figure.show(
        charts.levels(made.rows, _names(made), name, NAMES[name]),
        key=f"arguments_levels_{name}",
        name=f"{name} by complexity {source.name}",
        alt=words.levels_alt(made.rows, name, NAMES[name]),
        data=pd.DataFrame(data),
        select=True,
    )
    st.html("<p class='gs-note'>Over arguable and reordered triples. Bars are 95 % intervals.</p>")
    _follow("levels", clicked, lambda c: _of_row(made.rows[int(c[0])], complexity=int(c[1])))
    _below(source)


def _abstention(source: Source, made: Report) -> None:
    rows = [r for r in made.rows if Test.NON_ARGUABLE in r.tests]
    if not rows:
        shell.notice("info", "There are no non-arguable triples among these, so nobody should have abstained.")
        return
    names = [f"{r.arguer}, {tables.wording_title(r.wording).lower()}" if r.wording else r.arguer for r in rows]
    clicked = figure.show(
        charts.abstention(rows, names),
        key="arguments_abstention",
        name=f"abstention {source.name}",
        alt=words.abstention_alt(rows, names),
        data=tables.figures_table(made).query("test == 'non-arguable'"),
        select=True,
    )
    wordings = list(dict.fromkeys(r.wording for r in rows if r.wording))
    more = (
        "Bars are 95 % intervals (Wilson)."
        if len(wordings) > 1
        else "Bars are 95 % intervals (Wilson). Have a model argue under several wordings (Write arguments) to compare them."
    )
    st.html(f"<p class='gs-note'>{more}</p>")
    _follow("abstention", clicked, lambda c: _of_row(rows[int(c[0])], test=Test.NON_ARGUABLE.value))
    _below(source)


def _of_row(row: Row, test: str | None = None, complexity: int | None = None) -> Filter:
    return Filter(row.arguer, row.wording or None, test, complexity)


def _follow(name: str, clicked: list[Any], to: Any) -> None:
    """List what is behind a point when it is clicked, once."""
    key = f"{_CLICKED}_{name}"
    if clicked and st.session_state.get(key) != clicked[0]:
        state.wanted(to(clicked[0]))
    st.session_state[key] = clicked[0] if clicked else None


def _below(source: Source) -> None:
    st.html("<p class='gs-note'>A click on a figure lists its arguments here.</p>")
    triples.show(source, extractor(source))


def _options(source: Source, made: Report) -> None:
    if source.extractor:
        st.toggle(
            "Count what the other model extracted, instead of numbers and names",
            key="arguments_by_model",
            persist_state="session",
        )
    _weights()
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
        if source.run:
            deletion(source.id, "Delete this run")


def _weights() -> None:
    on = st.toggle("Weighted recall by side, as further columns", key="arguments_weighted", persist_state="session")
    if not on:
        return
    left, right, _ = st.columns([1, 1, 3])
    plaintiff = left.number_input(
        "A plaintiff's factor counts", 0.0, 100.0, 2.0, 0.5, key="arguments_weight_p", persist_state="session"
    )
    defendant = right.number_input(
        "A defendant's factor counts", 0.0, 100.0, 1.0, 0.5, key="arguments_weight_d", persist_state="session"
    )
    new = Weights(plaintiff, defendant)
    if st.session_state.get("arguments_weights") != new:
        st.session_state["arguments_weights"] = new
        st.rerun()


def _csv(made: Report) -> bytes:
    safe = tables.figures_table(made).map(lambda cell: guarded(cell) if isinstance(cell, str) else cell)
    text: str = safe.to_csv(index=False)
    return text.encode("utf-8")
