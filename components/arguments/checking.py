"""The human check of the extractors: a person reads a sample and ticks what each case is said to have; how far they agree."""

import math
from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from components import shell
from components.arguments import state, tables
from components.arguments.sources import ArgumentSource
from components.controls import errors_shown, needs, table_csv
from components.review import queue
from components.state import once
from groundscope.arguments.checking.agreement import CheckRow, check_rows
from groundscope.arguments.checking.sample import argument_key, draw
from groundscope.arguments.checking.store import FactorCheck, keep_check, kept_checks
from groundscope.arguments.extraction import EXACT
from groundscope.arguments.report import ArgumentsReport
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import CASE_TITLES, CASES
from groundscope.drawing.html import cell, region, table, with_small
from groundscope.errors import GroundscopeError
from groundscope.grounding.result_columns import share
from groundscope.review import reviewer_name
from groundscope.storage.team.acting import here
from groundscope.storage.team.roles import Role
from groundscope.text.humanize import plural

Checks = Mapping[str, Mapping[str, FactorCheck]]
_ABOUT = (
    "Agreement is over cells: a factor of the catalogue in a case of an argument, named there or not. Kappa is 1 where both "
    "always say the same and 0 where as often as by chance. Precision: of what the extractor finds, the share that the person "
    "sees, too; recall the other way round. What is no factor of the catalogue is not compared. Below each figure its 95 % "
    "interval by bootstrap over arguments."
)


def show(source: ArgumentSource, made: ArgumentsReport) -> None:
    """The whole tab: the form to read, then how far everyone agrees."""
    st.html(
        "<p class='gs-note gs-measure'>How good is the extraction that all figures rest on? Read a sample of arguments without "
        "seeing what was extracted, and choose the factors that the text says each case has. What you choose is kept with your "
        "name in the data folder of this app; the texts are not.</p>"
    )
    with errors_shown(GroundscopeError, ValueError):
        checks = kept_checks([argument_key(j) for j in source.judged])
        _read(source, checks)
        _agreement(source, checks)


def _read(source: ArgumentSource, checks: Checks) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        me = here()
        known = me.email if me else st.session_state.get(queue.NAME, "")
        name = st.text_input("Your name", known, key="arguments_check_name", max_chars=80, width=260, disabled=bool(me))
        number = st.number_input("Arguments to read", 1, 500, 20, key="arguments_check_number", width=170)
        hint = "Another seed draws other arguments."
        seed = st.number_input("Seed", 0, 1_000_000, 0, key="arguments_check_seed", width=120, help=hint)
    if not name.strip():
        st.html(shell.note("Enter your name to begin."))
        return
    person = me.email if me else reviewer_name(name)
    key = ("sample", source.id, len(source.judged), int(number), int(seed))
    sample = once(state.kept(), key, lambda: draw(source.judged, int(number), int(seed)))
    mine = checks.get(person, {})
    left = [j for j in sample if argument_key(j) not in mine]
    st.html(shell.note(f"{len(sample) - len(left):,} of {plural(len(sample), 'argument')} read by {person}."))
    if not left:
        shell.notice("good" if sample else "info", "This sample is read." if sample else "No argument here says anything.")
        return
    _form(source, left[0], person)


def _form(source: ArgumentSource, one: Judged, person: str) -> None:
    titles = {f.key: f.written for f in source.catalogue.factors}
    key = argument_key(one)
    with st.form(f"arguments_check_{key[:16]}"):
        st.html(region("Argument to read", tables.bare_argument(one), css="gs-scroll gs-tall"))
        chosen = [
            place.multiselect(
                f"{CASE_TITLES[case]} is said to have",
                list(titles),
                format_func=titles.__getitem__,
                key=f"check_{case}_{key[:16]}",
                placeholder="No factor",
            )
            for place, case in zip(st.columns(3), CASES, strict=True)
        ]
        if st.form_submit_button("Save and go on", type="primary", **needs(Role.REVIEWER)):
            keep_check(FactorCheck(key, person, tuple(map(frozenset, chosen))))
            st.rerun()


def _agreement(source: ArgumentSource, checks: Checks) -> None:
    if not checks:
        return
    shell.section("Extractors and people")
    stamp = tuple((p, k, c.time, c.sets) for p, mine in checks.items() for k, c in mine.items())
    key = ("checks", source.id, len(source.judged), stamp)
    rows = once(state.kept(), key, lambda: check_rows(source.judged, checks, source.catalogue))
    titled = partial(_title, source)
    heads = ("", "Beside", "Arguments", "Kappa", "Precision", "Recall")
    st.html(region("Extractors and people", table(heads, [_cells(r, titled(r.first)) for r in rows])))
    st.html(shell.note(_ABOUT))
    table_csv(_frame(rows, [titled(r.first) for r in rows]), f"check of the extraction {source.name}", "arguments_check_csv")


def _title(source: ArgumentSource, first: str) -> str:
    return {EXACT: "Numbers and names (exact)", "model": source.extractor or "The other model"}.get(first, first)


def _cells(row: CheckRow, title: str) -> list[str]:
    a = row.agreement
    figures = ((a.kappa, a.kappa_interval), row.precision, row.recall)
    shown = (with_small(share(value), "" if math.isnan(e.low) else f"{share(e.low)} to {share(e.high)}") for value, e in figures)
    return [title, cell(row.second, dir="auto"), f"{row.arguments:,}", *shown]


def _frame(rows: Sequence[CheckRow], titles: Sequence[str]) -> pd.DataFrame:
    lines = []
    for row, title in zip(rows, titles, strict=True):
        line: dict[str, object] = {"first": title, "second": row.second, "arguments": row.arguments, "equal": row.agreement.share}
        figures = ((row.agreement.kappa, row.agreement.kappa_interval), row.precision, row.recall)
        for name, (value, ends) in zip(("kappa", "precision", "recall"), figures, strict=True):
            line |= {name: value, f"{name} from": ends.low, f"{name} to": ends.high}
        lines.append(line)
    return pd.DataFrame(lines)
