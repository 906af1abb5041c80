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
    ends = np.where(np.isnan(record.shares), -1, np.rint(100 * np.nan_to_num(record.shares))).astype(int)
    return {
        "place": place,
        "wrong": record.wrong,
        "sound": record.sound,
        "thresholds": record.thresholds.tolist(),
        "flagged": record.flagged.tolist(),
        "ends": ends.tolist(),
        "auroc": [round(x, 3) for x in (record.ranking.auroc, *_ends(record))],
        "better": record.ranking.better_than_chance,
        "weakest": [record.weakest.hits, record.weakest.answers, round(record.weakest.by_chance, 1)],
    }


def words(data: Mapping[str, Any] | None, threshold: float | None) -> str:
    """Say how often a method was right at a threshold, as a sentence for exports."""
    if data is None or threshold is None:
        return ""
    near = np.flatnonzero(np.abs(np.subtract(data["thresholds"], threshold)) < 1e-9)
    if not len(near):
        return ""
    right, wrong = data["flagged"][near[0]]
    better = "It does better than chance." if data["better"] else "It is not shown to do better than chance."
    return (
        f"{data['place']} it flagged {right} of {data['wrong']} wrong sentences and {wrong} of {data['sound']} sound ones at "
        f"this threshold. {better}"
    )


def _ends(record: TrackRecord) -> tuple[float, float]:
    interval = record.ranking.interval
    return (interval.low, interval.high) if not np.isnan(interval.low) else (-1.0, -1.0)
