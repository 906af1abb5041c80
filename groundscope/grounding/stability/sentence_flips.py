"""Sentences whose verdict changes from one reading of a case to the next, also where they stand in another order."""

from collections.abc import Mapping, Sequence

import numpy as np

from groundscope.grounding.level_results import sentence_threshold
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.stability.orders import places_of
from groundscope.grounding.stability.readings import Readings
from groundscope.grounding.tuning import Rule
from groundscope.statistics.metrics import Array


def sentence_places(run: RunData, readings: Sequence[Readings]) -> Mapping[int, tuple[int, ...]]:
    """Of each copy whose sentences are in another order, their numbers in the first copy."""
    moved = [r for r in readings if r.kind == "sentences"]
    found: dict[int, tuple[int, ...]] = {}
    for one in moved:
        first, *others = run.read_cases(one.rows)
        found |= {row: places_of(first.response, c.response) for row, c in zip(one.rows[1:], others, strict=True)}
    return found


def sentence_verdicts(run: RunData, method: int, rule: Rule | None) -> Mapping[int, list[int]]:
    """By row, of each sentence in the order of the response: 1 not flagged, 0 flagged, -1 not assessed."""
    threshold = sentence_threshold(rule, run.methods[method].threshold)
    if threshold is None:
        return {}
    table = run.read_sentences(method)
    found: dict[int, list[int]] = {}
    for at in np.lexsort((table.start, table.case)):
        support = table.support[at]
        found.setdefault(int(table.case[at]), []).append(-1 if np.isnan(support) else int(support >= threshold))
    return found


def sentence_flips_of(
    readings: Sequence[Readings], places: Mapping[int, tuple[int, ...]], verdicts: Mapping[int, list[int]]
) -> tuple[Array, Array]:
    """(cases,) sentences with two verdicts or more that are not all the same, and all with two or more."""
    flips, of = np.zeros(len(readings)), np.zeros(len(readings))
    for i, one in enumerate(readings):
        said: dict[int, list[int]] = {}
        for row in one.rows:
            own = verdicts.get(row, [])
            numbers = places.get(row, range(len(own)))
            # A method that splits the response otherwise says nothing of these sentences.
            for number, verdict in zip(numbers, own, strict=False) if len(numbers) == len(own) else ():
                if number >= 0 and verdict >= 0:
                    said.setdefault(number, []).append(verdict)
        several = [v for v in said.values() if len(v) > 1]
        flips[i], of[i] = sum(len(set(v)) > 1 for v in several), len(several)
    return flips, of
