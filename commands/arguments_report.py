"""`arguments-report`: what the arguments of a run, or of a file, say, as text or as JSON."""

import argparse
import json
from pathlib import Path

from commands.arguments import catalogue_of, content
from commands.terminal import DONE, say, show, table
from evaluation.arguments import runs
from evaluation.arguments.extraction import EXACT
from evaluation.arguments.judged import Judged
from evaluation.arguments.records import read_arguments
from evaluation.arguments.report import NAMES, Report, Row, as_json, cells, percent, report
from evaluation.arguments.scoring import Agreement, Weights
from evaluation.arguments.types import Catalogue, Test
from evaluation.errors import DataError
from evaluation.words import plural

_FACTORS_SHOWN = 10


def arguments_report(given: argparse.Namespace) -> int:
    """Show the analysis of a run, or of a file of arguments, as text or as JSON."""
    found, catalogue = _judged(given)
    if given.extractor != EXACT and not any(j.other for j in found):
        raise ValueError("No model extracted from these arguments; leave --extractor out.")
    weights = None
    if given.plaintiff_weight is not None or given.defendant_weight is not None:
        weights = Weights(
            1.0 if given.plaintiff_weight is None else given.plaintiff_weight,
            1.0 if given.defendant_weight is None else given.defendant_weight,
        )
    made = report(found, catalogue, given.extractor, weights)
    show(json.dumps(as_json(made), indent=1, ensure_ascii=False) if given.json else _text(made, catalogue))
    return DONE


def _judged(given: argparse.Namespace) -> tuple[list[Judged], Catalogue]:
    path = Path(given.arguments)
    if not path.is_file():
        file = runs.opened(given.arguments)
        found = runs.judged(file)
        if not found:
            raise DataError("This run holds no argument yet; go on with it first.")
        return found, file.plan().catalogue
    catalogue = catalogue_of(given.catalogue)
    read = read_arguments(path.name, content(path), catalogue)
    for row in read.rejected:
        say(f"{row.file}, row {row.row}: {row.reason}")
    return list(read.judged), catalogue


def _text(made: Report, catalogue: Catalogue) -> str:
    head = ["model", "wording", *(f"{NAMES[name]} {test.value}" for test, name, _ in cells(made.rows[0]))]
    rows = [[r.arguer, r.wording or "-", *(percent(mean) for *_, mean in cells(r))] for r in made.rows]
    unmeasured = [(r, n) for r in made.rows if (n := sum(f.silent for f in r.tests.values()))]
    parts = [
        f"{plural(made.arguments, 'argument')} about {plural(made.scenarios, 'triple')}. Percent; in brackets 95 % intervals.",
        table(head, rows),
        "\n".join(f"{_title(r)}: {n:,} not measured {_why(made)}, in no mean" for r, n in unmeasured),
        _weighted(made),
        "Factors that go wrong most",
        table(
            ("factor", "in cases", "missed", "invented", "wrong case"),
            [
                (catalogue.by_key[f.key].written if f.key in catalogue.by_key else f"{f.key} (no factor)", *map(str, f_counts))
                for f in made.factors[:_FACTORS_SHOWN]
                if f.errors
                for f_counts in [(f.there, f.missed, f.invented, f.wrong_case)]
            ],
        ),
    ]
    parts.append(_agreement(made.agreement))
    return "\n\n".join(filter(None, parts))


def _title(row: Row) -> str:
    return f"{row.arguer}, {row.wording}" if row.wording else row.arguer


def _why(made: Report) -> str:
    return "(no argument)" if made.extractor == EXACT else "(no argument, or no extraction that could be read)"


def _agreement(found: Agreement) -> str:
    if not found.cases:
        return ""
    if found.share is None:
        return f"Neither extractor finds a factor in {plural(found.cases, 'case')}."
    return (
        f"The extractors agree on {found.share:.0%} of what either found; the same set in {found.same:,} of "
        f"{plural(found.cases, 'case')}."
    )


def _weighted(made: Report) -> str:
    if made.weights is None:
        return ""
    head = ("model", "wording", *(f"weighted recall {t.value}" for t in (Test.ARGUABLE, Test.REORDERED)))
    rows = [
        (
            r.arguer,
            r.wording or "-",
            *(percent(r.tests[t].weighted if t in r.tests else None) for t in (Test.ARGUABLE, Test.REORDERED)),
        )
        for r in made.rows
    ]
    return table(head, rows)
