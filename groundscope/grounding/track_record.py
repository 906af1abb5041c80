"""How often a method's flags on labelled sentences were right, at every threshold that a slider can take.

A verdict is worth no more than this. A sentence is flagged if its support is below the threshold; `groundscope.grounding.levels`
says which sentences are wrong.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from groundscope.grounding.level_results import KnownSentences, gold_of, known_sentences
from groundscope.grounding.runs.arrays import Bools, Integers, RunData
from groundscope.statistics.bootstrap import by_group, limits, resampled_sums, resamples
from groundscope.statistics.chance import AurocEstimate, auroc_with_interval
from groundscope.statistics.metrics import Array

STEPS = tuple(k / 100 for k in range(101))
"""The thresholds of a slider."""


class Weakest(NamedTuple):
    """What it is worth to read the sentence with the least support first, the first of equal ones.

    `hits` are wrong answers in which that sentence is wrong; a sentence drawn at random is expected to find `by_chance`.
    """

    hits: int
    answers: int
    by_chance: float


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """What a method flagged among sentences with a known label, at k thresholds; first of the wrong ones, then of the sound ones.

    `flagged` (k, 2) are below the threshold; `shares` (k, 2, 2) are ends of 95 % intervals by query, NaN with fewer than two.
    """

    wrong: int
    sound: int
    thresholds: Array
    flagged: Integers
    shares: Array
    ranking: AurocEstimate
    weakest: Weakest


def track_records(run: RunData, rows: Integers) -> tuple[TrackRecord | None, ...]:
    """Count the flags of every method in the labelled responses of a run."""
    gold, records = gold_of(run, rows), []
    for i, method in enumerate(run.methods):
        suggested = () if method.threshold is None else (method.threshold,)
        thresholds = np.unique(np.array((*STEPS, *suggested)))
        records.append(_record(known_sentences(run, i, gold, rows), thresholds))
    return tuple(records)


def _record(sentences: KnownSentences, thresholds: Array) -> TrackRecord | None:
    labels, supports, queries, cases = sentences
    wrong, sound = labels == 0, labels == 1
    if not wrong.any() or not sound.any() or np.isnan(supports).all():
        return None
    below = supports[:, None] < thresholds
    columns = np.concatenate([below & wrong[:, None], below & sound[:, None], wrong[:, None], sound[:, None]], axis=1)
    sums = by_group(columns.astype(np.int64), queries)
    draws = resamples(queries)
    drawn, count = resampled_sums(draws, sums), len(thresholds)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [drawn[:, :count] / drawn[:, -2:-1], drawn[:, count:-2] / drawn[:, -1:]]
    ends = np.stack([limits(share, draws.shape[1]) for share in shares], axis=1)
    flagged = sums.sum(axis=0)[:-2].reshape(2, count).T.astype(np.int32)
    ranking = auroc_with_interval(labels, supports, queries)
    return TrackRecord(int(wrong.sum()), int(sound.sum()), thresholds, flagged, ends, ranking, _weakest(wrong, supports, cases))


def _weakest(wrong: Bools, supports: Array, cases: Integers) -> Weakest:
    """Sentences of one answer follow each other."""
    hits, answers, by_chance = 0, 0, 0.0
    borders = np.flatnonzero(np.diff(cases)) + 1
    for answer_wrong, scores in zip(np.split(wrong, borders), np.split(supports, borders), strict=True):
        if answer_wrong.any() and not np.isnan(scores).any():
            hits += int(answer_wrong[np.argmin(scores)])
            answers += 1
            by_chance += float(answer_wrong.mean())
    return Weakest(hits, answers, by_chance)
