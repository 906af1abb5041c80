"""What is kept of a person: views and downloads in the access log, where a login is set up, and preferences for later visits."""

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from groundscope.paths import set_setting, settings
from groundscope.storage.team.acting import acting_as, current_person
from groundscope.storage.team.audit import note

_T = TypeVar("_T")
_SEEN = "team_seen"


def log_view(action: str, **about: str | int) -> None:
    """Log that this session's person viewed something; raises `StoreError` where that cannot be written, and so not be shown."""
    noted: set[object] = st.session_state.setdefault(_SEEN, set())
    key = (action, *sorted(about.items()))
    if key not in noted:
        note(action, **about)
        noted.add(key)


def for_person(make: Callable[[], _T], file: str) -> Callable[[], _T]:
    """Have a file be made for the person who was here when its button was drawn; it is made outside of the session."""
    person = current_person()
    if person is None:
        return make

    def audited() -> _T:
        with acting_as(person):
            note("downloaded a file", file=file)
            return make()

    return audited


def kept(name: str) -> Any:
    """What was chosen under a name; None where nothing was."""
    return settings().get(_key(name))


def keep(name: str, value: Any) -> None:
    """Keep a choice under a name; None = nothing is chosen."""
    set_setting(_key(name), value)


def _key(name: str) -> str:
    person = current_person()
    return f"{name} of {person.email}" if person else name
