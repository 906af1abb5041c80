"""Runs over copies of cases: which legal errors a method notices, and whether it repeats its verdicts."""

from collections.abc import Callable

import streamlit as st

from components.controls import unfolded
from components.copies import sensitivity, stability
from components.opened import choice
from components.opened.choice import RunView
from components.opened.starting import PANEL
from groundscope.grounding.sensitivity import pairs
from groundscope.grounding.stability.copies import SOURCE

TAB = "view"
"""The tab's name in the address, too: `app.py` leads old links of a page of their own there."""


def show() -> None:
    """Both tabs; only the open one is drawn."""
    edits, repeats = st.tabs(["Sensitivity", "Stability"], key=TAB, bind="query-params", on_change=choice.forget_link)
    with edits:
        if edits.open:
            _tab("sensitivity", pairs.SOURCE, sensitivity.show, sensitivity.form, labelled=True)
    with repeats:
        if repeats.open:
            _tab("stability", SOURCE, stability.show, stability.form, labelled=False)


def _tab(page: str, source: str, show: Callable[[RunView], None], form: Callable[[], None], *, labelled: bool) -> None:
    """A finished result, and folded below it the choice of another one and the form for a new one."""
    result = st.container()
    PANEL.under_way()
    others = st.expander("Another result, or another threshold", key=f"{page}_others")
    unfolded("Try other cases or methods", f"{page}_form", form)
    with result:
        if (run := choice.choose(page, source, labelled=labelled, place=others)) is not None:
            show(run)
