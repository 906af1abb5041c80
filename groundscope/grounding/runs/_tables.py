"""The tables of a run's files, column by column."""

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from groundscope.cases.dataset import to_line
from groundscope.cases.own_format import own_case
from groundscope.experiments.plan import Content, Stored
from groundscope.grounding.runs.arrays import STATUSES, case_columns
from groundscope.grounding.runs.plans import spread

_CODES = {str(status): code for code, status in enumerate(STATUSES)}


_NO_MATCH = (None, None, None, None)


class Tables(NamedTuple):
    """What one or more methods said, as tables."""

    judgements: pa.Table
    sentences: pa.Table
    effort: pa.Table


def tables_of(stored: Sequence[Stored]) -> Tables:
    """Stored judgements as tables, in their order, also without any: what is exported, and what figures read."""
    return Tables(_judgements(stored), _sentences(stored), _effort(stored))


def cases_table(rows: Sequence[Content]) -> pa.Table:
    """Cases as a table, given as `to_row` makes them: the columns that figures need, and the case itself as JSON."""
    columns = case_columns([own_case(row, "") for row in rows])
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
            "case": pa.array([to_line(row) for row in rows], pa.large_string()),
        }
    )


def _judgements(stored: Sequence[Stored]) -> pa.Table:
    """What a method said of each response."""
    lows = [spread(s[2] for s in k.content["sentences"]) for k in stored]
    contents = [k.content for k in stored]
    return pa.table(
        {
            "method": pa.array([k.place.part for k in stored], pa.int16()),
            "row": pa.array([k.place.row for k in stored], pa.int32()),
            "status": pa.array([_CODES[k.status] for k in stored], pa.int8()),
            "support": pa.array([c["support"] for c in contents], pa.float64()),
            "lowest": pa.array([low for low, _ in lows], pa.float64()),
            "mean": pa.array([mean for _, mean in lows], pa.float64()),
            "context_seen": pa.array([c["context_seen"] for c in contents], pa.float64()),
            "note": pa.array([c["note"] for c in contents], pa.string()),
            "raw": pa.array([c["raw"] for c in contents], pa.large_string()),
            "claims": pa.array([_json(c["claims"]) for c in contents], pa.large_string()),
        }
    )


def _json(claims: list[Content]) -> str:
    return json.dumps(claims, ensure_ascii=False) if claims else "[]"


def _sentences(stored: Sequence[Stored]) -> pa.Table:
    """The supports of the responses' sentences, each with its best match."""
    sentences = [s for k in stored for s in k.content["sentences"]]
    counts = [len(k.content["sentences"]) for k in stored]
    # Of whole columns: a run has many more sentences than judgements.
    places = (np.repeat(np.array([k.place[i] for k in stored], dtype=np.int32), counts) for i in (0, 2))
    matches = [s[3][0] if s[3] else _NO_MATCH for s in sentences]
    return pa.table(
        {
            **dict(zip(("method", "row"), map(pa.array, places), strict=True)),
            "start": pa.array([s[0] for s in sentences], pa.int32()),
            "end": pa.array([s[1] for s in sentences], pa.int32()),
            "support": pa.array([s[2] for s in sentences], pa.float64()),
            "match_passage": pa.array([m[0] for m in matches], pa.int32()),
            "match_start": pa.array([m[1] for m in matches], pa.int32()),
            "match_end": pa.array([m[2] for m in matches], pa.int32()),
            "match_support": pa.array([m[3] for m in matches], pa.float64()),
        }
    )


def _effort(stored: Sequence[Stored]) -> pa.Table:
    """What the judgements took."""
    contents = [k.content for k in stored]
    return pa.table(
        {
            "method": pa.array([k.place.part for k in stored], pa.int16()),
            "row": pa.array([k.place.row for k in stored], pa.int32()),
            "seconds": pa.array([c["seconds"] for c in contents], pa.float64()),
            "timed": pa.array([k.timed for k in stored], pa.bool_()),
            "cached": pa.array([c["cached"] for c in contents], pa.float64()),
            "calls": pa.array([c["calls"] for c in contents], pa.int32()),
            "tokens": pa.array([c["tokens"] for c in contents], pa.int32()),
            "cost": pa.array([c["cost"] for c in contents], pa.float64()),
        }
    )
