"""Data of the matrix of readings and methods for its script, and the sentence above it. Pure: no streamlit."""

from collections.abc import Mapping
from typing import Any, Literal, cast

import numpy as np

from components.errors.cells import interval, percent, titles
from components.runs import copy_cells
from components.runs.copy_cells import MatrixLine, Picked, signed
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.stability.figures import Stability, StabilityCell
from groundscope.grounding.stability.readings import KINDS, Kind
from groundscope.grounding.tuning import Rule
from groundscope.text.humanize import plural

Measure = Literal["flipped", "differing", "added", "alpha", "deviation", "sentence_flips"]
MEASURES: dict[Measure, str] = {
    "flipped": "Answers that flip",
    "differing": "Pairs that differ",
    "added": "Beyond asking again",
    "alpha": "Agreement",
    "deviation": "Deviation",
    "sentence_flips": "Sentences that flip",
}
NOTES: dict[Measure, str] = {
    "flipped": "Share of the answers whose verdicts at the threshold are not all the same. It grows with the number of readings.",
    "differing": "Of two readings of one answer, how often their verdicts differ, on average. It does not depend on the number "
    "of readings.",
    "added": "That share less the share among plain repeats of the same answers: what the order or the words add to chance.",
    "alpha": "Krippendorff’s alpha of the verdicts: 1 = they never change, 0 = they change as by chance. None where all verdicts "
    "of all answers are equal.",
    "deviation": "Standard deviation of the supports of one answer, on average.",
    "sentence_flips": "Share of the sentences whose verdicts at the threshold are not all the same, wherever it stands.",
}
_SIGNED = ("added", "alpha", "deviation")


def content(run: RunData, rules: Mapping[str, Rule], found: Stability, measure: Measure, picked: Picked | None) -> dict[str, Any]:
    """One line a kind of readings, one column a method."""
    lines = (MatrixLine(kind, KINDS[kind], plural(len(found.readings[kind]), "answer")) for kind in found.kinds)
    return copy_cells.content(run, rules, lines, lambda kind, m: _cell(found.cells[cast(Kind, kind), m], measure), picked)


def _cell(cell: StabilityCell, measure: Measure) -> dict[str, Any]:
    share = getattr(cell, measure)
    none, sign = np.isnan(share.value), "+" if measure == "added" else ""
    counted = plural(cell.sentences, "sentence") if measure == "sentence_flips" else plural(cell.cases, "answer")
    return {
        "tone": "" if measure == "alpha" else "alarm",
        "rate": "–" if none else f"{share.value:{sign}.3f}" if measure in _SIGNED else percent(share.value),
        "share": 0.0 if none else round(min(1.0, max(0.0, share.value)), 3),
        "interval": signed(share.interval) if measure in _SIGNED else interval(share.interval.low, share.interval.high),
        "count": f"{counted}, {plural(cell.readings, 'reading')}",
        "none": _without(cell),
        "cases": cell.readings,
    }


def _without(cell: StabilityCell) -> str:
    """How many readings have no verdict, and why."""
    parts = ((cell.invalid, "not readable"), (cell.failed, "failed"), (cell.other, "without a verdict"))
    return ", ".join(f"{count:,} {words}" for count, words in parts if count)


def lead(run: RunData, found: Stability) -> str:
    """Which method changes its verdicts most when it is asked the same again; empty where the run lacks that."""
    known = {m: cell for m in found.methods if (cell := found.cells.get(("repeats", m))) and cell.cases}
    if not known:
        return ""
    worst = max(known, key=lambda m: known[m].flipped.value)
    cell, name = known[worst], titles(run)[worst]
    if not cell.flipped.value:
        return f"Asked the same again, no method changed its verdict on any of {plural(cell.cases, 'answer')}."
    most = max(len(r.rows) for r in found.readings["repeats"])
    words = f"{name} changed its verdict on {cell.flipped.value:.0%} of {plural(cell.cases, 'answer')}"
    return f"Asked the same {most} times, {words}" + (", more than any other method here." if len(known) > 1 else ".")
