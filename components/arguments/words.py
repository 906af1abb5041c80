"""What the Arguments page says of its figures, in sentences. No streamlit."""

from collections.abc import Sequence

from evaluation.arguments.judged import FactorErrors, Figures
from evaluation.arguments.report import Report, Row, percent
from evaluation.arguments.scoring import Score
from evaluation.arguments.types import Test
from evaluation.arguments.writing import Cost
from evaluation.words import money


def headline(made: Report) -> str:
    """What somebody takes home: who invents most, who leaves most out, who argues where nothing can be argued."""
    said = [
        _worst(made, "acc_h", (Test.ARGUABLE, Test.REORDERED), "Invents or mixes up most", "Acc_H"),
        _worst(made, "rec_u", (Test.ARGUABLE, Test.REORDERED), "Leaves most out", "Rec_U"),
        _worst(made, "abstained", (Test.NON_ARGUABLE,), "Argues most where nothing can be argued", "abstention"),
    ]
    found = [s for s in said if s]
    if len(made.rows) == 1:
        return _alone(made.rows[0])
    return " ".join(found) if found else "No model invents a factor, leaves one out, or argues where nothing can be argued."


def _worst(made: Report, name: str, tests: Sequence[Test], does: str, called: str) -> str:
    known = [(value, r) for r in made.rows if (value := _mean(r, name, tests)) is not None]
    if not known:
        return ""
    value, row = min(known, key=lambda k: k[0])
    if value >= 1:
        return ""
    shown = f"{100 * value:.0f} %".replace("-", "−")
    return f"{does}: {row.arguer} ({called} {shown})."


def _mean(row: Row, name: str, tests: Sequence[Test]) -> float | None:
    found = [getattr(row.tests[t], name) for t in tests if t in row.tests]
    count = sum(m.of for m in found)
    return sum(m.value * m.of for m in found if m.of) / count if count else None


def _alone(row: Row) -> str:
    parts = []
    for name, tests, words in (
        ("acc_h", (Test.ARGUABLE, Test.REORDERED), "of what it could have said wrong, {} % was not (Acc_H)"),
        ("rec_u", (Test.ARGUABLE, Test.REORDERED), "it uses {} % of the factors (Rec_U)"),
        ("abstained", (Test.NON_ARGUABLE,), "it abstains from {} % of the triples without an argument"),
    ):
        if (value := _mean(row, name, tests)) is not None:
            parts.append(words.format(f"{100 * value:.0f}".replace("-", "−")))
    return f"{row.arguer}: {'; '.join(parts)}." if parts else f"{row.arguer} has written no argument that can be measured."


def counted(number: int, what: str) -> str:
    """So many of something: `1 triple`, `2 triples`."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def cost(found: Cost) -> str:
    """What it took, in words; empty where nobody was asked."""
    if not found.calls and not found.tokens:
        return ""
    dollars = "price not known" if found.dollars is None else money(found.dollars)
    return f"{found.calls:,} calls, {found.tokens:,} tokens, {dollars}"


def of_one(made: Score | None) -> str:
    """The figures of one argument."""
    if made is None:
        return "It says nothing, so there is nothing to measure."
    acc, rec = (f"{100 * v:.0f} %".replace("-", "−") for v in (made.acc_h, made.rec_u))
    if made.should_abstain:
        return (
            f"It abstains, as it should. Acc_H {acc}." if made.abstained else f"It argues where it should abstain. Acc_H {acc}."
        )
    first = "It abstains, though there is an argument. " if made.abstained else ""
    return f"{first}Acc_H {acc} ({made.hallucinated:,} of {made.size:,} wrong), Rec_U {rec}."


def scatter_alt(rows: Sequence[Row]) -> str:
    """The scatter for those who do not see it."""
    parts = [
        f"{r.arguer}, {test.value}: Acc_H {percent(f.acc_h, interval=False)}, Rec_U {percent(f.rec_u, interval=False)}"
        for r in rows
        for test, f in r.tests.items()
        if test is not Test.NON_ARGUABLE
    ]
    return f"Acc_H against Rec_U in percent. {'; '.join(parts)}."


def factors_alt(found: Sequence[FactorErrors]) -> str:
    """The bars of factors for those who do not see them."""
    parts = [f"{f.key}: {f.missed} missed, {f.invented} invented, {f.wrong_case} wrong case" for f in found]
    return f"Errors by factor. {'; '.join(parts)}."


def levels_alt(rows: Sequence[Row], name: str, called: str) -> str:
    """The lines by complexity for those who do not see them."""

    def of(levels: dict[int, Figures]) -> str:
        return ", ".join(f"{k}: {percent(getattr(f, name), interval=False)}" for k, f in levels.items())

    return f"{called} by complexity in percent. {'; '.join(f'{r.arguer} {of(r.complexities)}' for r in rows)}."


def abstention_alt(rows: Sequence[Row], titles: Sequence[str]) -> str:
    """Abstention by wording for those who do not see it."""
    parts = [
        f"{title} {percent(r.tests[Test.NON_ARGUABLE].abstained)}"
        for r, title in zip(rows, titles, strict=True)
        if Test.NON_ARGUABLE in r.tests
    ]
    return f"Abstention from non-arguable triples in percent, with intervals. {'; '.join(parts)}."
