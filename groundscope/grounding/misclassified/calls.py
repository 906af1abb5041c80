"""Outcomes of a run's methods on labelled responses: missed errors, false alarms, no verdict, right."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from groundscope.grounding.runs.arrays import PENDING, TYPES, Bools, Bytes, Floats, Integers, RunData, Texts
from groundscope.grounding.tuning import Rule, supports

UNTYPED = "untyped"
KINDS = (*(t.value for t in TYPES), UNTYPED)
"""The columns of `Calls.kinds`: the six error types, and ungrounded responses that have none."""


class ConfusionCell(StrEnum):
    """What came of one method on one labelled response; `WAITING` where the method has not judged it yet."""

    MISSED = "missed"
    ALARM = "alarm"
    NONE = "none"
    RIGHT = "right"
    WAITING = "waiting"


OUTCOMES = tuple(ConfusionCell)
"""An outcome's code is its place here."""


class Codes(NamedTuple):
    """A column of few values: `names[codes[i]]` is the value of entry i."""

    codes: NDArray[np.intp]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Calls:
    """What the methods of a run that have a rule made of k labelled responses.

    Attributes:
        verdicts: (j, k) 1 called grounded, 0 called ungrounded, -1 no verdict.
        margins: (j, k) support minus the rule's threshold; NaN without a verdict.
        kinds: (k, 7) columns of `KINDS`; all False for a grounded response.
    """

    rows: Integers
    ids: tuple[str, ...]
    verdicts: Bytes
    outcomes: Bytes
    margins: Floats
    grounded: Bools
    kinds: Bools
    areas: Codes
    splits: Codes

    def method(self, method_id: str) -> int:
        """Find the place of a method."""
        if method_id not in self.ids:
            raise ValueError(f"there are no verdicts of {method_id!r}; there are of {', '.join(self.ids) or 'no method'}")
        return self.ids.index(method_id)


def calls(run: RunData, rules: Mapping[str, Rule], verdicts: Bytes, rows: Integers) -> Calls:
    """Gather what the matrix, the filters and the list are made of, of labelled rows and the methods that have a rule.

    `verdicts` are (m, n) as `groundscope.grounding.tuning.verdicts` has them.
    """
    if (run.gold[rows] < 0).any():
        raise ValueError("a row has no label; take those that `RunData.rows` gives")
    places = [i for i, m in enumerate(run.methods) if m.id in rules]
    chosen = verdicts[places][:, rows]
    waiting: Bools = run.status[places][:, rows] == PENDING
    margins = np.empty(chosen.shape)
    for line, i in enumerate(places):
        rule = rules[run.methods[i].id]
        margins[line] = supports(run, i, rule)[rows] - rule.threshold
    margins[chosen < 0] = np.nan
    grounded: Bools = run.gold[rows] == 1
    typed = (run.types[rows] > 0) & ~grounded[:, None]
    kinds = np.column_stack((typed, ~typed.any(axis=1) & ~grounded))
    return Calls(
        rows,
        tuple(run.methods[i].id for i in places),
        chosen,
        _outcomes(chosen, grounded, waiting),
        margins,
        grounded,
        kinds,
        _areas(run.areas[rows]),
        _codes(run.splits[rows]),
    )


def _outcomes(verdicts: Bytes, grounded: Bools, waiting: Bools) -> Bytes:
    # By verdict, label and whether it waits, 4 + 2 + 1; method by method, which needs little memory.
    table = np.array([_outcome(*at) for at in product((-1, 0, 1), (False, True), (False, True))], dtype=np.int8)
    outcomes = np.empty(verdicts.shape, dtype=np.int8)
    label = grounded.astype(np.int8) * np.int8(2)
    for line, verdict, unjudged in zip(outcomes, verdicts, waiting, strict=True):
        table.take((verdict + np.int8(1)) * np.int8(4) + label + unjudged, out=line)
    return outcomes


def _outcome(verdict: int, grounded: bool, waiting: bool) -> int:
    if verdict < 0:
        return OUTCOMES.index(ConfusionCell.WAITING if waiting else ConfusionCell.NONE)
    wrong = ConfusionCell.ALARM if grounded else ConfusionCell.MISSED
    return OUTCOMES.index(ConfusionCell.RIGHT if verdict == grounded else wrong)


def _codes(values: Texts) -> Codes:
    codes, names = pd.factorize(values, sort=True)
    return Codes(codes, tuple(str(n) for n in names))


def _areas(values: Texts) -> Codes:
    """Areas of law without the jurisdiction ("Evidence" of "Evidence · Federal Rules"), unless all would be the same."""
    whole = _codes(values)
    short = [name.split(" · ")[0] for name in whole.names]
    names = tuple(sorted(set(short)))
    if len(names) < 2:
        return whole
    places = np.array([names.index(s) for s in short], dtype=np.intp)
    return Codes(places[whole.codes], names)
