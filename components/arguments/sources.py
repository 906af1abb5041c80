"""Which arguments the page shows: the example, a run of this machine, a file that was loaded, or what was pasted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import streamlit as st

from components import shell
from components.arguments import state
from evaluation.arguments import runs
from evaluation.arguments.judged import Judged
from evaluation.arguments.types import Catalogue
from evaluation.arguments.writing import NOTHING, Cost
from evaluation.errors import GroundscopeError
from evaluation.words import plural

_ID = "arguments"
_LINKED = "arguments_linked"
_EXAMPLE = "example"
_FILE = "file "


@dataclass(frozen=True)
class Source:
    """Arguments to look at.

    Attributes:
        id: of the run, or of the file.
        name: for people.
        catalogue: of the triples.
        judged: all there are so far.
        extractor: the other model that extracted; empty = none did.
        notes: what the user must know, in sentences.
        cost: of all.
        run: whether it is a run of this machine, which can be deleted.
        complete: whether all its arguments are written.
    """

    id: str
    name: str
    catalogue: Catalogue
    judged: tuple[Judged, ...]
    extractor: str = ""
    notes: tuple[str, ...] = ()
    cost: Cost = NOTHING
    run: bool = False
    complete: bool = True


class _Choice(NamedTuple):
    label: str
    open: Callable[[], Source]


def choose() -> Source | None:
    """Let the user choose; None where what was chosen cannot be read."""
    listed, troubles = runs.listed()
    for trouble in troubles:
        shell.notice("bad", trouble)
    choices = {f"{_FILE}{f.name}": _Choice(f.name, lambda f=f: _of_file(f)) for f in state.files().values()}  # type: ignore[misc]
    for one in listed:
        if one.done:
            share = "" if one.finished else f", {one.done:,} of {plural(one.wanted, 'argument')}"
            choices[one.id] = _Choice(f"{one.plan.name}{share}", lambda one=one: _of_run(one))  # type: ignore[misc]
    choices[_EXAMPLE] = _Choice("Example: built-in arguers, no model", _example)
    linked = st.query_params.get(_ID, "")
    if linked and linked not in choices and not linked.startswith(_FILE):
        shell.notice("info", "The arguments that the link names are not here; others are shown.")
    labels = {name: c.label for name, c in choices.items()}
    key = f"arguments_source_{hash(tuple(choices))}"
    # A link from outside chooses; one that this page has set itself follows what the user chose.
    if key not in st.session_state or st.session_state.get(_LINKED) != linked:
        st.session_state[key] = linked if linked in choices else next(iter(choices))
    chosen = str(st.selectbox("Arguments", list(choices), format_func=lambda i: labels[i], key=key))
    if chosen != linked:
        st.query_params[_ID] = chosen
    st.session_state[_LINKED] = chosen
    try:
        return choices[chosen].open()
    except GroundscopeError as error:
        shell.notice("bad", str(error))
        return None


def show_file(name: str) -> None:
    """Let the results show a file from the next redraw on."""
    st.query_params[_ID] = f"{_FILE}{name}"


def _example() -> Source:
    found, judged = state.example()
    return Source(_EXAMPLE, "Example", found.catalogue, judged)


def _of_file(found: state.ArgumentFile) -> Source:
    return Source(f"{_FILE}{found.name}", found.name, found.catalogue, found.judged, found.extractor, found.notes)


def _of_run(one: runs.Listed) -> Source:
    key = ("run", one.id, one.done)
    kept = state.kept()
    if key not in kept:
        file = runs.opened(one.id)
        try:
            notes = () if one.finished else (f"Still to come: {one.wanted - one.done:,} of {plural(one.wanted, 'argument')}.",)
            title = one.plan.extractor.title if one.plan.extractor else ""
            found = tuple(runs.judged(file))
            kept[key] = Source(
                one.id, one.plan.name, one.plan.catalogue, found, title, notes, runs.spent(file), True, one.finished
            )
        finally:
            file.close()
    source: Source = kept[key]
    return source
