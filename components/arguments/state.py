"""Session keys of the Arguments page, with typed get and set; see `components/state.py`."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import streamlit as st

from evaluation.arguments.arguers import ARGUERS
from evaluation.arguments.catalogue import TRADE_SECRETS
from evaluation.arguments.extraction import exact
from evaluation.arguments.judged import Judged
from evaluation.arguments.scenarios import make_all
from evaluation.arguments.types import Catalogue, Scenario, Test

KEPT = 8
EXAMPLE = "Example"
PASTED = "Pasted"
ARGUED = f"{Test.ARGUABLE.value} and {Test.REORDERED.value}"
"""Of a filter: both tests in which there is something to argue."""


class Filter(NamedTuple):
    """Which arguments are listed; None = all.

    Attributes:
        arguer: who wrote them.
        wording: id.
        test: a value of `Test`, or `ARGUED`.
        complexity: of the triple.
        factor: key of a factor that goes wrong in them.
        error: how: `invented`, `wrong case` or `missed`; None = in any of these ways, where a factor is named.
    """

    arguer: str | None = None
    wording: str | None = None
    test: str | None = None
    complexity: int | None = None
    factor: str | None = None
    error: str | None = None


@dataclass(frozen=True)
class ScenarioSet:
    """Triples that came together."""

    name: str
    catalogue: Catalogue
    scenarios: tuple[Scenario, ...]


@dataclass(frozen=True)
class ArgumentFile:
    """Arguments that were made elsewhere: from a file, or pasted; `extractor` names the model that extracted, too."""

    name: str
    catalogue: Catalogue
    judged: tuple[Judged, ...]
    notes: tuple[str, ...] = ()
    extractor: str = ""


def _own(key: str, default: Any) -> Any:
    if key not in st.session_state:
        st.session_state[key] = default
    return st.session_state[key]


@st.cache_resource(show_spinner=False)
def example() -> tuple[ScenarioSet, tuple[Judged, ...]]:
    """A small seeded set, argued by all built-in arguers: there is something to see before anything is asked."""
    found = ScenarioSet(EXAMPLE, TRADE_SECRETS, tuple(make_all(TRADE_SECRETS, list(Test), 4, [3, 5, 7], 1)))
    judged = []
    for arguer in ARGUERS:
        for scenario in found.scenarios:
            argument = arguer.argue(scenario, TRADE_SECRETS)
            judged.append(Judged(scenario, arguer.title, "", argument, exact(argument.plies, TRADE_SECRETS)))
    return found, tuple(judged)


def sets() -> dict[str, ScenarioSet]:
    """All scenarios of the session, the example first."""
    kept: dict[str, ScenarioSet] = _own("arguments_sets", {})
    while len(kept) > KEPT:
        kept.pop(next(iter(kept)))
    return {EXAMPLE: example()[0], **kept}


def add_set(new: ScenarioSet) -> None:
    """Keep scenarios; those of the same name are replaced."""
    _own("arguments_sets", {})[new.name] = new


def catalogues() -> dict[str, Catalogue]:
    """Catalogues that this session loaded, by name, the built-in one first."""
    return {TRADE_SECRETS.name: TRADE_SECRETS, **_own("arguments_catalogues", {})}


def add_catalogue(new: Catalogue) -> None:
    """Keep a catalogue."""
    _own("arguments_catalogues", {})[new.name] = new


def files() -> dict[str, ArgumentFile]:
    """Arguments that were made elsewhere, by name; the last few."""
    kept: dict[str, ArgumentFile] = _own("arguments_files", {})
    while len(kept) > KEPT:
        kept.pop(next(iter(kept)))
    return kept


def seen() -> set[str]:
    """Uploads that were read: one that is forgotten must not come back at the next redraw."""
    found: set[str] = _own("arguments_seen", set())
    return found


def faults() -> dict[str, str]:
    """What was wrong with uploads of arguments, by their ids, as long as they stand in the uploader."""
    found: dict[str, str] = _own("arguments_upload_faults", {})
    return found


def kept() -> dict[tuple[Any, ...], Any]:
    """Analyses that were made, by what they are of: a click must not make them anew."""
    found: dict[tuple[Any, ...], Any] = _own("arguments_kept", {})
    while len(found) > KEPT:
        found.pop(next(iter(found)))
    return found


def wanted(new: Filter | None = None) -> Filter:
    """Which arguments are listed; give one to keep it."""
    if new is not None:
        st.session_state["arguments_filter"] = new
    value = st.session_state.get("arguments_filter")
    return value if isinstance(value, Filter) else Filter()


def of_source(source: str) -> None:
    """Say whose arguments are shown: what was wanted of others is no filter of these."""
    before = st.session_state.get("arguments_filter_of")
    if before not in (None, source):
        wanted(Filter())
    st.session_state["arguments_filter_of"] = source


def opened(new: tuple[str, str, str] | None = None) -> tuple[str, str, str]:
    """Which argument stands open before one is ticked: triple, arguer and wording of the one pasted last; give one to keep it."""
    if new is not None:
        st.session_state["arguments_opened"] = new
    value = st.session_state.get("arguments_opened")
    return value if isinstance(value, tuple) else ("", "", "")


def said(text: str | None = None) -> str:
    """What went wrong, until it is shown; give a text to keep it."""
    if text is not None:
        st.session_state["arguments_said"] = text
    value = st.session_state.get("arguments_said")
    return value if isinstance(value, str) else ""
