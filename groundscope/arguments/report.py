"""The report of arguments, by arguer and wording: the paper's table, abstention, errors by factor and by complexity."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from groundscope.arguments.extraction import EXACT
from groundscope.arguments.scoring import ExtractorAgreement, Score, Weights
from groundscope.arguments.summary import FactorErrors, Figures, Judged, Mean, agreements, by_factor, checks, figures, grouped
from groundscope.arguments.types import CASES, Catalogue, Test
from groundscope.text.humanize import plural


@dataclass(frozen=True, slots=True)
class ArguerRow:
    """One arguer under one wording, an id, empty where it reads none; a test that was not argued has no figures.

    `complexities` are over the triples that can be argued and whose complexity is known.
    """

    arguer: str
    wording: str
    tests: dict[Test, Figures]
    complexities: dict[int, Figures]


@dataclass(frozen=True, slots=True)
class ArgumentsReport:
    """The analysis of some arguments.

    Arguments that say nothing are in no figure if `without_silent`; else they count as the paper's formulas have it. `weights` of
    weighted recall are None if it was not asked for; the first of `checks` is the extractor, the others are people.
    """

    rows: tuple[ArguerRow, ...]
    factors: tuple[FactorErrors, ...]
    agreement: ExtractorAgreement
    extractor: str
    weights: Weights | None
    arguments: int
    scenarios: int
    without_silent: bool
    checks: ExtractorAgreement

    @property
    def silent(self) -> int:
        """How many arguments say nothing."""
        return sum(f.silent for row in self.rows for f in row.tests.values())

    def score(self, judged: Judged) -> Score | None:
        """Give the score of an argument that counts in these figures."""
        return None if self.without_silent and judged.argument.empty else judged.score(self.extractor)


def report(
    arguments: Sequence[Judged], catalogue: Catalogue, extractor: str = EXACT, weights: Weights | None = None,
    *, without_silent: bool = False,
) -> ArgumentsReport:  # fmt: skip
    """Analyse arguments."""
    rows = []
    for (arguer, wording), mine in grouped(arguments, lambda j: (j.arguer, j.wording)).items():
        tests = grouped(mine, lambda j: (j.scenario.test,))
        graded = [j for j in mine if j.scenario.test is not Test.NON_ARGUABLE and j.scenario.complexity]
        levels = grouped(graded, lambda j: (j.scenario.complexity,))
        rows.append(
            ArguerRow(
                str(arguer),
                str(wording),
                {
                    test: figures(tests[test,], extractor, weights, catalogue, without_silent=without_silent)
                    for test in Test
                    if (test,) in tests
                },
                {
                    k: figures(levels[k,], extractor, without_silent=without_silent)
                    for k in sorted({j.scenario.complexity for j in graded})
                },
            )
        )
    return ArgumentsReport(
        tuple(rows),
        tuple(by_factor((j for j in arguments if not (without_silent and j.argument.empty)), extractor)),
        agreements(arguments),
        extractor,
        weights,
        len(arguments),
        len({j.scenario.id for j in arguments}),
        without_silent,
        checks(arguments, extractor),
    )


def agreement_words(agreed: ExtractorAgreement) -> str:
    """State how far both extractors agree; empty if one of them did not run."""
    if not agreed.cases:
        return ""
    if agreed.share is None:
        return f"neither extractor finds a factor in {plural(agreed.cases, 'case')}"
    return (
        f"both extractors agree on {agreed.share:.0%} of what either found, and on all of it in {agreed.same:,} of "
        f"{plural(agreed.cases, 'case')}"
    )


def extractor_error(report: ArgumentsReport) -> str:
    """State whether the intervals hold the extractor's error, and how often it was seen to err."""
    c = report.checks
    if not c.cases:
        return (
            "The intervals hold sampling error alone, not the extractor's errors. To add these, draw some arguments at random "
            "and write the factors that a person reads in each into its row, as extracted.human."
        )
    right = f"{c.both / (c.both + c.first):.0%} of its factors are theirs" if c.both + c.first else "it has no factor"
    listed = f"it has {c.both / (c.both + c.second):.0%} of theirs" if c.both + c.second else "they have none"
    without = [
        f"{r.arguer}{', ' if r.wording else ''}{r.wording}, {test.value}"
        for r in report.rows
        for test, f in r.tests.items()
        if not f.checked
    ]
    return (
        f"{plural(c.cases // len(CASES), 'argument')} that the extractor read were read by people, too: {right}, and {listed}. "
        "Means are corrected by these arguments, and intervals hold the error of sampling and that of the extractor."
        + (f" Sampling error alone, as no argument was checked: {'; '.join(without)}." if without else "")
    )


COLUMNS = (
    (Test.ARGUABLE, "acc_h"), (Test.ARGUABLE, "rec_u"), (Test.REORDERED, "acc_h"), (Test.REORDERED, "rec_u"),
    (Test.ARGUABLE, "abstained"), (Test.REORDERED, "abstained"), (Test.NON_ARGUABLE, "acc_h"), (Test.NON_ARGUABLE, "abstained"),
)  # fmt: skip
"""The paper's table: recall says nothing where there is nothing to argue, and abstention is asked for there alone. Beyond the
paper, abstention where there is something to argue stands beside it: it is false, and who always abstains gains nothing."""
NAMES = {"acc_h": "Acc_H", "rec_u": "Rec_U", "abstained": "Abstention", "weighted": "Weighted recall"}


def column_title(name: str, test: Test) -> str:
    """Name a column."""
    false = name == "abstained" and test is not Test.NON_ARGUABLE
    return f"{f'False {NAMES[name].lower()}' if false else NAMES[name]} {test.value}"


def cells(row: ArguerRow) -> list[tuple[Test, str, Mean | None]]:
    """List what the paper's table holds of a row."""
    return [(test, name, getattr(row.tests[test], name) if test in row.tests else None) for test, name in COLUMNS]


def percent(mean: Mean | None, *, interval: bool = True) -> str:
    """Write a mean as the tables do."""
    if mean is None or not mean.of:
        return "–"
    value = f"{100 * mean.value:.1f}".replace("-", "−")
    if not interval or mean.interval.low != mean.interval.low:
        return value
    low, high = (f"{100 * end:.0f}".replace("-", "−") for end in (mean.interval.low, mean.interval.high))
    return f"{value} ({low} to {high})"


def as_json(report: ArgumentsReport) -> dict[str, Any]:
    """Write a report as JSON has it."""
    return {
        "extractor": report.extractor,
        "weights": report.weights._asdict() if report.weights else None,
        "arguments": report.arguments,
        "scenarios": report.scenarios,
        "without_silent": report.without_silent,
        "extractors_agree": {**report.agreement._asdict(), "share": report.agreement.share} if report.agreement.cases else None,
        "extractor_checked": {**report.checks._asdict(), "arguments": report.checks.cases // len(CASES)},
        "rows": [
            {
                "model": row.arguer,
                "wording": row.wording,
                "tests": {test.value: _figures(f) for test, f in row.tests.items()},
                "complexity": {str(k): _figures(f) for k, f in row.complexities.items()},
            }
            for row in report.rows
        ],
        "factors": [
            {"factor": f.key, "there": f.there, "missed": f.missed, "invented": f.invented, "wrong_case": f.wrong_case}
            for f in report.factors
        ],
    }


def _figures(row: Figures) -> dict[str, Any]:
    means = {name: mean for name in NAMES if (mean := getattr(row, name)) is not None}
    return {
        "arguments": row.arguments,
        "no_argument": row.silent,
        "not_extracted": row.unread,
        "checked": row.checked,
        **{name: {**mean.interval.around(mean.value), "of": mean.of} for name, mean in means.items()},
        "cost": {"calls": row.cost.calls, "tokens": row.cost.tokens, "dollars": row.cost.price},
    }
