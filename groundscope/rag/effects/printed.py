"""Tables 3 and 4 of Butler and Butler 2026, all outcomes side by side, as text; and every test as a row of numbers."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pandas as pd

from groundscope.rag.contrasts import NamedContrast
from groundscope.rag.effects.axes import Axis
from groundscope.rag.effects.fit import CannotTell, Effect, Joint
from groundscope.rag.outcomes import AnswerOutcome, Share, errors_in
from groundscope.rag.report import ASKED, COMPARED, MARKS, OUTCOMES, RagReport, p_words, signed, stars
from groundscope.text.humanize import plural

UNKNOWN = "not known"
"""A cell without a figure; `frame` has the reason."""


def estimate_words(found: Effect | CannotTell) -> str:
    """Write a difference as the paper's table 4 does.

    Args:
        found: the difference, or why there is none.

    Returns:
        Percentage points, the standard error in brackets and the mark of p, such as `-10.0 (4.8)*`; `UNKNOWN` without a figure.
    """
    if isinstance(found, CannotTell):
        return UNKNOWN
    return f"{signed(100 * found.value)} ({100 * found.error:.1f}){stars(found.p)}"


def interval_words(found: Effect | CannotTell) -> tuple[str, str]:
    """Write a difference for a table that has its interval below or beside it.

    Args:
        found: the difference, or why there is none.

    Returns:
        Percentage points with the mark of p, such as `-10.0*`, and the 95 % interval, such as `-19.4 to -0.6`; `UNKNOWN` and
        nothing without a figure.
    """
    if isinstance(found, CannotTell):
        return UNKNOWN, ""
    low, high = (signed(100 * end) for end in (found.interval.low, found.interval.high))
    return f"{signed(100 * found.value)}{stars(found.p)}", f"{low} to {high}"


def joint_cell(found: Joint | CannotTell) -> str:
    """Write a joint test for a table.

    Args:
        found: the test, or why there is none.

    Returns:
        Chi-square, degrees of freedom in brackets, p and its mark, such as `8.35 (2), p = 0.015*`; `UNKNOWN` without a figure.
    """
    if isinstance(found, CannotTell):
        return UNKNOWN
    return f"{found.chi_square:.2f} ({found.degrees}), {p_words(found.p)}{stars(found.p)}"


def comparison_words(one: NamedContrast) -> str:
    """Name a comparison.

    Args:
        one: what is compared.

    Returns:
        Such as `GPT-5.2 against Gemini 3.1 Pro, with Kanon 2 Embedder`.
    """
    return f"{one.what} against {one.against}{f', with {one.within}' if one.within else ''}"


def joint_lines(found: RagReport) -> list[tuple[str, tuple[str, ...]]]:
    """Lay out table 3.

    Args:
        found: the analysis.

    Returns:
        A line a question, in the order of `ASKED`: the question, and a cell an outcome in the order of `OUTCOMES`.
    """
    return [(question, tuple(joint_cell(getattr(found.tests[o], name)) for o in OUTCOMES)) for question, name in ASKED]


def effect_lines(found: RagReport) -> dict[str, list[tuple[NamedContrast, tuple[str, ...]]]]:
    """Lay out table 4: simple effects and contrasts of interaction, and the main effects with them.

    Args:
        found: the analysis.

    Returns:
        By title, in the order of `COMPARED`: a line a comparison, which names it, with a cell an outcome in the order of
        `OUTCOMES`. A title without a comparison is left out.
    """
    sides = {title: [getattr(found.tests[o], name) for o in OUTCOMES] for title, name in COMPARED}
    return {
        title: [(line[0], tuple(estimate_words(one.found) for one in line)) for line in zip(*several, strict=True)]
        for title, several in sides.items()
        if several[0]
    }


AXES_NOTE = (
    "This table compares combinations that differ in one setting of retrieval alone. Below the shares of a value stand the "
    "differences to the first value in percentage points, within questions, with 95 % intervals clustered by question. "
    f"{MARKS}."
)
"""What the table of axes shows."""


class AxisGroup(NamedTuple):
    """What a table shows of an axis.

    Attributes:
        lines: what a line says, and a cell a column: of each value its shares, then its differences to the first value.
    """

    caption: str
    lines: list[tuple[str, list[Share | Effect | CannotTell]]]


class AxisTable(NamedTuple):
    """The table of axes.

    Attributes:
        errors: the errors that have a column, after those of correct, grounded, retrieved and RAG accuracy.
    """

    errors: tuple[AnswerOutcome, ...]
    groups: list[AxisGroup]


def axis_table(found: Sequence[Axis]) -> AxisTable:
    """Lay out the table of axes.

    Args:
        found: `RagReport.axes`.

    Returns:
        Groups in the order given, with no line where no combinations match.
    """
    errors = errors_in([v.row for axis in found for v in axis.values])
    return AxisTable(errors, [AxisGroup(_axis_caption(axis), list(_axis_lines(axis, errors))) for axis in found])


def _axis_caption(axis: Axis) -> str:
    lacking = f"{plural(axis.left_out, 'combination lacks', 'combinations lack')} a partner" if axis.left_out else ""
    matched = f"{plural(axis.matched, 'combination')} with each value" if axis.matched else "no combinations differ in it alone"
    return f"{axis.title}: {'; '.join(filter(None, (matched, lacking)))}"


def _axis_lines(axis: Axis, errors: Sequence[AnswerOutcome]) -> Iterator[tuple[str, list[Share | Effect | CannotTell]]]:
    figures = ("correct", "grounded", "retrieval", "rag_accuracy", *(e.value for e in errors))
    for v in axis.values:
        yield v.value, [v.row.correct, v.row.grounded, v.row.hit, v.row.accuracy, *(v.row.errors[e] for e in errors)]
        if v.differences:
            yield f"against {axis.values[0].value}", [v.differences[figure] for figure in figures]


def frame(found: RagReport) -> pd.DataFrame:
    """Write every test and comparison as data.

    Args:
        found: the analysis.

    Returns:
        A row a test or comparison and outcome, last the differences along axes, whose test is `axis`. `points`, `standard_error`,
        `low` and `high` are percentage points; the degrees of freedom are of joint tests alone; NaN where there is no figure, and
        then `cannot_tell` says why.
    """
    rows = [row for name in OUTCOMES for row in _rows(found, name)]
    return pd.DataFrame([*rows, *_axis_rows(found)], columns=list(_COLUMNS))


_COLUMNS = (
    "outcome", "test", "what", "against", "within", "points", "standard_error", "low", "high", "z", "chi_square", "degrees", "p",
    "mark", "printed", "cannot_tell", "baseline_embedder", "baseline_llm", "judge",
)  # fmt: skip


def _rows(found: RagReport, outcome: str) -> Iterator[dict[str, Any]]:
    tests, base = found.tests[outcome], _base(found, outcome)
    for _, name in ASKED:
        yield base | {"test": name} | _joint_row(getattr(tests, name))
    for _, name in COMPARED:
        for one in getattr(tests, name):
            names = {"test": name, "what": one.what, "against": one.against, "within": one.within}
            yield base | names | _effect_row(one.found)


def _axis_rows(found: RagReport) -> Iterator[dict[str, Any]]:
    for axis in found.axes:
        for value in axis.values[1:]:
            names = {"test": "axis", "what": value.value, "against": axis.values[0].value}
            for figure, one in value.differences.items():
                yield _base(found, figure) | names | _effect_row(one)


def _base(found: RagReport, outcome: str) -> dict[str, Any]:
    return {
        "outcome": outcome,
        "baseline_embedder": found.baseline_embedder,
        "baseline_llm": found.baseline_model,
        "judge": "; ".join(found.judges),
    }


def _joint_row(found: Joint | CannotTell) -> dict[str, Any]:
    if isinstance(found, CannotTell):
        return {"cannot_tell": found.why}
    figures = {"chi_square": found.chi_square, "degrees": found.degrees, "p": found.p}
    return figures | {"mark": stars(found.p), "printed": joint_cell(found)}


def _effect_row(found: Effect | CannotTell) -> dict[str, Any]:
    if isinstance(found, CannotTell):
        return {"cannot_tell": found.why}
    points = {"points": found.value, "standard_error": found.error, "low": found.interval.low, "high": found.interval.high}
    figures = {name: 100 * value for name, value in points.items()} | {"z": found.z, "p": found.p}
    return figures | {"mark": stars(found.p), "printed": estimate_words(found)}
