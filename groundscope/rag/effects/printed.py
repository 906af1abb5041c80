"""Joint tests and differences of Butler and Butler 2026, all outcomes side by side, as text; every test as a row of numbers."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from groundscope.rag.contrasts import NamedContrast
from groundscope.rag.effects.axes import Axis
from groundscope.rag.effects.fit import CannotTell, Effect, Joint
from groundscope.rag.outcomes import AnswerOutcome, Share, errors_in
from groundscope.rag.report import ASKED, COMPARED, MARKS, OUTCOMES, RagReport, p_words, signed, stars
from groundscope.text.humanize import plural

UNKNOWN = "not known"
"""A cell without a figure; `frame` has the reason."""


def estimate_words(effect: Effect | CannotTell) -> str:
    """Write a difference as the paper's table 4 does: points, the standard error and the mark of p, such as `-10.0 (4.8)*`."""
    if isinstance(effect, CannotTell):
        return UNKNOWN
    return f"{signed(100 * effect.value)} ({100 * effect.error:.1f}){stars(effect.p)}"


def interval_words(effect: Effect | CannotTell) -> tuple[str, str]:
    """Write percentage points with the mark of p, such as `-10.0*`, and apart the 95 % interval, such as `-19.4 to -0.6`."""
    if isinstance(effect, CannotTell):
        return UNKNOWN, ""
    low, high = (signed(100 * end) for end in (effect.interval.low, effect.interval.high))
    return f"{signed(100 * effect.value)}{stars(effect.p)}", f"{low} to {high}"


def joint_cell(test: Joint | CannotTell) -> str:
    """Write chi-square, degrees of freedom in brackets, p and its mark, such as `8.35 (2), p = 0.015*`."""
    if isinstance(test, CannotTell):
        return UNKNOWN
    return f"{test.chi_square:.2f} ({test.degrees}), {p_words(test.p)}{stars(test.p)}"


def comparison_words(contrast: NamedContrast) -> str:
    """Name a comparison, as in `GPT-5.2 against Gemini 3.1 Pro, with Kanon 2 Embedder`."""
    return f"{contrast.what} against {contrast.against}{f', with {contrast.within}' if contrast.within else ''}"


def joint_lines(report: RagReport) -> list[tuple[str, tuple[str, ...]]]:
    """Lay out the joint tests: a question of `ASKED` a line, with a cell an outcome in the order of `OUTCOMES`."""
    return [(question, tuple(joint_cell(getattr(report.tests[o], name)) for o in OUTCOMES)) for question, name in ASKED]


def effect_lines(report: RagReport) -> dict[str, list[tuple[NamedContrast, ...]]]:
    """Lay out the paper's table 4 by the titles of `COMPARED` with a comparison: one a line, once an outcome."""
    sides = {title: [getattr(report.tests[o], name) for o in OUTCOMES] for title, name in COMPARED}
    return {title: list(zip(*several, strict=True)) for title, several in sides.items() if several[0]}


AXES_NOTE = (
    "This table compares combinations that differ in one setting of retrieval alone. Below the shares of a value stand the "
    "differences to the first value in percentage points, within questions, with 95 % intervals clustered by question. "
    f"{MARKS}."
)
"""What the table of axes shows."""


AxisLine = tuple[str, list[Share | Effect | CannotTell]]
"""What a line of the table of axes says, and a cell a column: the shares of a value, or its differences to the first value."""


def axis_table(axes: Sequence[Axis]) -> tuple[tuple[AnswerOutcome, ...], list[tuple[str, list[AxisLine]]]]:
    """Lay out the table of axes: a caption and lines each, none where no combinations match.

    The errors come first that have a column, after those of correct, grounded, retrieved and RAG accuracy.
    """
    errors = errors_in([v.row for axis in axes for v in axis.values])
    return errors, [(_axis_caption(axis), list(_axis_lines(axis, errors))) for axis in axes]


def _axis_caption(axis: Axis) -> str:
    lacking = f"{plural(axis.left_out, 'combination lacks', 'combinations lack')} a partner" if axis.left_out else ""
    matched = f"{plural(axis.matched, 'combination')} with each value" if axis.matched else "no combinations differ in it alone"
    return f"{axis.title}: {'; '.join(filter(None, (matched, lacking)))}"


def _axis_lines(axis: Axis, errors: Sequence[AnswerOutcome]) -> Iterator[AxisLine]:
    figures = ("correct", "grounded", "retrieval", "rag_accuracy", *(e.value for e in errors))
    for v in axis.values:
        yield v.value, [v.row.correct, v.row.grounded, v.row.hit, v.row.accuracy, *(v.row.errors[e] for e in errors)]
        if v.differences:
            yield f"against {axis.values[0].value}", [v.differences[figure] for figure in figures]


def frame(report: RagReport) -> pd.DataFrame:
    """Write a row a test or comparison and outcome, last the differences along axes, whose test is `axis`.

    `points`, `standard_error`, `low` and `high` are percentage points; the degrees of freedom are of joint tests alone; NaN where
    there is no figure, and then `cannot_tell` says why.
    """
    rows = [row for name in OUTCOMES for row in _rows(report, name)]
    return pd.DataFrame([*rows, *_axis_rows(report)], columns=list(_COLUMNS))


_COLUMNS = (
    "outcome", "test", "what", "against", "within", "points", "standard_error", "low", "high", "z", "chi_square", "degrees", "p",
    "mark", "printed", "cannot_tell", "baseline_embedder", "baseline_llm", "judge",
)  # fmt: skip


def _rows(report: RagReport, outcome: str) -> Iterator[dict[str, Any]]:
    tests, base = report.tests[outcome], _base(report, outcome)
    for _, name in ASKED:
        yield base | {"test": name} | _joint_row(getattr(tests, name))
    for _, name in COMPARED:
        for contrast in getattr(tests, name):
            names = {"test": name, "what": contrast.what, "against": contrast.against, "within": contrast.within}
            yield base | names | _effect_row(contrast.found)


def _axis_rows(report: RagReport) -> Iterator[dict[str, Any]]:
    for axis in report.axes:
        for value in axis.values[1:]:
            names = {"test": "axis", "what": value.value, "against": axis.values[0].value}
            for figure, effect in value.differences.items():
                yield _base(report, figure) | names | _effect_row(effect)


def _base(report: RagReport, outcome: str) -> dict[str, Any]:
    return {
        "outcome": outcome,
        "baseline_embedder": report.baseline_embedder,
        "baseline_llm": report.baseline_model,
        "judge": "; ".join(report.judges),
    }


def _joint_row(test: Joint | CannotTell) -> dict[str, Any]:
    if isinstance(test, CannotTell):
        return {"cannot_tell": test.why}
    figures = {"chi_square": test.chi_square, "degrees": test.degrees, "p": test.p}
    return figures | {"mark": stars(test.p), "printed": joint_cell(test)}


def _effect_row(effect: Effect | CannotTell) -> dict[str, Any]:
    if isinstance(effect, CannotTell):
        return {"cannot_tell": effect.why}
    points = {"points": effect.value, "standard_error": effect.error, "low": effect.interval.low, "high": effect.interval.high}
    figures = {name: 100 * value for name, value in points.items()} | {"z": effect.z, "p": effect.p}
    return figures | {"mark": stars(effect.p), "printed": estimate_words(effect)}
