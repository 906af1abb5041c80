"""Cases that were pasted before, in this session or an earlier one: open one, forget one or all, or keep none."""

from html import escape

import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from groundscope.cases.browser_name import DAYS
from groundscope.errors import GroundscopeError
from groundscope.text.humanize import plural
from groundscope.types import Case

_SHOWN = 5
_PLACE = "pasted_before"
_KEEP = "keep_pasted"


def show() -> None:
    """What stands below the paste form; nothing of it leaves this machine."""
    _keeping()
    shell.show_said(_PLACE)
    cases = case_sets.cases_of(case_sets.PASTED)
    if not cases:
        return
    shell.section("Pasted before")
    for case in reversed(cases[-_SHOWN:]):
        _row(case)
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(cases) > _SHOWN:
            st.html(shell.note(f"The newest {_SHOWN} of {len(cases):,}; all stand in the tab of samples."), width="content")
        with st.popover(f"Forget {plural(len(cases), 'pasted case')}", key="forget_all"):
            st.html(shell.note("Their texts are deleted from this machine permanently."))
            st.button("Forget all", key="forget_all_yes", on_click=_forget, args=(None,))


def _keeping() -> None:
    """Whether pasted cases are kept beyond this session, and where."""
    store = case_sets.pasted_store()
    if not store.possible:
        st.html(shell.note("Pasted cases stay in this session: this browser takes no cookies, so that nothing finds them again."))
        return
    st.session_state[_KEEP] = store.on
    st.checkbox(
        "Keep pasted cases for my next visit",
        key=_KEEP,
        on_change=_set,
        help="In a file on the machine that runs Groundscope, which only the user who started it can read. This browser finds "
        f"them again by a cookie; no other browser does. They are deleted {DAYS} days after your last visit. If you turn this "
        "off, kept cases are deleted now, and those that you paste are gone when this tab closes.",
    )


def _row(case: Case) -> None:
    question = " ".join(case.query.split()) or " ".join(case.response.split())
    with st.container(horizontal=True, vertical_alignment="center", key=f"pasted_row_{case.id}"):
        if st.button("Open", key=f"open_{case.id}"):
            state.open_heatmap(case_sets.PASTED, case)
        st.button("Forget", key=f"forget_{case.id}", on_click=_forget, args=(case,))
        variant = f"Variant of {case.parent[:60]}: " if case.parent else ""
        st.html(f'<p class="gs-line" dir="auto">{escape(variant + question[:300])}</p>', width="stretch")


def _set() -> None:
    on = bool(st.session_state[_KEEP])
    try:
        case_sets.pasted_store().keep(on)
        for case in case_sets.cases_of(case_sets.PASTED) if on else ():
            case_sets.pasted_store().add(case)
    except GroundscopeError as error:
        shell.say(_PLACE, "bad", str(error))


def _forget(case: Case | None) -> None:
    try:
        if case is None:
            case_sets.remove(case_sets.PASTED)
        else:
            case_sets.add(CaseSet(case_sets.PASTED, tuple(c for c in case_sets.cases_of(case_sets.PASTED) if c != case)))
            # This one alone: other tabs of this browser may have kept more.
            case_sets.pasted_store().forget(case.id)
    except GroundscopeError as error:
        shell.say(_PLACE, "bad", str(error))
