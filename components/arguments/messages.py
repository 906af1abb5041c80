"""Sentences of the Arguments page about its figures. No streamlit."""

from collections.abc import Sequence

from components.arguments.tables import wording_title
from components.charts.arguments import known
from groundscope.arguments.report import ArguerRow, ArgumentsReport, percent
from groundscope.arguments.scoring import Score
from groundscope.arguments.summary import FactorErrors, Judged
from groundscope.arguments.types import CASES, Test
from groundscope.chat.budget import Cost, in_words
from groundscope.text.humanize import plural


def names(report: ArgumentsReport) -> list[str]:
    """Readable names of the rows, with the wording where there are several."""
    arguers = [r.arguer for r in report.rows]
    return [r.arguer if arguers.count(r.arguer) == 1 else f"{r.arguer}, {wording_title(r.wording)}" for r in report.rows]


_ARGUED = (Test.ARGUABLE, Test.REORDERED)
_NOTHING = "where nothing can be argued"
_FIGURES = (
    ("acc_h", _ARGUED, "Invents or mixes up most", "invents a fact", "{} % of facts right"),
    ("rec_u", _ARGUED, "Leaves most out", "leaves one out", "{} % of facts used"),
    ("abstained", (Test.NON_ARGUABLE,), f"Argues most {_NOTHING}", f"argues {_NOTHING}", "stops in {} % of them"),
)  # fmt: skip


def headline(report: ArgumentsReport) -> str:
    """The main result: which model invents most, leaves most out, and argues where nothing can be argued."""
    if report.silent == report.arguments:
        return "No model has written an argument."
    if len(report.rows) == 1:
        return _alone(report.rows[0])
    weaknesses, spotless = [], []
    for name, tests, most, never, called in _FIGURES:
        measured = [
            (value, n) for r, n in zip(report.rows, names(report), strict=True) if (value := _mean(r, name, tests)) is not None
        ]
        if not measured:
            continue
        value, who = min(measured, key=lambda k: k[0])
        if value < 1:
            weaknesses.append(f"{most}: “{who}” ({called.format(_whole(value))}).")
        else:
            spotless.append(never)
    if weaknesses:
        return " ".join(weaknesses)
    if not spotless:
        return "No model has written an argument that can be measured."
    return f"No model {spotless[0]}." if len(spotless) == 1 else f"No model {', '.join(spotless[:-1])} or {spotless[-1]}."


def _mean(row: ArguerRow, name: str, tests: Sequence[Test]) -> float | None:
    means = [getattr(row.tests[t], name) for t in tests if t in row.tests]
    count = sum(m.of for m in means)
    return sum(m.value * m.of for m in means if m.of) / count if count else None


def _whole(share: float) -> str:
    return f"{100 * share:.0f}".replace("-", "−")


def _alone(row: ArguerRow) -> str:
    parts = []
    for name, tests, words in (
        ("acc_h", _ARGUED, "{} % of the facts right (100 = nothing invented)"),
        ("rec_u", _ARGUED, "{} % of the facts used"),
        ("abstained", (Test.NON_ARGUABLE,), "it stops in {} % of the cases where nothing can be argued"),
    ):
        if (value := _mean(row, name, tests)) is not None:
            parts.append(words.format(_whole(value)))
    return f"{row.arguer}: {'; '.join(parts)}." if parts else f"{row.arguer} has written no argument that can be measured."


COLUMNS_MEAN = (
    "Percent, with the 95 % interval under it. Facts right (Acc_H): 100 = nothing invented, below 0 where more is invented than "
    "there is. Facts used (Rec_U): 100 = every one. Stops rightly: 100 = never argued without a shared fact. Stops wrongly: "
    "0 = never stopped where there is an argument. Arguable: each side has a precedent that shares a fact in its favour. "
    "Reordered: the same with the precedents swapped. Non-arguable: no precedent shares a fact."
)
EXTRACTED = "Facts are found in an argument by their numbers and names, and of which case they are said by rules."


def silence(report: ArgumentsReport) -> str:
    """How arguments that say nothing count; empty if there are none."""
    if not report.silent:
        return ""
    them = f"{report.silent:,} of {plural(report.arguments, 'argument')} say nothing"
    if report.without_silent:
        return f"{them} and are left out of all figures."
    return (
        f"{them}. As in the paper’s formulas, each counts as an abstention that uses no factor (Acc_H 100, Rec_U 0, "
        "Abstention 100)."
    )


def cost(total: Cost) -> str:
    """The cost in words; empty if no model was asked."""
    return in_words(total) if total.calls or total.tokens else ""


def checked(report: ArgumentsReport) -> str:
    """Whether the intervals hold the error of what extracts facts."""
    if not report.checks.cases:
        return "intervals leave out what the extractor gets wrong"
    return f"corrected by {plural(report.checks.cases // len(CASES), 'argument')} that people read"


def of_one(judged: Judged, score: Score | None) -> str:
    """The figures of one argument with its score, or why there are none."""
    if score is None:
        return unmeasured(judged)
    acc, rec = (f"{_whole(v)} %" for v in (score.acc_h, score.rec_u))
    if judged.argument.empty:
        return f"There is no argument. By the paper’s formulas that is an abstention: Acc_H {acc}, Rec_U {rec}."
    if score.should_abstain:
        return (
            f"It abstains, as it should. Acc_H {acc}." if score.abstained else f"It argues where it should abstain. Acc_H {acc}."
        )
    first = "It abstains, though there is an argument. " if score.abstained else ""
    wrong = f"{plural(score.hallucinated, 'fact is', 'facts are')} invented or of the wrong case, beside {score.size:,} true ones"
    return f"{first}{wrong} (Acc_H {acc}); {rec} of the true ones are used (Rec_U)."


def unmeasured(judged: Judged) -> str:
    """Why an argument has no figures."""
    if judged.argument.empty:
        return "There is no argument, and such arguments are left out."
    if judged.unread:
        return "The other model's extraction could not be read, so there is nothing to measure."
    return "The other model has not read this argument, so there is nothing to measure."


def factors_alt(factors: Sequence[FactorErrors]) -> str:
    """Alt text of the bars of factors."""
    parts = [f"{f.key}: {f.missed} missed, {f.invented} invented, {f.wrong_case} wrong case" for f in factors]
    return f"Errors by factor. {'; '.join(parts)}."


def levels_alt(rows: Sequence[ArguerRow], titles: Sequence[str], name: str, called: str) -> str:
    """Alt text of the lines by complexity."""

    def of(row: ArguerRow) -> str:
        return ", ".join(f"{k}: {percent(getattr(f, name), interval=False)}" for k, f in known(row).items())

    lines = "; ".join(f"{title} {of(r)}" for r, title in zip(rows, titles, strict=True) if known(r))
    return f"{called} by complexity in percent. {lines}."
