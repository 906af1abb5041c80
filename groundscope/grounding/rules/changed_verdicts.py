"""What moving a threshold changes: the verdicts that flip, and the false alarms that one more caught error costs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.grounding.rules.generalization import cost
from groundscope.grounding.runs.arrays import Bools, Bytes, RunData
from groundscope.grounding.tuning import Objective, Tuned, supports
from groundscope.statistics.curves import Curve
from groundscope.statistics.metrics import Confusion, called, confusion, scores

Rows = NDArray[np.integer]

STEPS = (-10, -5, -2, -1, 0, 1, 2, 5, 10)


class FlippedVerdicts(NamedTuple):
    """Responses that are called otherwise after a move than before it.

    `before`: (k,) 1 called grounded, 0 called ungrounded, -1 no verdict.
    """

    rows: Rows
    before: Bytes
    after: Bytes
    right: Bools


class TradeOff(NamedTuple):
    """A threshold beside another one; `caught`: how many errors more are caught there; below 0: fewer."""

    threshold: float
    caught: int
    alarms: int


def flips(before: Bytes, after: Bytes, gold: Bytes, rows: Rows) -> FlippedVerdicts:
    """Compare two calls of every response."""
    changed = rows[before[rows] != after[rows]]
    return FlippedVerdicts(changed, before[changed], after[changed], after[changed] == gold[changed])


def table_at(run: RunData, method: int, tuned: Tuned, threshold: float) -> Confusion:
    """Count what a method's rule makes of its tuning split at a threshold of one's own."""
    rows = run.rows(tuned.split)
    return confusion(run.gold[rows], called(supports(run, method, tuned.rule), threshold)[rows])


def by_hand(run: RunData, method: int, tuned: Tuned, threshold: float, objective: Objective) -> Tuned:
    """Put a threshold that was set by hand into the rule that tuning had found, with its value on the tuning split.

    The value is macro-F1, NaN where a class is not there, or the mean cost a response in false alarms, as the objective says; a
    warning names the threshold that tuning had found.
    """
    table = table_at(run, method, tuned, threshold)
    value = scores(table).macro_f1 if objective.missed is None else cost(table, objective.missed)
    words = f"Set by hand; tuning had found {tuned.rule.threshold:.4f}."
    rule = replace(tuned.rule, threshold=threshold)
    return replace(tuned, rule=rule, value=value, warning=f"{words} {tuned.warning}".strip())


def trade_offs(curve: Curve, caught: int, alarms: int, steps: Sequence[int] = STEPS) -> list[TradeOff]:
    """What it takes to catch some more errors than now, or saves to catch some fewer.

    A higher threshold flags more: it catches more errors and raises more false alarms. A trade catches at least what its step
    asks for, at the fewest false alarms that do, and all errors that these false alarms can catch. Steps that come to the same
    threshold give one trade; those that no threshold can give, or that change nothing, give none.
    """
    catches = np.array(
        sorted(caught + step for step in steps if 0 <= caught + step <= curve.ungrounded_right[-1]), dtype=np.int64
    )
    fewest = curve.grounded_wrong[np.searchsorted(curve.ungrounded_right, catches)]
    places = np.unique(np.searchsorted(curve.grounded_wrong, fewest, side="right") - 1)
    thresholds = curve.thresholds[places].tolist()
    more = (curve.ungrounded_right[places] - caught).tolist()
    false = (curve.grounded_wrong[places] - alarms).tolist()
    return [TradeOff(t, c, a) for t, c, a in zip(thresholds, more, false, strict=True) if c or a]
