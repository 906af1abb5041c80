"""The members of a matter, who alone see it: listed, added and removed."""

from collections.abc import Callable
from html import escape

import streamlit as st

from groundscope.errors import GroundscopeError
from groundscope.storage.team.members import Membership
from groundscope.storage.team.people import People

_SAID = "members_said"


def panel(members: Membership, number: int) -> None:
    """A popover with the members of the matter of this number, and a form for one more."""
    with st.popover("Members", key="matter_members"):
        found = members.all()
        for email in found:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.html(f"<span dir='auto'>{escape(email)}</span>", width="stretch")
                st.button("Remove", key=f"member_{number}_{email}", on_click=_try, args=(lambda who=email: members.remove(who),))
        others = [p.email for p in People().all() if p.email not in found]
        if others:
            with st.container(horizontal=True, vertical_alignment="bottom"):
                who = st.selectbox("Add a person", others, key=f"member_new_{number}")
                st.button("Add", key=f"member_add_{number}", on_click=_try, args=(lambda: members.add(who),))
        if said := st.session_state.pop(_SAID, ""):
            st.html(f'<p class="gs-notice bad" role="alert">{escape(said)}</p>')


def _try(work: Callable[[], object]) -> None:
    try:
        work()
    except GroundscopeError as error:
        st.session_state[_SAID] = str(error)
