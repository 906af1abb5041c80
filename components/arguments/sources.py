"""Choice of the arguments to show: the example, a run of this machine, a loaded file, or a pasted argument."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial

import streamlit as st

from components import shell
from components.arguments import state
from components.state import once
from groundscope.arguments import runs
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import Catalogue
from groundscope.chat.budget import NOTHING, Cost
from groundscope.errors import GroundscopeError
from groundscope.experiments.listing import Listed, listed
from groundscope.text.humanize import plural

_ID = "arguments"
_LINKED = "arguments_linked"
_EXAMPLE = "example"
_ABOUT_EXAMPLE = (
    "An example that comes with the app: five built-in writers argue from the same precedents, four of them each with one "
    "deliberate flaw. No model was asked."
)
_FILE = "file "


@dataclass(frozen=True)
class ArgumentSource:
    """Arguments to look at: of a run of this machine, which is then the job, or of a file.

    The extractor is the other model that extracted, if one did; notes are what the user must know, in sentences.
    """

    id: str
    name: str
    catalogue: Catalogue
    judged: tuple[Judged, ...]
    extractor: str = ""
    notes: tuple[str, ...] = ()
    cost: Cost = NOTHING
    complete: bool = True
    job: Listed | None = None


_Choice = tuple[str, Callable[[], ArgumentSource]]
"""A label, and what opens it."""


def choose() -> ArgumentSource | None:
    """Let the user choose; None where what was chosen cannot be read."""
    jobs, problems = listed(runs.KIND)
    for problem in problems:
        shell.notice("bad", problem)
    choices: dict[str, _Choice] = {f"{_FILE}{f.name}": (f.name, partial(_of_file, f)) for f in state.files().values()}
    for job in jobs:
        if job.done:
            share = "" if job.finished else f", {job.done:,} of {plural(job.wanted, 'argument')}"
            choices[job.id] = (f"{job.name}{share}", partial(_of_run, job))
    choices[_EXAMPLE] = ("Example that comes with the app", _example)
    linked = st.query_params.get(_ID, "")
    if linked and linked not in choices and not linked.startswith(_FILE):
        shell.notice("info", "The arguments that the link names are not here; others are shown.")
    key = f"arguments_source_{hash(tuple(choices))}"
    # A link from outside chooses; one that this page has set itself follows what the user chose.
    if key not in st.session_state or st.session_state.get(_LINKED) != linked:
        st.session_state[key] = linked if linked in choices else next(iter(choices))
    chosen = _EXAMPLE
    if len(choices) > 1:
        chosen = str(st.selectbox("Arguments", list(choices), format_func=lambda i: choices[i][0], key=key))
    if chosen != linked:
        st.query_params[_ID] = chosen
    st.session_state[_LINKED] = chosen
    try:
        return choices[chosen][1]()
    except GroundscopeError as error:
        shell.notice("bad", str(error))
        return None


def show_file(name: str) -> None:
    """Let the results show a file from the next redraw on."""
    st.query_params[_ID] = f"{_FILE}{name}"


def _example() -> ArgumentSource:
    scenarios, judged = state.example()
    return ArgumentSource(_EXAMPLE, "Example", scenarios.catalogue, judged, notes=(_ABOUT_EXAMPLE,))


def _of_file(file: state.ArgumentFile) -> ArgumentSource:
    return ArgumentSource(f"{_FILE}{file.name}", file.name, file.catalogue, file.judged, file.extractor, file.notes)


def _of_run(job: Listed) -> ArgumentSource:
    key = ("run", job.id, job.done, job.failed)

    def read() -> ArgumentSource:
        notes = [] if job.finished else [f"Still to come: {job.wanted - job.done:,} of {plural(job.wanted, 'argument')}."]
        if job.failed:
            notes.append(f"{plural(job.failed, 'argument')} failed and can be tried again.")
        title = job.plan.extractor.title if job.plan.extractor else ""
        with closing(runs.FOLDER.open(job.id)) as file:
            judged = tuple(runs.judged(file))
        return ArgumentSource(
            job.id, job.name, job.plan.catalogue, judged, title, tuple(notes), job.spent, bool(job.finished), job
        )

    return once(state.cache(), key, read)
