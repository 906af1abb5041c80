"""Runs over copies of cases: which edits a method notices, and whether it repeats its verdicts."""

import streamlit as st

from components import shell
from components.copies import sensitivity, stability
from components.runs import choice
from components.runs import page as runs_page
from groundscope.grounding.sensitivity import pairs
from groundscope.grounding.stability.copies import SOURCE

TAB = "view"
"""The tab's name in the address, too: `app.py` leads old links of a page of their own there."""


def show() -> None:
    """Both tabs; only the open one is drawn."""
    edits, repeats = st.tabs(["Sensitivity", "Stability"], key=TAB, bind="query-params", on_change=choice.forget_link)
    with edits:
        if edits.open:
            _sensitivity()
    with repeats:
        if repeats.open:
            _stability()


def _sensitivity() -> None:
    st.html(
        '<p class="gs-sub">Does a method notice legal edits? Grounded sentences, each beside a copy with one legal edit, or with '
        "a change of form alone.</p>"
    )
    run = choice.choose("sensitivity", pairs.SOURCE)
    if run is not None:
        sensitivity.show(run)
    runs_page.PANEL.under_way()
    shell.section("New pairs")
    sensitivity.form()


def _stability() -> None:
    st.html(
        '<p class="gs-sub">Does a method give the same verdict twice? The same answers, judged again, in another order, and in '
        "other words.</p>"
    )
    run = choice.choose("stability", SOURCE, labelled=False)
    if run is not None:
        stability.show(run)
    runs_page.PANEL.under_way()
    shell.section("New readings")
    stability.form()
