"""How often a method was right, as data and as a sentence shown beside its verdict."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.listing import RunEntry
from groundscope.grounding.track_record import TrackRecord, track_records

_MOST = 2_000
"""Responses that are cut into sentences for a record: more would keep the server busy for longer than a few seconds."""
_RARE = 0.05
Records = list[tuple[str, dict[str, Any]]]
"""The record of each method that has one, with its signature."""


def records_of(entry: RunEntry, run: RunData) -> Records:
    """Count how often the methods of a run were right, on its test part where it has one."""
    split = "test" if "test" in run.labelled_splits() else None
    rows = run.rows(split)
    some = rows[:: math.ceil(len(rows) / _MOST)] if len(rows) else rows
    records = track_records(run, some)
    where = "samples" if entry.comes_with_app else f"run “{entry.name}”"
    part = "" if len(some) == len(rows) else f"{len(some):,} responses of "
    place = f"On {part}the {where}{f', {split} split,' if split else ''}"
    return [(m.signature, data_of(r, place)) for m, r in zip(run.methods, records, strict=True) if r is not None]


def data_of(record: TrackRecord, place: str) -> dict[str, Any]:
    """Write a record as JSON."""
    ranking = record.ranking
    interval = (-1.0, -1.0) if np.isnan(ranking.interval.low) else (ranking.interval.low, ranking.interval.high)
    ends = np.where(np.isnan(record.shares), -1, np.rint(100 * np.nan_to_num(record.shares))).astype(int)
    return {
        "place": place,
        "wrong": record.wrong,
        "sound": record.sound,
        "thresholds": record.thresholds.tolist(),
        "flagged": record.flagged.tolist(),
        "ends": ends.tolist(),
        "auroc": [round(x, 3) for x in (ranking.auroc, *interval)],
        "better": ranking.better_than_chance,
        "weakest": [record.weakest.hits, record.weakest.answers, round(record.weakest.by_chance, 1)],
    }


def _at(data: Mapping[str, Any] | None, threshold: float | None) -> tuple[int, int, int, int] | None:
    """Flags that were right and wrong at a threshold, and all wrong and sound sentences; None where that was not counted."""
    if data is None or threshold is None:
        return None
    near = np.flatnonzero(np.abs(np.subtract(data["thresholds"], threshold)) < 1e-9)
    return (*data["flagged"][near[0]], data["wrong"], data["sound"]) if len(near) else None


def proven(data: Mapping[str, Any] | None, threshold: float | None) -> bool:
    """Whether a method's flags at a threshold are right more often than as many at random: one-sided Fisher test, p < 0.05."""
    if (counts := _at(data, threshold)) is None:
        return False
    from scipy.stats import hypergeom

    right, false, wrong, sound = counts
    # Of all sentences, as many are drawn as it flagged.
    return bool(right and hypergeom.sf(right - 1, wrong + sound, wrong, right + false) < _RARE)


def flag_words(data: Mapping[str, Any] | None, threshold: float | None) -> str:
    """Say how often a method's flags at a threshold were right, beside as many sentences marked at random."""
    if (counts := _at(data, threshold)) is None or data is None:
        return ""
    right, false, wrong, sound = counts
    if not right + false:
        return f"{data['place']} it flagged none of {wrong} wrong sentences at this threshold."
    chance = (right + false) * wrong / (wrong + sound)
    better = "better than chance" if proven(data, threshold) else "not shown to be better than chance"
    return (
        f"{data['place']} {right} of its {right + false} flags at this threshold were right, {better}: as many sentences marked "
        f"at random hold {chance:.0f} wrong ones. It flagged {right} of {wrong} wrong sentences."
    )


def order_words(data: Mapping[str, Any] | None) -> str:
    """Say what a method's order of sentences is worth: how often the least supported one of a wrong answer was wrong."""
    if data is None or not data["weakest"][1]:
        return ""
    hits, answers, chance = data["weakest"]
    return f"In {hits} of {answers} wrong answers its least supported sentence was a wrong one; {chance:.0f} by chance."
