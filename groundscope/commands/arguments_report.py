"""`arguments-report`: what the arguments of a run, or of a file, say, as text or as JSON."""

import json
from collections.abc import Iterator
from pathlib import Path

import click

from groundscope.arguments import runs
from groundscope.arguments.extraction import EXACT
from groundscope.arguments.records import read_arguments
from groundscope.arguments.report import ArguerRow, ArgumentsReport, as_json, cells, column_title, percent, report
from groundscope.arguments.scoring import ExtractorAgreement, Weights
from groundscope.arguments.summary import FactorErrors, Judged
from groundscope.arguments.types import Catalogue, Test
from groundscope.commands import options
from groundscope.commands.arguments import catalogue_of
from groundscope.commands.case_files import content, tell_rejected
from groundscope.commands.terminal import DONE, show, table
from groundscope.errors import DataError
from groundscope.text.humanize import plural

_FACTORS_SHOWN = 10


@click.command()
@click.argument("arguments", metavar="ARGUMENTS", help="a run's id, or a file of arguments: JSONL, JSON, CSV or Parquet")
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
    Zhang et al. 2025.
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
        _agreement(report.agreement),
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


def _agreement(agreement: ExtractorAgreement) -> str:
    if not agreement.cases:
        return ""
    if agreement.share is None:
        return f"Neither extractor finds a factor in {plural(agreement.cases, 'case')}."
    return (
        f"The extractors agree on {agreement.share:.0%} of what either found; the same set in {agreement.same:,} of "
        f"{plural(agreement.cases, 'case')}."
    )


def _weighted(report: ArgumentsReport) -> str:
    if report.weights is None:
        return ""
    weighted = (Test.ARGUABLE, Test.REORDERED)
    head = ("model", "wording", *(f"weighted recall {t.value}" for t in weighted))
    shares = [[percent(r.tests[t].weighted if t in r.tests else None) for t in weighted] for r in report.rows]
    return table(head, [(r.arguer, r.wording or "-", *cells) for r, cells in zip(report.rows, shares, strict=True)])
