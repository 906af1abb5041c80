"""The person's own entry over every page: name, role, log-out; for leads, the people."""

from html import escape

import streamlit as st

from components.team import login, people
from groundscope.storage.team.roles import ABOUT, Person, Role

_KEY = "account"


def entry(who: Person) -> None:
    """Draw it as the last one of the navigation."""
    # Where it has a state, a click can close it: else it would stay above the dialog.
    leads = who.role is Role.LEAD
    with st.popover(people.plain(who.email.partition("@")[0])[:24], key=_KEY, on_change="rerun" if leads else "ignore"):
        st.html(f"<p class='gs-note'>{_described(who)}</p>")
        with st.container(horizontal=True):
            asked = leads and st.button("People", key="team_people", on_click=_close)
            login.log_out_button()
    if asked:
        people.dialog()


def _close() -> None:
    st.session_state[_KEY] = False


def _described(who: Person) -> str:
    role = f"You are a {who.role.words}. A {who.role.words} {ABOUT[who.role]}." if who.role else ""
    return f"{escape(who.email)}<br>{role}"
