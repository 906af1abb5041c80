"""The results table: sortable, with downloads."""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape

import pandas as pd
import streamlit as st

from components.compare import method
from components.compare.messages import LEVEL_WORDS
from components.controls import download, slug, table_csv, ticked
from components.opened import run_figures
from components.opened.choice import RunView
from groundscope.grounding.level_results import Level, LevelResult
from groundscope.grounding.result_columns import COLUMNS, MISSING, money, seconds, share
from groundscope.grounding.results import RunResults
from groundscope.grounding.tables import caption, frame, html_table, latex_table, markdown_table, to_csv, to_xlsx, written
from groundscope.grounding.three_answers import SHARES, ThreeAnswers, answers_frame, answers_notes

_FORMATS: dict[Callable[[float], str], str] = {share: "%.3f", seconds: "%.4g", money: "$%.4f"}
_FORMS: dict[str, tuple[str, Callable[[RunResults], bytes | str]]] = {
    "CSV": ("csv", to_csv),
    "Excel (XLSX)": ("xlsx", to_xlsx),
    "Markdown": ("md", partial(written, write=markdown_table)),
    "LaTeX": ("tex", partial(written, write=latex_table)),
    "HTML": ("html", partial(written, write=html_table)),
}


def show(view: RunView, results: RunResults, level: Level, levels: Sequence[LevelResult] | None) -> None:
    """The table of the chosen level, and the downloads of the table of responses."""
    if level == "three":
        _three_answers(results, run_figures.three(view))
        return
    if levels is not None:
        _level_table(results, level, levels)
        return
    table = frame(results).drop(columns=["run", "split", "method_id"])
    # The best first; the arrow of a heading changes the order.
    order = table["macro_f1"].fillna(-1).sort_values(ascending=False, kind="stable").index
    config = {
        c.key: st.column_config.NumberColumn(c.head, format=_FORMATS[c.write], help=c.about or None)
        if c.write
        else st.column_config.Column(c.head, help=c.about or None, pinned=c.key == "method")
        for c in COLUMNS
    }
    ids = [results.methods[i].id for i in order]
    key = f"compare_table_{hash((results.run, results.split, tuple(ids)))}"

    def opened() -> None:
        if (row := ticked(key, len(ids))) is not None:
            method.choose(ids[row])

    st.dataframe(
        table.loc[order],
        hide_index=True,
        height=38 + 35 * min(len(table), 16),
        column_config=config,
        placeholder=MISSING,
        key=key,
        on_select=opened,
        selection_mode="single-row",
        alt=f"Results of {len(table)} methods on {results.responses:,} responses, a row a method",
    )
    st.html(f'<p class="gs-note">{escape(caption(results))} Tick a row to open its method.</p>')
    with st.container(horizontal=True):
        for label, (ending, make) in _FORMS.items():
            name = f"{slug(f'{results.run} {results.split_words}')}.{ending}"
            download(label, partial(make, results), name, f"table_{ending}")


def _three_answers(results: RunResults, answers: ThreeAnswers) -> None:
    table = answers_frame(answers)
    config = {name: st.column_config.NumberColumn(name, format="%.3f") for name in SHARES}
    alt = f"Labelled answers against those of {len(answers.methods)} methods, three rows a method"
    st.dataframe(table, hide_index=True, column_config=config, placeholder=MISSING, alt=alt)
    st.html(f'<p class="gs-note">{escape(" ".join(answers_notes(answers)))}</p>')
    table_csv(table, f"{results.run} {results.split_words} three answers", "table_three")


def _level_table(results: RunResults, level: Level, levels: Sequence[LevelResult]) -> None:
    unit = LEVEL_WORDS[level].lower()
    ends = ("F1 from", "F1 to", "F1 from, given the rule", "F1 to, given the rule")
    figures = ("F1", *ends, "Precision", "Recall", "Errors found", "AUROC", "Threshold")
    counts = ("Judged", "Labelled", "Wrong") if level == "sentence" else ("Flagged", "In labelled spans", "Wrong")
    rows = (
        (
            m.title, v.f1, v.interval.low, v.interval.high, v.given.low, v.given.high, v.precision, v.recall, v.errors_found,
            v.ranking.auroc, v.threshold, v.judged, v.total, v.wrong, m.promise, v.note,
        )
        for m, v in zip(results.methods, levels, strict=True)
    )  # fmt: skip
    table = pd.DataFrame(rows, columns=["Method", *figures, *counts, "Promise", "Note"])
    table = table.sort_values("F1", ascending=False, kind="stable", na_position="last")
    if not any(m.promise for m in results.methods):
        table = table.drop(columns="Promise")
    st.dataframe(
        table,
        hide_index=True,
        column_config={name: st.column_config.NumberColumn(name, format="%.3f") for name in figures},
        placeholder=MISSING,
        alt=f"Results of {len(table)} methods on {unit}, a row a method",
    )
    st.html(
        f'<p class="gs-note">Counts are of {unit}. Intervals: 95 %, bootstrap over queries; where thresholds were tuned on other '
        "responses of this run, these are drawn as well. To download the table of responses, choose “Responses” above.</p>"
    )
    table_csv(table, f"{results.run} {results.split_words} {unit}", f"table_{level}")
