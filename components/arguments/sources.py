"""Choice of the arguments to show: the example, a run of this machine, a loaded file, or a pasted argument."""

from contextlib import closing
from functools import partial

from components import shell
from components.arguments import state
from components.arguments.state import ArgumentSource
from components.controls import SourceChoice, choose_source
from components.state import once
from groundscope.arguments import runs
from groundscope.experiments.listing import Listed, listed
from groundscope.text.humanize import plural

_EXAMPLE = "example"
_ABOUT_EXAMPLE = (
    "An example that comes with the app: five built-in writers argue from the same precedents, four of them each with one "
    "deliberate flaw. No model was asked."
)


def choose() -> ArgumentSource | None:
    """Let the user choose; None where what was chosen cannot be read."""
    jobs, problems = listed(runs.KIND)
    for problem in problems:
        shell.notice("bad", problem)
    choices = [SourceChoice(file.id, file.name, partial(state.files().__getitem__, name)) for name, file in state.files().items()]
    for job in jobs:
        if job.done:
            share = "" if job.finished else f", {job.done:,} of {plural(job.wanted, 'argument')}"
            choices.append(SourceChoice(job.id, f"{job.name}{share}", partial(_of_run, job)))
    choices.append(SourceChoice(_EXAMPLE, "Example that comes with the app", _example))
    return choose_source(choices, "Arguments", "arguments", "arguments")


def _example() -> ArgumentSource:
    scenarios, judged = state.example()
    return ArgumentSource(_EXAMPLE, "Example", scenarios.catalogue, judged, notes=(_ABOUT_EXAMPLE,))


def _of_run(job: Listed) -> ArgumentSource:
    key = ("run", job.id, job.done, job.failed)

    def read() -> ArgumentSource:
        notes = [] if job.finished else [f"Still to come: {job.wanted - job.done:,} of {plural(job.wanted, 'argument')}."]
        if job.failed:
            notes.append(f"{plural(job.failed, 'argument')} failed and can be tried again.")
        title = job.plan.extractor.title if job.plan.extractor else ""
        with closing(runs.FOLDER.open(job.id)) as file:
            judged = tuple(runs.judged(file))
        return ArgumentSource(job.id, job.name, job.plan.catalogue, judged, title, tuple(notes), job)

    return once(state.ANALYSES, key, read)
