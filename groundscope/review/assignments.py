"""Queues of cases that are assigned to named reviewers."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from groundscope.cases.dataset import to_jsonl
from groundscope.errors import DataError
from groundscope.review._tables import CASES, DECISIONS, QUEUES, REVEALS, now
from groundscope.review.decisions import case_key, reviewer_name
from groundscope.storage.database import Database
from groundscope.storage.team import audit
from groundscope.storage.team.acting import require
from groundscope.storage.team.members import hidden, must_see_all
from groundscope.storage.team.roles import Role
from groundscope.types import Case

MOST_REVIEWERS = 10
"""Of one queue."""
_LONGEST_TITLE = 80


class Assignment(NamedTuple):
    """A queue of named reviewers; every one of them reads every case."""

    number: int
    created: str
    title: str
    reviewers: tuple[str, ...]
    keys: tuple[str, ...]


class Assignments:
    """The queues of a database. Every method raises `StoreError` where it cannot be read or written."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def assign(self, title: str, reviewers: Sequence[str], cases: Sequence[Case]) -> Assignment:
        """Keep a queue."""
        require(Role.LEAD)
        names = tuple(dict.fromkeys(map(reviewer_name, reviewers)))
        if not names or len(names) > MOST_REVIEWERS:
            raise DataError(f"Name 1 to {MOST_REVIEWERS} reviewers.")
        if not cases:
            raise DataError("The queue has no case.")
        by_key = {case_key(c): c for c in cases}
        written = " ".join(title.split())[:_LONGEST_TITLE] or f"{len(by_key):,} cases"
        content = {"title": written, "reviewers": names, "keys": list(by_key)}
        row = sa.insert(QUEUES).values(created=(time := now()), content=json.dumps(content)).returning(QUEUES.c.number)
        with self._database.writing() as db:
            must_see_all(db, *by_key)
            self._database.add_new(db, CASES, *({"key": k, "content": to_jsonl([c])} for k, c in by_key.items()))
            number = int(db.execute(row).scalar_one())
            audit.record(db, "assigned a queue", queue=number, reviewers=list(names), cases=len(by_key))
            return Assignment(number, time, written, names, tuple(by_key))

    def all(self) -> tuple[Assignment, ...]:
        """Read all queues, the newest first, but those with a case that who acts may not see."""
        with self._database.reading() as db:
            rows, out = db.execute(sa.select(QUEUES).order_by(QUEUES.c.number.desc())).all(), hidden(db)
        assignments = self._database.meaning(lambda: tuple(_assignment(r.number, r.created, json.loads(r.content)) for r in rows))
        return tuple(one for one in assignments if out.isdisjoint(one.keys))

    def withdraw(self, number: int) -> None:
        """Delete a queue, and the texts of its cases that are in no other queue and were neither decided nor revealed."""
        require(Role.LEAD)
        others = {key for one in self.all() if one.number != number for key in one.keys}
        mine = {key for one in self.all() if one.number == number for key in one.keys}
        used = [sa.select(column).where(column == CASES.c.key).exists() for column in (DECISIONS.c.case_key, REVEALS.c.case_key)]
        with self._database.writing() as db:
            db.execute(sa.delete(QUEUES).where(QUEUES.c.number == number))
            for key in mine - others:
                db.execute(sa.delete(CASES).where(CASES.c.key == key, ~sa.or_(*used)))
            audit.record(db, "withdrew a queue", queue=number)
        self._database.wipe(QUEUES, CASES)


def _assignment(number: int, created: str, content: Mapping[str, Sequence[str]]) -> Assignment:
    return Assignment(number, created, str(content["title"]), tuple(content["reviewers"]), tuple(content["keys"]))
