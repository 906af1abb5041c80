"""Review a case: who reviews, which case, its decisions, and what methods, labels and others say once it is revealed."""

import streamlit as st

from components import shell, state
from components.assets import component
from components.case_sets import CaseSet
from components.controls import errors_shown, tabs
from components.heatmap import chooser
from components.review import agreement, board, handing_over, queue, queue_form, revealed, saving, two_answers
from components.team.seen import seen
from components.worker.reading import read_once
from groundscope.drawing.board import prepared
from groundscope.errors import GroundscopeError, NotSavedYet, StoreError
from groundscope.review import case_key, default, reviewer_name
from groundscope.review.decisions import unlabelled
from groundscope.storage.team.acting import here, require
from groundscope.storage.team.roles import Role
from groundscope.types import Case

_KEY = "review"
_SAID = handing_over.SAID
_SEEN = "review_seen"
_EVERY = 3.0
"""Seconds after which a window looks for what another one decided."""

_mount = component("review", root="groundscope", css=("heatmap", "review"), scripts=("text", "sources", "keys", "review"))


def show() -> None:
    """The form for a name, or the open case; on a server with logins, the name is the person's own."""
    if me := here():
        with errors_shown():
            require(Role.REVIEWER)
            st.session_state[queue.NAME] = me.email
        if me.role is Role.READER:
            # What waited for the database is not saved once the role is gone, and that has to be said.
            saving.away()
            shell.show_said(_SAID)
            return
    name = st.session_state.get(queue.NAME, "")
    if not isinstance(name, str) or not name:
        _form()
        return
    tabs({"Read": _read, "Two answers": _two, "Agreement": _agreement}, "review_part", name)


def _two(name: str) -> None:
    with errors_shown():
        two_answers.show(name)


def _agreement(name: str) -> None:
    with errors_shown():
        agreement.show(name)


def _read(name: str) -> None:
    if saving.away():
        return
    group, case = queue.opened()
    with st.container(horizontal=True, vertical_alignment="center", key="casebar"):
        queue.bar(group, case, name)
        with st.popover("Queue"):
            queue_form.draw(group)
            if not here():
                st.button("Review under another name", key="review_other", on_click=queue.leave)
    # Always a container, even if empty: if the texts moved down the page, the browser would forget what is not saved yet.
    with st.container():
        shell.show_said(_SAID)
    chooser.note(case)
    bare = unlabelled(case)
    if read_once(bare, lambda: prepared(bare)) is None:
        return
    try:
        seen("read a case to review", case=case_key(case))
        known = case_key(case) in default().revealed(name)
        st.fragment(_decide)(group, case, name)
        st.fragment(_watch, run_every=_EVERY)(case, name)
        revealed.show(case, name) if known else _offer(case, name)
        handing_over.show(case, name, known=known)
    except StoreError as error:
        shell.notice("bad", str(error))


def _form() -> None:
    shell.heading("Review", "Read an answer sentence by sentence beside its sources, and decide by single keys.")
    st.html(
        "<p class='gs-measure'>You decide before you see what any method, label or other person says: nothing of it is sent to "
        "your browser until you reveal it. Each decision is saved at once in the data of this app, with your name, the "
        "texts of its case, the time, and whether you had seen the others. Everyone who can open this app can read it there.</p>"
    )
    shell.show_said(_SAID)
    with st.form("review_form", border=False):
        st.text_input("Your name", key="review_name_field", max_chars=80, width=330)
        st.form_submit_button("Begin", type="primary", on_click=_begin)


def _begin() -> None:
    try:
        st.session_state[queue.NAME] = reviewer_name(st.session_state.get("review_name_field") or "")
        if queue.LINK not in st.query_params and (mine := queue.first_assigned()):
            queue.begin(mine, ())
            shell.say(_SAID, "info", f"“{mine}” is assigned to you and open. Another set is under “Queue”.")
    except GroundscopeError as error:
        shell.say(_SAID, "bad", str(error))


def _decide(group: CaseSet, case: Case, name: str) -> None:
    if shell.has_said(_SAID) or saving.holding() or queue.moved(case):
        st.rerun()
    queue.progress(group, case, name)
    current = default().current(case_key(case), name)
    data = board.drawn(case, current, state.own(saving.DONE, 0.0), failed=state.own(saving.FAILED, default=False))
    _mount(key=_KEY, data=data, on_pending_change=lambda: saving.keep(case, name, st.session_state[_KEY].get("pending")))


def _watch(case: Case, name: str) -> None:
    """Draw the page again where another window decided; it draws nothing itself, since texts may be long."""
    try:
        current = default().current(case_key(case), name)
    except NotSavedYet:
        st.rerun()
    if other := saving.elsewhere(current, state.own(_SEEN, {}), case_key(case)):
        saving.tell(other)
        st.rerun()


def _offer(case: Case, name: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Reveal what methods, labels and others say", key="review_reveal"):
            default().reveal(name, case)
            st.rerun()
        st.html(shell.note("What you decide after that is kept as decided with them in view."), width="stretch")
