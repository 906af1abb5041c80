"""Scores of another tool as methods of a run: judged already, and with the file's hash in their signature.

Their seconds and cost are what the tool exported, measured where it ran; without them a method has no latency, and no cost.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from groundscope.grounding.imported.scores import Matched, Recorded, match
from groundscope.grounding.runs.arrays import MethodRun
from groundscope.types import Case, Judgement, Status

_NOT_THERE = "The file has no score of this response."
_NO_NUMBER = "The tool gave no number for this response."


class ImportedMethod(NamedTuple):
    """A method of another tool, and its judgement of each case."""

    method: MethodRun
    judgements: tuple[Judgement, ...]


def attach(recorded: Recorded, cases: Sequence[Case]) -> tuple[list[ImportedMethod], Matched]:
    """Turn each metric of a file into a method over the cases."""
    matched = match(recorded, cases)
    attached = []
    for metric, method_id in recorded.method_ids.items():
        judgements = tuple(_judgements(matched, metric, len(cases)))
        if all(j.status is Status.FAILED for j in judgements):
            continue
        turned = "|1 minus the score" if metric in recorded.inverted else ""
        signature = f"{method_id}|file={recorded.digest}{turned}"
        attached.append(ImportedMethod(MethodRun(method_id, signature, f"{recorded.title}: {metric}"), judgements))
    return attached, matched


def _judgements(matched: Matched, metric: str, count: int) -> list[Judgement]:
    supports, invalid, reasons = matched.supports[metric], matched.invalid[metric], matched.reasons[metric]
    judgements = []
    for row in range(count):
        took, cost = float(matched.seconds[metric][row]), float(matched.costs[metric][row])
        measured: dict[str, Any] = {
            "seconds": 0.0 if np.isnan(took) else took,
            "cost": None if np.isnan(cost) else cost,
        }
        if not np.isnan(supports[row]):
            judgements.append(Judgement(Status.SCORED, support=float(supports[row]), note=reasons[row], **measured))
        elif invalid[row]:
            judgements.append(Judgement(Status.INVALID, note=_NO_NUMBER, **measured))
        else:
            judgements.append(Judgement(Status.FAILED, note=_NOT_THERE, cost=None))
    return judgements
