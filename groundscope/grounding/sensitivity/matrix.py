"""A run over pairs -> how often each method notices each kind of edit, with 95 % intervals for pairs that share a query.

A method notices an edit where the variant's support is lower than the sentence's. Equal supports are ties, and a pair that the
method did not score both sides of counts in no share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from groundscope.cases.edits.variants import CONTROLS as CONTROL_OPERATORS
from groundscope.cases.edits.variants import OPERATORS
from groundscope.grounding.result_columns import interval, share
from groundscope.grounding.runs.arrays import Bytes, Integers, RunData
from groundscope.grounding.sensitivity.pairs import KNOWN, EditPair, pairs_of
from groundscope.statistics.bootstrap import Interval, by_group, limits, resampled_sums, resamples
from groundscope.statistics.metrics import Array
from groundscope.statistics.significance import clustered_wilson

EDITS, CONTROLS = "edits", "controls"
"""The lines over all operators that make an error, and over all that make none."""
RESAMPLES = 2_000
EVEN = 1e-6
"""Supports that differ by no more are ties: in fp32 those of equal texts differ by 6e-8, by how many are read at once."""


class BoundedShare(NamedTuple):
    """A share or a mean with its 95 % interval; all NaN where there is none."""

    value: float
    interval: Interval

    def columns(self, name: str) -> dict[str, float]:
        """Give the value and both ends of the interval as columns of a table."""
        return {name: self.value, f"{name}_low": self.interval.low, f"{name}_high": self.interval.high}

    @property
    def printed(self) -> tuple[str, str]:
        """The value and its interval, for people."""
        return share(self.value), interval(self.interval)


@dataclass(frozen=True, slots=True)
class OperatorCell:
    """How a method takes the edits of one operator.

    Attributes:
        noticed: share of the pairs whose variant scores lower, 0 to 1.
        ties: share of the pairs with equal supports.
        flagged: share of the variants that the rule calls ungrounded; NaN without a rule.
        false_alarms: share of their sentences that it calls ungrounded.
    """

    pairs: int
    unscored: int
    noticed: BoundedShare
    ties: float
    drop: BoundedShare
    flagged: BoundedShare
    false_alarms: BoundedShare


@dataclass(frozen=True, slots=True)
class Matrix:
    """Operators by methods: `EDITS` and its operators by name, then `CONTROLS` and its own, of which the run has pairs.

    `apart` is by method the share of legal edits that it notices less that of changes of form; empty without both.
    """

    lines: tuple[str, ...]
    methods: tuple[str, ...]
    pairs: Mapping[str, tuple[EditPair, ...]]
    cells: Mapping[tuple[str, str], OperatorCell]
    apart: Mapping[str, BoundedShare]


def measured(run: RunData, verdicts: Bytes, rows: Integers | None = None) -> Matrix | None:
    """Measure every operator under every method; None where there are no pairs, as `pairs.make` makes them.

    `verdicts` are (m, n): 1 called grounded, 0 called ungrounded, -1 no verdict. `rows`: only pairs with both sides among these.
    """
    selected = set(range(len(run.ids)) if rows is None else map(int, rows))
    pairs = _by_line([p for p in pairs_of(map(str, run.ids)) if {p.sentence, p.variant} <= selected])
    if not pairs:
        return None
    cells = {}
    for name, some in pairs.items():
        places = np.array([(p.sentence, p.variant) for p in some])
        groups = run.groups[places[:, 0]]
        draws = resamples(groups, RESAMPLES)
        for m, method in enumerate(run.methods):
            cells[name, method.id] = _cell(run.support[m][places], verdicts[m][places], groups, draws)
    return Matrix(tuple(pairs), tuple(m.id for m in run.methods), pairs, cells, _apart(run, pairs))


def _apart(run: RunData, pairs: Mapping[str, Sequence[EditPair]]) -> dict[str, BoundedShare]:
    if not {EDITS, CONTROLS} <= set(pairs):
        return {}
    both = [*pairs[EDITS], *pairs[CONTROLS]]
    groups = run.groups[[p.sentence for p in both]]
    draws = resamples(groups, RESAMPLES)
    edit = np.arange(len(both)) < len(pairs[EDITS])
    differences = {}
    for m, method in enumerate(run.methods):
        drop = noticed(run, m, both)
        scored, lower = ~np.isnan(drop), drop > EVEN
        columns = np.stack([scored & edit, lower & edit, scored & ~edit, lower & ~edit], axis=1)
        drawn = np.vstack([columns.sum(0), resampled_sums(draws, by_group(columns, groups))])
        with np.errstate(invalid="ignore", divide="ignore"):
            apart = drawn[:, 1] / drawn[:, 0] - drawn[:, 3] / drawn[:, 2]
        differences[method.id] = BoundedShare(float(apart[0]), Interval.of(limits(apart[1:], draws.shape[1])))
    return differences


def _by_line(pairs: Sequence[EditPair]) -> dict[str, tuple[EditPair, ...]]:
    lines = {}
    for total, operators in ((EDITS, OPERATORS), (CONTROLS, CONTROL_OPERATORS)):
        names = [o.name for o in operators]
        lines[total] = tuple(p for p in pairs if p.operator in names)
        lines |= {name: tuple(p for p in pairs if p.operator == name) for name in names}
    return {name: some for name, some in lines.items() if some}


def noticed(run: RunData, method: int, pairs: Sequence[EditPair]) -> Array:
    """How far each pair's support falls, (pairs,): the sentence's less the variant's, -1 to 1; NaN where one was not scored."""
    rows = np.array([(p.sentence, p.variant) for p in pairs], dtype=np.int64).reshape(-1, 2)
    before, after = run.support[method][rows].T
    return np.asarray(before - after)


def _cell(support: Array, verdict: Bytes, groups: np.ndarray, draws: np.ndarray) -> OperatorCell:
    """Of (k, 2) supports and verdicts, the sentence first."""
    drop = support[:, 0] - support[:, 1]
    scored = ~np.isnan(drop)
    drop = np.where(scored, drop, 0.0)
    lower, even = scored & (drop > EVEN), scored & (np.abs(drop) <= EVEN)
    decided, flagged = (verdict >= 0).T, (verdict == 0).T
    columns = np.stack([scored, lower, drop, even, decided[1], flagged[1], decided[0], flagged[0]], axis=1).astype(float)
    sums, whole = by_group(columns, groups), columns.sum(0)

    def share(part: int, of: int) -> BoundedShare:
        return BoundedShare(_ratio(whole[part], whole[of]), clustered_wilson(sums[:, part], sums[:, of]))

    drawn = resampled_sums(draws, sums[:, [2, 0]])
    with np.errstate(invalid="ignore", divide="ignore"):
        drops = Interval.of(limits(drawn[:, 0] / drawn[:, 1], draws.shape[1]))

    return OperatorCell(
        pairs=int(scored.sum()),
        unscored=int((~scored).sum()),
        noticed=share(1, 0),
        ties=_ratio(whole[3], whole[0]),
        drop=BoundedShare(_ratio(whole[2], whole[0]), drops),
        flagged=share(5, 4),
        false_alarms=share(7, 6),
    )


def _ratio(part: float, of: float) -> float:
    return float(part / of) if of else float("nan")


def frame(run: RunData, matrix: Matrix) -> pd.DataFrame:
    """Make a table of a matrix: one row a line and method, shares from 0 to 1 with the ends of their intervals, NaN = none."""
    titles = {m.id: m.title for m in run.methods}
    rows = []
    for (line, method), cell in matrix.cells.items():
        row = {
            "edit": line, "title": title(line), "makes_error": makes_error(line), "method_id": method, "method": titles[method],
            "pairs": cell.pairs, "unscored": cell.unscored, "ties": cell.ties,
        }  # fmt: skip
        for name in ("noticed", "drop", "flagged", "false_alarms"):
            row |= getattr(cell, name).columns(name)
        rows.append(row)
    return pd.DataFrame(rows)


def printed(run: RunData, matrix: Matrix) -> list[list[str]]:
    """Write the figures for people, below a row of heads."""
    titles = {m.id: m.title for m in run.methods}
    rows = [["Edit", "Method", "Pairs", "Noticed", "95 %", "Equal", "Mean drop", "Flagged", "Sound flagged"]]
    for (line, method), cell in matrix.cells.items():
        shares = (cell.ties, cell.drop.value, cell.flagged.value, cell.false_alarms.value)
        rows.append([title(line), titles[method], f"{cell.pairs:,}", *cell.noticed.printed, *map(share, shares)])
    return rows


def title(line: str) -> str:
    """What people call a line of a matrix."""
    return {EDITS: "All legal edits", CONTROLS: "All changes of form"}.get(line) or KNOWN[line].title


def makes_error(line: str) -> bool:
    """Whether the edits of a line make an error; a judge should not notice the others."""
    return line == EDITS or (line != CONTROLS and KNOWN[line].type is not None)
