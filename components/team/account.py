"""The person's own entry over every page: name, role, log-out; for leads, the people."""

from html import escape

import streamlit as st

from components.team import login, people
from groundscope.storage.team.roles import ABOUT, Person, Role


def entry(who: Person) -> None:
    """Draw it as the last one of the navigation."""
    with st.popover(people.plain(who.email.partition("@")[0])[:24], key="account"):
        st.html(f"<p class='gs-note'>{_described(who)}</p>")
        with st.container(horizontal=True):
            if who.role is Role.LEAD:
                st.button("People", key="team_people", on_click=people.open_dialog)
            login.log_out_button()
    if who.role is Role.LEAD:
        people.dialog_if_open()


def _described(who: Person) -> str:
    role = f"You are a {who.role.words}. A {who.role.words} {ABOUT[who.role]}." if who.role else ""
    return f"{escape(who.email)}<br>{role}"
