"""Data of the matrix of edits and methods for its script, and the sentence above it. Pure: no streamlit."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from components.errors.cells import interval, percent, titles
from components.runs import copy_cells
from components.runs.copy_cells import MatrixLine, Picked, signed
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.sensitivity.matrix import CONTROLS, EDITS, Matrix, OperatorCell, makes_error, title
from groundscope.grounding.tuning import Rule
from groundscope.statistics.bootstrap import Interval
from groundscope.text.humanize import plural

Measure = Literal["noticed", "drop", "flagged"]
MEASURES: dict[Measure, str] = {"noticed": "Noticed", "drop": "Mean drop", "flagged": "Flagged at the threshold"}
NOTES: dict[Measure, str] = {
    "noticed": "Share of the pairs whose variant has a lower support than its sentence; with equal supports it counts as not "
    "noticed. A judge that looks at what is said notices edits and passes over changes of form.",
    "drop": "The sentence’s support less the variant’s, on average. 0 = the edit changes nothing.",
    "flagged": "Share of the variants that the threshold calls ungrounded, and under it the share of their sound sentences that "
    "it calls so, too: an edit is caught only as far as the first is larger.",
}


def content(run: RunData, rules: Mapping[str, Rule], found: Matrix, measure: Measure, picked: Picked | None) -> dict[str, Any]:
    """One line an edit, one column a method."""
    lines = (MatrixLine(x, title(x), plural(len(found.pairs[x]), "pair"), x in (EDITS, CONTROLS)) for x in found.lines)
    return copy_cells.content(run, rules, lines, lambda line, m: _cell(found.cells[line, m], line, measure), picked)


def _cell(cell: OperatorCell, line: str, measure: Measure) -> dict[str, Any]:
    share = getattr(cell, measure)
    missing = f"{cell.unscored:,} not scored" if cell.unscored else ""
    if measure == "noticed":
        below = f"{cell.ties:.0%} equal" if cell.ties > 0 else ""
    elif measure == "flagged":
        below = f"{percent(cell.false_alarms.value)} of sound"
    else:
        below = ""
    words = f"{share.value:+.3f}" if measure == "drop" else percent(share.value)
    return {
        "tone": "alarm" if makes_error(line) else "",
        "rate": "–" if np.isnan(share.value) else words,
        "share": 0.0 if np.isnan(share.value) else round(min(1.0, max(0.0, share.value)), 3),
        "interval": signed(share.interval) if measure == "drop" else interval(*_ends(share.interval)),
        "count": below,
        "none": missing,
        "cases": cell.pairs,
    }


def _ends(found: Interval) -> tuple[float, float]:
    return found.low, found.high


def lead(run: RunData, found: Matrix) -> str:
    """Which method distinguishes edits from changes of form best, if that is shown; empty where the run lacks one of the two."""
    known = {m: share for m, share in found.apart.items() if not np.isnan(share.value)}
    if not known:
        return ""
    best = max(known, key=lambda m: known[m].value)
    low, high = _ends(known[best].interval)
    if not low > 0:
        return "No method is shown to lower its support for legal edits more often than for changes of form."
    edits, controls = (found.cells[line, best].noticed.value for line in (EDITS, CONTROLS))
    return (
        f"{titles(run)[best]} distinguishes legal edits from changes of form best here: it lowers its support for {edits:.0%} of "
        f"{len(found.pairs[EDITS]):,} edits and for {controls:.0%} of {len(found.pairs[CONTROLS]):,} changes that make no error, "
        f"a difference of {100 * low:.0f} to {100 * high:.0f} points."
    )
