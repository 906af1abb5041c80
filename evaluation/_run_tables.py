"""The tables of a run's files, column by column."""

import json
from collections.abc import Sequence

import pyarrow as pa

from evaluation.dataset import to_jsonl
from evaluation.plans import Kept
from evaluation.run_data import STATUSES, case_columns
from evaluation.types import Case


def cases_table(cases: Sequence[Case]) -> pa.Table:
    """Every case: the columns that figures need, and the case itself as JSON."""
    columns = case_columns(cases)
    return pa.table(
        {
            "id": pa.array(columns.ids, pa.string()),
            "group": pa.array(columns.groups, pa.int32()),
            "split": pa.array(columns.splits, pa.string()),
            "area": pa.array(columns.areas, pa.string()),
            "gold": pa.array(columns.gold, pa.int8()),
            "types": pa.array([row.tolist() for row in columns.types], pa.list_(pa.int16(), columns.types.shape[1])),
            "words": pa.array(columns.words, pa.int32()),
            "context_words": pa.array(columns.context_words, pa.int32()),
            "case": pa.array([to_jsonl([c]) for c in cases], pa.large_string()),
        }
    )


def judgements_table(kept: Sequence[Kept]) -> pa.Table:
    """What a method said of each response."""
    lows = [_spread(k) for k in kept]
    found = [k.content for k in kept]
    return pa.table(
        {
            "method": pa.array([k.method for k in kept], pa.int16()),
            "row": pa.array([k.row for k in kept], pa.int32()),
            "status": pa.array([STATUSES.index(c["status"]) for c in found], pa.int8()),
            "support": pa.array([c["support"] for c in found], pa.float64()),
            "lowest": pa.array([low for low, _ in lows], pa.float64()),
            "mean": pa.array([mean for _, mean in lows], pa.float64()),
            "context_seen": pa.array([c["context_seen"] for c in found], pa.float64()),
            "note": pa.array([c["note"] for c in found], pa.string()),
            "raw": pa.array([c["raw"] for c in found], pa.large_string()),
            "claims": pa.array([json.dumps(c["claims"], ensure_ascii=False) for c in found], pa.large_string()),
        }
    )


def _spread(kept: Kept) -> tuple[float | None, float | None]:
    known = [s[2] for s in kept.content["sentences"] if s[2] is not None]
    return (min(known), min(1.0, sum(known) / len(known))) if known else (None, None)


def sentences_table(kept: Sequence[Kept]) -> pa.Table:
    """The supports of the responses' sentences, each with its best match."""
    rows = [(k.method, k.row, *s) for k in kept for s in k.content["sentences"]]
    names = ("method", "row", "start", "end")
    columns = {name: pa.array([r[i] for r in rows], pa.int32()) for i, name in enumerate(names)}
    matches = [r[5][0] if r[5] else (None, None, None, None) for r in rows]
    return pa.table(
        {
            **columns,
            "support": pa.array([r[4] for r in rows], pa.float64()),
            "match_passage": pa.array([m[0] for m in matches], pa.int32()),
            "match_start": pa.array([m[1] for m in matches], pa.int32()),
            "match_end": pa.array([m[2] for m in matches], pa.int32()),
            "match_support": pa.array([m[3] for m in matches], pa.float64()),
        }
    )


def effort_table(kept: Sequence[Kept]) -> pa.Table:
    """What the judgements took."""
    found = [k.content for k in kept]
    return pa.table(
        {
            "method": pa.array([k.method for k in kept], pa.int16()),
            "row": pa.array([k.row for k in kept], pa.int32()),
            "seconds": pa.array([c["seconds"] for c in found], pa.float64()),
            "timed": pa.array([k.timed for k in kept], pa.bool_()),
            "cached": pa.array([c["cached"] for c in found], pa.float64()),
            "calls": pa.array([c["calls"] for c in found], pa.int32()),
            "tokens": pa.array([c["tokens"] for c in found], pa.int32()),
            "cost": pa.array([c["cost"] for c in found], pa.float64()),
        }
    )
