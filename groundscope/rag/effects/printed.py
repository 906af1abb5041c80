"""Tables 3 and 4 of Butler and Butler 2026, all outcomes side by side, as text; and every test as a row of numbers."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from groundscope.rag.contrasts import NamedContrast
from groundscope.rag.effects.fit import CannotTell, Effect, Joint
from groundscope.rag.report import ASKED, COMPARED, OUTCOMES, RagReport, p_words, signed, stars

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


def frame(found: RagReport) -> pd.DataFrame:
    """Write every test and comparison as data.

    Args:
        found: the analysis.

    Returns:
        A row a test or comparison and outcome. `points`, `standard_error`, `low` and `high` are percentage points; the degrees of
        freedom are of joint tests alone; NaN where there is no figure, and then `cannot_tell` says why.
    """
    return pd.DataFrame([row for name in OUTCOMES for row in _rows(found, name)], columns=list(_COLUMNS))


_COLUMNS = (
    "outcome", "test", "what", "against", "within", "points", "standard_error", "low", "high", "z", "chi_square", "degrees", "p",
    "mark", "printed", "cannot_tell", "baseline_embedder", "baseline_llm", "judge",
)  # fmt: skip


def _rows(found: RagReport, outcome: str) -> Iterator[dict[str, Any]]:
    tests = found.tests[outcome]
    base = {
        "outcome": outcome,
        "baseline_embedder": found.baseline_embedder,
        "baseline_llm": found.baseline_model,
        "judge": "; ".join(found.judges),
    }
    for _, name in ASKED:
        yield base | {"test": name} | _joint_row(getattr(tests, name))
    for _, name in COMPARED:
        for one in getattr(tests, name):
            names = {"test": name, "what": one.what, "against": one.against, "within": one.within}
            yield base | names | _effect_row(one.found)


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
