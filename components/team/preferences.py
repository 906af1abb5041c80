"""Preferences kept for later visits: per person on a server with logins, else one for the data folder."""

from typing import Any

from groundscope.paths import set_setting, settings
from groundscope.storage.team.acting import current_person


def kept(name: str) -> Any:
    """What was chosen under a name; None where nothing was."""
    return settings().get(_key(name))


def keep(name: str, value: Any) -> None:
    """Keep a choice under a name; None = nothing is chosen."""
    set_setting(_key(name), value)


def _key(name: str) -> str:
    person = current_person()
    return f"{name} of {person.email}" if person else name
