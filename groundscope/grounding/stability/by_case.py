"""How far the readings of each case differ under one method, the worst first."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from groundscope.grounding.runs.arrays import Bytes, Floats, Integers, RunData
from groundscope.grounding.stability.readings import CaseCopies, Kind
from groundscope.statistics.metrics import Array


class CaseStability(NamedTuple):
    """One case under one method and one kind of copies.

    Attributes:
        differing: share of the pairs of verdicts that differ; NaN with fewer than two.
        deviation: standard deviation of its supports; NaN with fewer than two.
        grounded_at: row of the first reading that calls it grounded; -1 = none.
        ungrounded_at: row of the first reading that calls it ungrounded; -1 = none.
    """

    readings: CaseCopies
    grounded: int
    ungrounded: int
    differing: float
    deviation: float
    grounded_at: int
    ungrounded_at: int


def worst_first(run: RunData, verdicts: Bytes, readings: Sequence[CaseCopies], method: int) -> list[CaseStability]:
    """Sort cases by how far a method's readings differ.

    Args:
        run: over copies.
        verdicts: (m, n) as those of `measured`.
        readings: of one kind.
        method: index of the method.

    Returns:
        The cases, those whose pairs of verdicts differ most often first, then by the deviation of their supports; cases with
        fewer than two readings last.
    """
    rows = square(readings)
    calls, differing = at(verdicts[method], rows, -1), differing_of(verdicts[method], readings)
    deviations = deviations_of(at(run.support[method], rows, np.nan))
    stabilities = []
    for i, case_readings in enumerate(readings):
        yes, no = int((calls[i] == 1).sum()), int((calls[i] == 0).sum())
        grounded_at, ungrounded_at = (next(iter(rows[i, calls[i] == verdict].tolist()), -1) for verdict in (1, 0))
        stabilities.append(
            CaseStability(case_readings, yes, no, float(differing[i]), float(deviations[i]), grounded_at, ungrounded_at)
        )
    return sorted(stabilities, key=lambda c: (-np.nan_to_num(c.differing, nan=-1.0), -np.nan_to_num(c.deviation, nan=-1.0)))


def case_frame(run: RunData, verdicts: Bytes, readings: Mapping[Kind, Sequence[CaseCopies]]) -> pd.DataFrame:
    """Make a table of the cases: one row a case, kind and method, the worst of each kind and method first.

    Args:
        run: over copies.
        verdicts: (m, n) as those of `measured`.
        readings: by kind, as `groundscope.grounding.stability.figures.Stability` has them.

    Returns:
        Columns `case`, `kind`, `method_id`, `method`, `grounded`, `ungrounded`, `differing`, `deviation`.
    """
    rows = []
    for kind, some in readings.items():
        for m, method in enumerate(run.methods):
            for case in worst_first(run, verdicts, some, m):
                figures = {name: getattr(case, name) for name in ("grounded", "ungrounded", "differing", "deviation")}
                rows.append({"case": case.readings.case, "kind": kind, "method_id": method.id, "method": method.title, **figures})
    return pd.DataFrame(rows)


def square(readings: Sequence[CaseCopies]) -> Integers:
    """(cases, most readings) rows; -1 where a case has fewer."""
    rows = np.full((len(readings), max((len(r.rows) for r in readings), default=0)), -1, dtype=np.int32)
    for i, case_readings in enumerate(readings):
        rows[i, : len(case_readings.rows)] = case_readings.rows
    return rows


def at(values: NDArray[Any], rows: Integers, none: float) -> Any:
    """The values at rows of `square`; `none` where there is no reading."""
    return np.where(rows >= 0, values[rows], none)


def differing_of(verdicts: Bytes, readings: Sequence[CaseCopies]) -> Floats:
    """(cases,) of the pairs of verdicts, the share that differs; NaN with fewer than two."""
    calls = at(verdicts, square(readings), -1)
    yes, no = (calls == 1).sum(axis=1), (calls == 0).sum(axis=1)
    pairs = (yes + no) * (yes + no - 1) / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: Floats = np.where(pairs > 0, yes * no / pairs, np.nan)
    return shares


def deviations_of(support: Array) -> Array:
    """(cases,) sample standard deviations of the supports that there are; NaN with fewer than two."""
    scored = ~np.isnan(support)
    number = scored.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(scored, support, 0.0).sum(axis=1) / number
        squares = np.where(scored, support - mean[:, None], 0.0) ** 2
        deviations: Array = np.where(number > 1, np.sqrt(squares.sum(axis=1) / (number - 1)), np.nan)
    return deviations
