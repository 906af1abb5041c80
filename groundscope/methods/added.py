"""Models that users add to a method that takes any, such as another entailment model."""

from typing import Any

from groundscope.errors import ScorerUnavailable
from groundscope.methods._sources import read, sources
from groundscope.storage.team.acting import require
from groundscope.storage.team.roles import Role


def add(method: str, line: str, name: str = "") -> str:
    """Add a model of the user's to a method that takes any; it is listed from now on.

    Raises:
        ScorerUnavailable: the model is not one that the method reads, or it cannot be saved.
    """
    require(Role.LEAD)
    return f"{method}:{_taking(method).add(line, name)}"


def remove(method: str) -> None:
    """Take a model that the user added off the list; its files stay."""
    require(Role.LEAD)
    name, _, variant = method.partition(":")
    if not is_added(method):
        raise ValueError(f"{method!r} is no model that was added")
    _taking(name).remove(variant)


def is_added(method: str) -> bool:
    """Whether the user added this model."""
    name, _, variant = method.partition(":")
    try:
        return variant in _taking(name).variants()
    except (ValueError, ScorerUnavailable):
        return False


def _taking(name: str) -> Any:
    source = sources().get(name)
    module = read(source) if source else None
    if not hasattr(module, "add") or not hasattr(module, "remove"):
        raise ValueError(f"{name} takes no models of the user's")
    return module
