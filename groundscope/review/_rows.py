"""Rows of decisions: how one is written, read, and found to be the newest."""

import json
from collections.abc import Collection, Iterable
from typing import Any

import sqlalchemy as sa

from groundscope.cases.dataset import read
from groundscope.errors import ChangedMeanwhile
from groundscope.review._tables import DECISIONS, REVEALS, now
from groundscope.review.decisions import ReviewDecision, StoredDecision, case_key, counting, from_fields
from groundscope.types import Case


def case_of(content: str) -> Case:
    return read("case.jsonl", content.encode()).cases[0]


def by(reviewer: str | None) -> tuple[sa.ColumnElement[bool], ...]:
    return () if reviewer is None else (DECISIONS.c.reviewer == reviewer,)


def stored(row: Any) -> StoredDecision:
    decision = from_fields(row.sentence, json.loads(row.content))
    return StoredDecision(row.number, row.case_key, row.reviewer, row.time, row.blind, decision, row.undoes, row.settles)


def must_be_newest(found: Iterable[StoredDecision], sentences: Collection[int], after: int) -> None:
    """Refuse what was decided without having seen what counts now."""
    newest = max((d.number for i, d in counting(found).items() if i in sentences), default=0)
    if newest != after:
        raise ChangedMeanwhile("Another window decided of this meanwhile; look at it, then decide again.")


def insert(
    db: sa.Connection,
    case: Case,
    reviewer: str,
    decision: ReviewDecision,
    undoes: int | None = None,
    *,
    settles: bool = False,
    call: str | None = None,
) -> StoredDecision:
    key, time = case_key(case), now()
    seen = sa.select(REVEALS.c.time).where(REVEALS.c.case_key == key, REVEALS.c.reviewer == reviewer)
    blind = db.execute(seen).first() is None
    row = sa.insert(DECISIONS).values(
        case_key=key,
        sentence=decision.sentence,
        reviewer=reviewer,
        time=time,
        blind=blind,
        undoes=undoes,
        settles=settles,
        content=decision.as_json(),
        call=call,
    )
    number = int(db.execute(row.returning(DECISIONS.c.number)).scalar_one())
    return StoredDecision(number, key, reviewer, time, blind, decision, undoes, settles)
