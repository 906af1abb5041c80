"""Choice of the arguments to show: the example, a run of this machine, a loaded file, or a pasted argument."""

from contextlib import closing
from dataclasses import dataclass
from functools import partial

import streamlit as st

from components import shell
from components.arguments import state
from components.controls import SourceChoice, choose_source
from components.state import once
from groundscope.arguments import runs
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import Catalogue
from groundscope.chat.budget import NOTHING, Cost
from groundscope.experiments.listing import Listed, listed
from groundscope.text.humanize import plural

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


def choose() -> ArgumentSource | None:
    """Let the user choose; None where what was chosen cannot be read."""
    jobs, problems = listed(runs.KIND)
    for problem in problems:
        shell.notice("bad", problem)
    choices = [SourceChoice(f"{_FILE}{f.name}", f.name, partial(_of_file, f)) for f in state.files().values()]
    for job in jobs:
        if job.done:
            share = "" if job.finished else f", {job.done:,} of {plural(job.wanted, 'argument')}"
            choices.append(SourceChoice(job.id, f"{job.name}{share}", partial(_of_run, job)))
    choices.append(SourceChoice(_EXAMPLE, "Example that comes with the app", _example))
    return choose_source(choices, "Arguments", "arguments", "arguments")


def show_file(name: str) -> None:
    """Let the results show a file from the next redraw on."""
    st.session_state["arguments_open"] = f"{_FILE}{name}"


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

    return once(state.ANALYSES, key, read)
