"""The answers behind a cell of the matrix, those on which the method changes its mind most first."""

from math import isnan
from typing import cast

import streamlit as st

from components import shell
from components.controls import download
from components.errors.cells import titles
from components.figure import csv_of
from components.runs import choice
from components.runs.choice import Open
from components.runs.copies import page_of
from components.runs.copy_cells import Picked
from groundscope.drawing.html import safe, side_by_side, tag
from groundscope.grounding.stability.by_case import CaseStability, case_frame, worst_first
from groundscope.grounding.stability.figures import Stability
from groundscope.grounding.stability.readings import KINDS, Kind
from groundscope.types import Case

_QUESTION, _REASONS = 180, 400
_ORDERS = ("passages", "sentences")


def show(open_: Open, found: Stability, picked: Picked) -> None:
    """The list, and buttons that open the heatmap."""
    run, method, kind = open_.run, open_.run.method(picked.method), cast(Kind, picked.line)
    shell.section(f"{KINDS[kind]}, {titles(run)[picked.method]}")
    worst = worst_first(run, open_.verdicts, found.readings[kind], method)
    shown = page_of(worst, f"stability_page_{picked}")
    texts = run.read_cases([one.readings.rows[0] for one in shown])
    for one, case in zip(shown, texts, strict=True):
        _answer(open_, method, one, case)
    download(
        "Download all answers as CSV", lambda: csv_of(case_frame(run, open_.verdicts, found.readings)), "answers.csv",
        "stability_answers",
    )  # fmt: skip


def _answer(open_: Open, method: int, one: CaseStability, case: Case) -> None:
    run, first = open_.run, one.readings.rows[0]
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.html(tag("b", words(one)), width="content")
            for label, row in _opens(one):
                if st.button(label, key=f"stability_{one.readings.kind}_{first}_{row}"):
                    choice.open_case(run, row, run.methods[method].id)
        line = " ".join((case.query or case.response).split())
        cut = f"{line[: _QUESTION - 1]}…" if len(line) > _QUESTION else line
        st.html(tag("p", f"{one.readings.case}: {cut}", class_="gs-note"))
        if reasons := said(open_, method, one):
            st.html(side_by_side({verdict: safe(text) for verdict, text in reasons.items()}, ""))


def _opens(one: CaseStability) -> list[tuple[str, int]]:
    """Rows that open in the heatmap: the answer as it is, and an order of it under which the verdict is another one."""
    found = [("Open the answer", one.readings.rows[0])]
    others = [row for row in (one.ungrounded_at, one.grounded_at) if row >= 0 and row != found[0][1]]
    if one.readings.kind in _ORDERS and one.differing > 0:
        found.append(("Open an order that differs", others[0]))
    return found


def said(open_: Open, method: int, one: CaseStability) -> dict[str, str]:
    """What a reading of each verdict said, where there are both; a method without reasons says nothing."""
    if not one.differing > 0:
        return {}
    notes = open_.run.read_notes(method, [one.grounded_at, one.ungrounded_at])
    cut = [f"{note[: _REASONS - 1]}…" if len(note) > _REASONS else note for note in (" ".join(n.split()) for n in notes)]
    return {"Why grounded": cut[0], "Why ungrounded": cut[1]} if any(cut) else {}


def words(one: CaseStability) -> str:
    """The verdicts on an answer, and how far its supports lie apart."""
    said = one.grounded + one.ungrounded
    verdicts = f"{one.grounded} of {said} readings call it grounded" if said else "no verdict"
    return verdicts if isnan(one.deviation) else f"{verdicts}, deviation of the support {one.deviation:.3f}"
