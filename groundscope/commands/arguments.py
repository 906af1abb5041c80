"""`arguments-scenarios` and `arguments-run`: 3-ply arguments from a shell."""

from collections.abc import Sequence
from pathlib import Path

import click

from groundscope.arguments import runs
from groundscope.arguments.catalogue import TRADE_SECRETS, read_catalogue
from groundscope.arguments.loading import BUILT_IN, forecast, parts_of, planned
from groundscope.arguments.records import to_jsonl as to_arguments
from groundscope.arguments.scenario_files import read_scenarios, to_jsonl
from groundscope.arguments.scenarios import make_all
from groundscope.arguments.types import Catalogue, Scenario, Test
from groundscope.arguments.work import Arguing
from groundscope.chat.budget import Limits
from groundscope.commands import jobs, options
from groundscope.commands.case_files import content, tell_rejected, write
from groundscope.commands.rag import OUT, free
from groundscope.commands.terminal import DONE, REFUSED, say, show
from groundscope.experiments.store import JobFile
from groundscope.methods import registry
from groundscope.text.humanize import plural

_CATALOGUE = click.option(
    "--catalogue", metavar="FILE", type=options.PATH,
    help="factors of another domain: a CSV of number, name, side, description"
)  # fmt: skip


@click.command()
@click.option("--number", metavar="N", type=options.POSITIVE, default=30, help="scenarios of each test and complexity")
@click.option("--complexity", metavar="K,L", type=options.NAMES, default="5", help="each case has k - 1 to k + 1 factors")
@click.option("--tests", type=options.NAMES, default=",".join(Test), help="which of them")
@click.option("--seed", metavar="N", type=options.FROM_ZERO, default=0, help="draws the factors")
@_CATALOGUE
@click.option("--out", metavar="FILE", type=options.PATH, help="write them there instead of to standard output")
def scenarios(
    number: int, complexity: Sequence[str], tests: Sequence[str], seed: int, catalogue: Path | None, out: Path | None
) -> int:
    """Make scenarios for 3-ply legal arguments.

    Arguable triples share factors with both precedents, reordered ones are the same with the precedents swapped, non-arguable
    ones share none. The same options give the same scenarios.
    """
    factors = catalogue_of(catalogue)
    kinds, levels = [_test(name) for name in tests], [_whole(k, "complexity") for k in complexity]
    text = to_jsonl(make_all(factors, kinds, number, levels, seed), factors)
    show(write(out, text.encode()) if out else text)
    return DONE


def _result(file: JobFile, out: Path | None) -> str:
    return write(out, to_arguments(runs.judged(file), runs.plan_of(file).catalogue).encode()) if out else str(file.path)


RUNNER = jobs.JobRunner(runs.KIND, lambda file: Arguing(file, parts_of(runs.plan_of(file), registry.chat)), _result, free)


@click.command()
@click.option("--scenarios", metavar="FILE", type=options.PATH, help="as JSONL", show_default="30 a test, complexity 5, seed 0")
@_CATALOGUE
@click.option("--arguers", type=options.NAMES, default="faithful", help="built-in arguers and chat models")
@click.option("--wordings", type=options.NAMES, default="plain", help="how the instruction to abstain is worded")
@click.option("--extractor", metavar="SPEC", help="a chat model that extracts factors beside the exact extractor")
@click.option("--name", help="what the run is called")
@options.YES
@OUT
@options.LIMITS
def run(
    scenarios: Path | None, catalogue: Path | None, arguers: Sequence[str], wordings: Sequence[str], extractor: str | None,
    name: str | None, yes: bool, out: Path | None, calls: int | None, dollars: float | None, quiet: bool, with_parent: bool,
) -> int:  # fmt: skip
    """Have 3-ply legal arguments written.

    What it takes is said first. Arguers are the built-in faithful, invents, omits, misattributes and never-abstains, and chat
    models such as anthropic:NAME or server:NAME@ADDRESS. Every result is kept as it comes: Ctrl-C pauses the run, and
    `resume` continues it.
    """
    if out:
        free(out)
    factors = catalogue_of(catalogue)
    triples, source = _scenarios(scenarios, factors)
    chosen = [_arguer(part) for part in arguers]
    extracts = f"chat:{extractor.removeprefix('chat:')}" if extractor else ""
    plan = planned(name or source, factors, chosen, wordings, extracts, registry.chat)
    say(f"{plural(len(triples), 'triple')} of {source}.")
    if not jobs.offered(forecast(triples, factors, chosen, wordings, extracts, registry.chat), yes=yes):
        return REFUSED
    file = runs.FOLDER.open(runs.create(plan, triples, limits=Limits(calls, dollars)))
    return jobs.go(RUNNER, file, out, quiet=quiet, with_parent=with_parent)


def _arguer(named: str) -> str:
    """The id of an arguer: a name without a colon is a built-in one, any other a chat model."""
    if named.startswith((BUILT_IN, "chat:")):
        return named
    return f"chat:{named}" if ":" in named else f"{BUILT_IN}{named}"


def catalogue_of(path: Path | None) -> Catalogue:
    """Read the catalogue of a file; without one take the built-in. Raises `DataError` where the file is no catalogue."""
    return read_catalogue(path.name, content(path, "a file")) if path else TRADE_SECRETS


def _scenarios(path: Path | None, catalogue: Catalogue) -> tuple[list[Scenario], str]:
    if path is None:
        return make_all(catalogue, list(Test), 30, [5], 0), "30 a test, complexity 5, seed 0"
    read = read_scenarios(path.name, content(path, "a file"), catalogue)
    tell_rejected(read.rejected, None)
    return list(read.scenarios), path.name


def _test(name: str) -> Test:
    if name not in set(Test):
        raise ValueError(f"no test {name!r}; there are {', '.join(Test)}")
    return Test(name)


def _whole(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 6:
        raise ValueError(f"{what} must be a whole number, got {text!r}")
    return int(text)
