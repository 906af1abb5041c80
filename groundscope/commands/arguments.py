"""`arguments-scenarios`, `arguments-run`, `arguments-report`: 3-ply legal arguments from a shell."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from groundscope.arguments import runs
from groundscope.arguments.catalogue import TRADE_SECRETS, read_catalogue
from groundscope.arguments.extraction import EXACT
from groundscope.arguments.loading import BUILT_IN, Arguing, forecast, planned
from groundscope.arguments.records import read_arguments
from groundscope.arguments.records import to_jsonl as to_arguments
from groundscope.arguments.report import (
    ArguerRow,
    ArgumentsReport,
    agreement_words,
    as_json,
    cells,
    column_title,
    extractor_error,
    percent,
    report,
)
from groundscope.arguments.scenarios import make_all, read_scenarios, to_jsonl
from groundscope.arguments.scoring import Weights
from groundscope.arguments.summary import FactorErrors, Judged
from groundscope.arguments.types import Catalogue, Scenario, Test
from groundscope.chat.budget import Limits
from groundscope.commands import jobs, options
from groundscope.commands.case_files import check_place, content, tell_rejected, write
from groundscope.commands.rag import OUT
from groundscope.commands.terminal import DONE, REFUSED, say, show, table
from groundscope.errors import DataError
from groundscope.experiments.store import JobFile
from groundscope.files.rows import KINDS
from groundscope.text.humanize import plural

_CATALOGUE = click.option(
    "--catalogue", metavar="FILE", type=options.PATH,
    help="factors of another domain: a CSV of number, name, side, description"
)  # fmt: skip


@click.command()
@click.option("--number", metavar="N", type=options.POSITIVE, default=30, help="scenarios of each test and complexity")
@click.option("--complexity", metavar="K,L", type=options.Counts(1), default="5", help="each case has k - 1 to k + 1 factors")
@click.option("--tests", type=options.NAMES, default=",".join(Test), help="which of them")
@click.option("--seed", metavar="N", type=options.FROM_ZERO, default=0, help="draws the factors")
@_CATALOGUE
@click.option("--out", metavar="FILE", type=options.PATH, help="write them there instead of to standard output")
def scenarios(
    number: int, complexity: Sequence[int], tests: Sequence[str], seed: int, catalogue: Path | None, out: Path | None
) -> int:
    """Make scenarios for 3-ply legal arguments.

    Arguable triples share factors with both precedents, reordered ones are the same with the precedents swapped, non-arguable
    ones share none. The same options give the same scenarios.
    """
    factors = catalogue_of(catalogue)
    text = to_jsonl(make_all(factors, [_test(name) for name in tests], number, complexity, seed), factors)
    show(write(out, text.encode()) if out else text)
    return DONE


def _result(file: JobFile, out: Path | None) -> str:
    return write(out, to_arguments(runs.judged(file), runs.plan_of(file).catalogue).encode()) if out else str(file.path)


RUNNER = jobs.JobRunner(runs.KIND, Arguing, _result, check_place)


@click.command()
@click.option("--scenarios", metavar="FILE", type=options.PATH, help="as JSONL", show_default="30 a test, complexity 5, seed 0")
@_CATALOGUE
@click.option("--arguers", type=options.NAMES, default="faithful", help="built-in arguers and chat models")
@click.option(
    "--wordings",
    type=options.NAMES,
    default="plain",
    help="prompts of the task argument, which differ in the instruction to abstain",
)
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

    Cost, time and where texts go are shown first. Arguers are the built-in faithful, invents, omits, misattributes and
    never-abstains, and chat models such as anthropic:NAME or server:NAME@ADDRESS. Every result is saved at once:
    Ctrl-C pauses the run, and `resume` continues it.
    """
    check_place(out)
    factors = catalogue_of(catalogue)
    triples, source = _scenarios(scenarios, factors)
    chosen = [_arguer(part) for part in arguers]
    extracts = f"chat:{extractor}" if extractor and not extractor.startswith(("chat:", "chat/")) else extractor or ""
    plan = planned(name or source, factors, chosen, wordings, extracts)
    say(f"{plural(len(triples), 'triple')} of {source}.")
    if not jobs.offered(forecast(triples, factors, chosen, wordings, extracts), yes=yes):
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


_FACTORS_SHOWN = 10


@click.command()
@click.argument("arguments", metavar="ARGUMENTS", help=f"a run's id, or a file of arguments: {KINDS}")
@click.option(
    "--catalogue", metavar="FILE", type=options.PATH, help="factors of the file's scenarios, where it is not trade secrets"
)
@click.option("--extractor", type=click.Choice(["exact", "model"]), default="exact", help="whose extraction is counted")
@click.option("--plaintiff-weight", metavar="X", type=options.AMOUNT, help="of the plaintiff's factors in weighted recall")
@click.option("--defendant-weight", metavar="X", type=options.AMOUNT, help="of the defendant's factors in weighted recall")
@click.option(
    "--without-silent",
    is_flag=True,
    help="leave empty replies out of all means; else each is an abstention that uses no factor",
)
@click.option("--json", "in_json", is_flag=True, help="everything as JSON, shares 0 to 1")
def arguments_report(
    arguments: str, catalogue: Path | None, extractor: str, plaintiff_weight: float | None, defendant_weight: float | None,
    without_silent: bool, in_json: bool,
) -> int:  # fmt: skip
    """Analyse 3-ply legal arguments.

    A file needs model, argument and scenario in each row. Acc_H is hallucination accuracy, Rec_U factor utilisation recall, after
    Zhang et al. 2025. Where rows hold what people read (extracted.human), means are corrected by them, and intervals hold the
    extractor's error.
    """
    judged, factors = _judged(arguments, catalogue)
    if extractor != EXACT and not any(j.other for j in judged):
        raise ValueError("No model extracted from these arguments; leave --extractor out.")
    weights = None
    if plaintiff_weight is not None or defendant_weight is not None:
        # No weight is 0: that is refused above.
        weights = Weights(plaintiff_weight or 1.0, defendant_weight or 1.0)
    analysis = report(judged, factors, extractor, weights, without_silent=without_silent)
    show(json.dumps(as_json(analysis), indent=1, ensure_ascii=False) if in_json else _text(analysis, factors))
    return DONE


def _judged(arguments: str, named: Path | None) -> tuple[list[Judged], Catalogue]:
    path = Path(arguments)
    if not path.is_file():
        file = runs.FOLDER.open(arguments)
        judged = runs.judged(file)
        if not judged:
            raise DataError("This run holds no argument yet; resume it first.")
        return judged, runs.plan_of(file).catalogue
    catalogue = catalogue_of(named)
    read = read_arguments(path.name, content(path, "a file"), catalogue)
    tell_rejected(read.rejected, None)
    return list(read.judged), catalogue


def _text(report: ArgumentsReport, catalogue: Catalogue) -> str:
    head = ["model", "wording", *(column_title(name, test) for test, name, _ in cells(report.rows[0]))]
    rows = [[r.arguer, r.wording or "-", *(percent(mean) for *_, mean in cells(r))] for r in report.rows]
    worst = [f for f in report.factors[:_FACTORS_SHOWN] if f.errors]
    parts = [
        f"{plural(report.arguments, 'argument')} about {plural(report.scenarios, 'triple')}. "
        "Percent; in brackets 95 % intervals.",
        table(head, rows),
        "\n".join(line for r in report.rows for line in _apart(r, report)),
        _weighted(report),
        "Factors that go wrong most",
        table(("factor", "in cases", "missed", "invented", "wrong case"), [_factor(f, catalogue) for f in worst]),
        agreement_words(report.agreement).capitalize(),
        extractor_error(report),
    ]
    return "\n\n".join(filter(None, parts))


def _factor(errors: FactorErrors, catalogue: Catalogue) -> tuple[str, ...]:
    factor = catalogue.by_key.get(errors.key)
    counts = (errors.there, errors.missed, errors.invented, errors.wrong_case)
    return (factor.written if factor else f"{errors.key} (no factor)", *map(str, counts))


def _title(row: ArguerRow) -> str:
    return f"{row.arguer}, {row.wording}" if row.wording else row.arguer


def _apart(row: ArguerRow, report: ArgumentsReport) -> Iterator[str]:
    """What stands beside the means of a row: replies without an argument, and arguments that were not extracted from."""
    silent, unread = (sum(getattr(f, name) for f in row.tests.values()) for name in ("silent", "unread"))
    if silent:
        how = "in no mean" if report.without_silent else "counted as abstentions that use no factor, as in the paper"
        yield f"{_title(row)}: {silent:,} without an argument, {how}"
    if unread:
        yield f"{_title(row)}: {unread:,} without an extraction that could be read, in no mean"


def _weighted(report: ArgumentsReport) -> str:
    if report.weights is None:
        return ""
    weighted = (Test.ARGUABLE, Test.REORDERED)
    head = ("model", "wording", *(f"weighted recall {t.value}" for t in weighted))
    shares = [[percent(r.tests[t].weighted if t in r.tests else None) for t in weighted] for r in report.rows]
    return table(head, [(r.arguer, r.wording or "-", *cells) for r, cells in zip(report.rows, shares, strict=True)])
