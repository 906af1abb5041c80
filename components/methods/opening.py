"""The button that makes a method open the heatmap, or no longer."""

import streamlit as st

from components import shell, state
from components.controls import needs
from components.heatmap import record
from groundscope.methods.defaults import open_with, opening
from groundscope.storage.team.roles import Role

_OWN = "the app’s own choice"


def offer(method: str, title: str, key: str, place: str, *, earned: bool, why: str, run: str = "") -> None:
    """Draw the button."""
    if opening()[0] == method:
        if st.button("Open with the app's own choice again", key=key, **needs(Role.LEAD)):
            _choose(None, _OWN, place)
            st.rerun()
    elif st.button("Open the heatmap with it", key=key, **(needs(Role.LEAD) if earned else {"disabled": True, "help": why})):
        if _choose(method, title, place, run):
            state.show_method(method)
        st.rerun()


def withdraw(method: str, place: str) -> None:
    """Let a method that is gone open the heatmap no longer."""
    if opening()[0] == method:
        _choose(None, _OWN, place)


def _choose(method: str | None, title: str, place: str, run: str = "") -> bool:
    try:
        open_with(method)
        if run:
            record.choose(run, for_all=True)
    except OSError as error:
        shell.say(place, "bad", f"The choice cannot be saved ({error.strerror}); check that the data folder can be written.")
        return False
    shell.say(place, "good", f"The heatmap opens with {title} now.")
    return True
