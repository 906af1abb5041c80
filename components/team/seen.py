"""What a person saw goes to the log, once a session for each thing; nothing where no login is set up."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from groundscope.storage.team.acting import acting_as, current_person
from groundscope.storage.team.audit import note

_Made = TypeVar("_Made")
_SEEN = "team_seen"


def seen(action: str, **about: str | int) -> None:
    """Note that this session's person saw something; raises `StoreError` where that cannot be written, and so not be shown."""
    noted: set[object] = st.session_state.setdefault(_SEEN, set())
    key = (action, *sorted(about.items()))
    if key not in noted:
        note(action, **about)
        noted.add(key)


def for_whom(make: Callable[[], _Made], file: str) -> Callable[[], _Made]:
    """Have a file be made for the person who was here when its button was drawn; it is made outside of the session."""
    person = current_person()
    if person is None:
        return make

    def made() -> _Made:
        with acting_as(person):
            note("downloaded a file", file=file)
            return make()

    return made
