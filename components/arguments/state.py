"""Session keys of the Arguments page, with typed get and set; see `components/state.py`."""

from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st

from components.state import last_few, own, value
from groundscope.arguments.arguers import ARGUERS
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.extraction import exact
from groundscope.arguments.scenarios import make_all
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import Catalogue, Scenario, Test
from groundscope.experiments.listing import Listed

EXAMPLE = "Example"
PASTED = "Pasted"
UPLOADS, ANALYSES = "arguments_seen", "arguments_kept"
"""Keys of the uploads that were read, and of analyses."""
ARGUED = f"{Test.ARGUABLE.value} and {Test.REORDERED.value}"
"""A value of the filter: both tests in which there is something to argue."""


class ArgumentFilter(NamedTuple):
    """Which arguments are listed; None = all.

    `test` is a value of `Test`, or `ARGUED`; `factor` the key of one that goes wrong; `error` how: `invented`, `wrong case` or
    `missed`, None = in any of these ways.
    """

    arguer: str | None = None
    wording: str | None = None
    test: str | None = None
    complexity: int | None = None
    factor: str | None = None
    error: str | None = None


@dataclass(frozen=True)
class ScenarioSet:
    """Triples made or loaded together."""

    name: str
    catalogue: Catalogue
    scenarios: tuple[Scenario, ...]


@dataclass(frozen=True)
class ArgumentSource:
    """Arguments to look at: of a run of this machine, which is then the job, or made elsewhere, from a file or pasted.

    The extractor is the other model that extracted, if one did; notes are what the user must know, in sentences.
    """

    id: str
    name: str
    catalogue: Catalogue
    judged: tuple[Judged, ...]
    extractor: str = ""
    notes: tuple[str, ...] = ()
    job: Listed | None = None


@st.cache_resource(show_spinner=False)
def example() -> tuple[ScenarioSet, tuple[Judged, ...]]:
    """A small seeded set, argued by all built-in arguers: the page shows results before any model is asked."""
    example_set = ScenarioSet(EXAMPLE, TRADE_SECRETS, tuple(make_all(TRADE_SECRETS, list(Test), 4, [3, 5, 7], 1)))
    judged = []
    for arguer in ARGUERS:
        for scenario in example_set.scenarios:
            argument = arguer.argue(scenario, TRADE_SECRETS)
            judged.append(Judged(scenario, arguer.title, "", argument, exact(argument.plies, TRADE_SECRETS)))
    return example_set, tuple(judged)


def sets() -> dict[str, ScenarioSet]:
    """All scenarios of the session, the example first."""
    return {EXAMPLE: example()[0], **added_sets()}


def added_sets() -> dict[str, ScenarioSet]:
    """Scenarios that were made or loaded in this session, by name; the last few."""
    return last_few(own("arguments_sets", {}))


def catalogues() -> dict[str, Catalogue]:
    """All catalogues, by name, the built-in one first."""
    return {TRADE_SECRETS.name: TRADE_SECRETS, **added_catalogues()}


def added_catalogues() -> dict[str, Catalogue]:
    """Catalogues that this session loaded, by name."""
    return own("arguments_catalogues", {})


def files() -> dict[str, ArgumentSource]:
    """Arguments made elsewhere, by name; the last few."""
    return last_few(own("arguments_files", {}))


def argument_filter(new: ArgumentFilter | None = None) -> ArgumentFilter:
    """Which arguments are listed; pass a filter to set it."""
    return value("arguments_filter", ArgumentFilter(), new)


def of_source(source: str) -> None:
    """Set the source that is shown; the filters of another source are dropped."""
    before = st.session_state.get("arguments_filter_of")
    if before not in (None, source):
        argument_filter(ArgumentFilter())
    st.session_state["arguments_filter_of"] = source


def opened(new: tuple[str, str, str] | None = None) -> tuple[str, str, str]:
    """(triple, arguer, wording) of the argument that is open before one is ticked: the one pasted last; pass one to set it."""
    return value("arguments_opened", ("", "", ""), new)
