"""Append-only store of all reviewers' decisions, and their queues, in the database that people share; its tables.

A decision counts until the same reviewer decides again of the same sentence; the older ones stay, each with what was visible
when it was made. What `decide` returned is on disk: a process that is killed loses nothing of it.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any, NamedTuple

import sqlalchemy as sa

from groundscope.cases.dataset import read, to_jsonl
from groundscope.errors import ChangedMeanwhile, DataError
from groundscope.files import typed
from groundscope.review.decisions import (
    ReviewDecision,
    StoredDecision,
    case_key,
    counting,
    counting_by_case,
    fits,
    from_fields,
    reviewer_name,
    undoable,
)
from groundscope.storage.database import METADATA, NUMBER, Database, shared
from groundscope.storage.sqlite import now
from groundscope.storage.team import Role, audit, require
from groundscope.storage.team.members import hidden, matters_of, may_see, must_see_all
from groundscope.types import Case


def _text(name: str) -> "sa.Column[str]":
    return sa.Column(name, sa.Text, nullable=False)


def _key(name: str) -> "sa.Column[str]":
    return sa.Column(name, sa.Text, primary_key=True)


def _number() -> "sa.Column[int]":
    return sa.Column("number", NUMBER, primary_key=True)


def _of_matter(table: str) -> "tuple[sa.Column[int], sa.Index]":
    return sa.Column("matter", NUMBER, nullable=False), sa.Index(f"{table}_of_matter", "matter", "number")


CASES = sa.Table("cases", METADATA, _key("key"), _text("content"))
DECISIONS = sa.Table(
    "decisions",
    METADATA,
    _number(),
    _text("case_key"),
    sa.Column("sentence", sa.Integer, nullable=False),
    _text("reviewer"),
    _text("time"),
    sa.Column("blind", sa.Boolean, nullable=False),
    sa.Column("undoes", NUMBER),
    sa.Column("settles", sa.Boolean, nullable=False),
    _text("content"),
    sa.Column("call", sa.Text, unique=True),
    sa.Index("of_case", "case_key", "reviewer", "sentence", "number"),
)
QUEUES = sa.Table("queues", METADATA, _number(), _text("created"), _text("content"))
REVEALS = sa.Table("reveals", METADATA, _key("case_key"), _key("reviewer"), _text("time"))
MATTERS = sa.Table(
    "matters",
    METADATA,
    _number(),
    _text("created"),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("client", sa.Text, nullable=False, server_default=""),
)
SOURCES = sa.Table("sources", METADATA, _number(), *_of_matter("sources"), _text("content"))
ANSWERS = sa.Table("answers", METADATA, _number(), *_of_matter("answers"), _text("created"), _text("content"))


_OWN = DECISIONS.c.settles.is_(False)


def case_of(content: str) -> Case:
    """Read a case that is kept."""
    return read("case.jsonl", content.encode()).cases[0]


def _by(reviewer: str | None) -> tuple[sa.ColumnElement[bool], ...]:
    return () if reviewer is None else (DECISIONS.c.reviewer == reviewer,)


def _stored(row: Any) -> StoredDecision:
    decision = from_fields(row.sentence, json.loads(row.content))
    return StoredDecision(row.number, row.case_key, row.reviewer, row.time, row.blind, decision, row.undoes, row.settles)


def _insert(
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
    row = sa.insert(DECISIONS).values(case_key=key, sentence=decision.sentence, reviewer=reviewer, time=time, blind=blind)
    row = row.values(undoes=undoes, settles=settles, content=decision.as_json(), call=call)
    number = int(db.execute(row.returning(DECISIONS.c.number)).scalar_one())
    return StoredDecision(number, key, reviewer, time, blind, decision, undoes, settles)


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
        written = ({"number": r.number, "created": r.created, **json.loads(r.content)} for r in rows)
        assignments = self._database.meaning(lambda: [typed.stored(Assignment, row) for row in written])
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


def default() -> "ReviewStore":
    """Open the decisions that this process uses."""
    return ReviewStore(shared())


class ReviewStore:
    """Decisions, and queues; every method raises `StoreError` where the database cannot be read or written."""

    def __init__(self, database: Database) -> None:
        self.database, self.queues = database, Assignments(database)

    def decide(
        self, case: Case, reviewer: str, *decisions: ReviewDecision, after: int | None = None, call: str | None = None
    ) -> tuple[StoredDecision, ...]:
        """Keep decisions, all or none; raises `ChangedMeanwhile`, and keeps none, where another one than `after` counts."""
        require(Role.REVIEWER, reviewer)
        return self._keep(case, reviewer, decisions, after, call)

    def settle(
        self, case: Case, reviewer: str, *decisions: ReviewDecision, after: int | None = None
    ) -> tuple[StoredDecision, ...]:
        """Settle differences, as `decide`, by any person: only `settled` gives it; one without a ruling takes it back."""
        require(Role.LEAD, reviewer)
        return self._keep(case, reviewer, decisions, after, settles=True)

    def _keep(
        self,
        case: Case,
        reviewer: str,
        decisions: Sequence[ReviewDecision],
        after: int | None,
        call: str | None = None,
        *,
        settles: bool = False,
    ) -> tuple[StoredDecision, ...]:
        if not all(fits(d, case) for d in decisions):
            raise ValueError("a decision must be of a sentence, a span and a passage of its case")
        with self._deciding(case) as db:
            if call and (before := self._read(DECISIONS.c.call.startswith(f"{call}.", autoescape=True), db=db)):
                return before
            if after is not None:
                mine = (~_OWN,) if settles else (_OWN, *_by(reviewer))
                history = self._read(*mine, DECISIONS.c.case_key == case_key(case), db=db)
                decided = {d.sentence for d in decisions}
                if after != max((d.number for i, d in counting(history).items() if i in decided), default=0):
                    raise ChangedMeanwhile("This was decided in another window in the meantime; look at it, then decide again.")
            names = [call and f"{call}.{i}" for i in range(len(decisions))]
            stored = tuple(_insert(db, case, reviewer, d, settles=settles, call=t) for d, t in zip(decisions, names, strict=True))
            done = "settled" if settles else "decided"
            audit.record(db, done, case=case_key(case), sentences=[d.sentence for d in decisions])
            return stored

    @contextmanager
    def _deciding(self, case: Case) -> Iterator[sa.Connection]:
        """Write about a case that no other writes about meanwhile; its text is kept."""
        with self.database.writing() as db:
            must_see_all(db, case_key(case))
            self.database.add_new(db, CASES, {"key": case_key(case), "content": to_jsonl([case])})
            db.execute(sa.select(CASES.c.key).where(CASES.c.key == case_key(case)).with_for_update())
            yield db

    def undo(self, case: Case, reviewer: str, *, call: str | None = None) -> StoredDecision | None:
        """Take the reviewer's last decision of a case back: the one before it is decided again, or none."""
        require(Role.REVIEWER, reviewer)
        with self._deciding(case) as db:
            if call and (before := self._read(DECISIONS.c.call == call, db=db)):
                return before[0]
            mine = self._read(_OWN, DECISIONS.c.case_key == case_key(case), DECISIONS.c.reviewer == reviewer, db=db)
            if not (stack := undoable(mine)):
                return None
            last, sentence = stack[-1], stack[-1].decision.sentence
            earlier = next((d.decision for d in reversed(stack[:-1]) if d.decision.sentence == sentence), None)
            undone = _insert(db, case, reviewer, earlier or ReviewDecision(sentence), last.number, call=call)
            audit.record(db, "took a decision back", case=case_key(case), sentences=[sentence])
            return undone

    def current(self, key: str, reviewer: str) -> dict[int, StoredDecision]:
        """Read the decisions that count."""
        return counting(self.history(key, reviewer))

    def decided(self, reviewer: str, *, blind: bool = False) -> dict[str, dict[int, StoredDecision]]:
        """Read all decisions of a reviewer that count."""
        return counting_by_case(d for d in self.all(reviewer) if d.blind or not blind)

    def settled(self) -> dict[str, dict[int, StoredDecision]]:
        """Read the settlements that count, by any person."""
        return counting_by_case(self._read(~_OWN))

    def reviewers(self) -> tuple[str, ...]:
        """Read who has decided something of their own, in the order of their first decisions."""
        query = sa.select(DECISIONS.c.reviewer).where(_OWN, *may_see(DECISIONS.c.case_key)).group_by(DECISIONS.c.reviewer)
        with self.database.reading() as db:
            return tuple(db.scalars(query.order_by(sa.func.min(DECISIONS.c.number))))

    def history(self, key: str, reviewer: str | None = None) -> tuple[StoredDecision, ...]:
        """Read all decisions of a case, the oldest first."""
        return self._read(_OWN, DECISIONS.c.case_key == key, *_by(reviewer))

    def everything(self, key: str) -> tuple[StoredDecision, ...]:
        """Read everyone's decisions of a case and what was settled of it, the oldest first."""
        return self._read(DECISIONS.c.case_key == key)

    def all(self, reviewer: str | None = None, last: int = -1) -> tuple[StoredDecision, ...]:
        """Read all decisions, the oldest first."""
        return self._read(_OWN, *_by(reviewer), last=None if last < 0 else last)

    def reveal(self, reviewer: str, *cases: Case) -> None:
        """Note that a reviewer sees what methods, labels and others say of cases from now on."""
        require(Role.REVIEWER, reviewer)
        seen = [{"case_key": case_key(case), "reviewer": reviewer, "time": now()} for case in cases]
        with self.database.writing() as db:
            must_see_all(db, *(case_key(case) for case in cases))
            self.database.add_new(db, CASES, *({"key": case_key(case), "content": to_jsonl([case])} for case in cases))
            self.database.add_new(db, REVEALS, *seen)
            audit.record(db, "revealed", cases=[case_key(case) for case in cases])

    def revealed(self, reviewer: str) -> dict[str, str]:
        """Read which cases are revealed."""
        query = sa.select(REVEALS.c.case_key, REVEALS.c.time).where(REVEALS.c.reviewer == reviewer, *may_see(REVEALS.c.case_key))
        with self.database.reading() as db:
            return {row.case_key: row.time for row in db.execute(query)}

    def stamp(self) -> tuple[int, ...]:
        """Give numbers that change whenever something is decided, revealed, assigned or deleted."""
        counted = [(t.c.number, sa.func.max(t.c.number), sa.func.count()) for t in (DECISIONS, QUEUES)]
        with self.database.reading() as db:
            numbers = [n for column, *two in counted for n in db.execute(sa.select(*two).select_from(column.table)).one()]
            numbers.append(db.scalar(sa.select(sa.func.count()).select_from(REVEALS)))
            return (*(number or 0 for number in numbers), *matters_of(db))

    def cases(self, keys: Sequence[str]) -> dict[str, Case]:
        """Read the texts of cases."""
        texts = {}
        with self.database.reading() as db:
            for key in dict.fromkeys(keys):
                for content in db.scalars(sa.select(CASES.c.content).where(CASES.c.key == key, *may_see(CASES.c.key))):
                    texts[key] = self.database.meaning(partial(case_of, content))
        return texts

    def forget(self, key: str) -> None:
        """Delete a case with everyone's decisions of it; nothing of them is left in the file."""
        require(Role.LEAD)
        with self.database.writing() as db:
            must_see_all(db, key)
            for column in (DECISIONS.c.case_key, REVEALS.c.case_key, CASES.c.key):
                db.execute(sa.delete(column.table).where(column == key))
            audit.record(db, "deleted a case and its decisions", case=key)
        self.database.wipe(DECISIONS, REVEALS, CASES)

    def close(self) -> None:
        """Close the database; the next use opens it again."""
        self.database.close()

    def _read(
        self, *where: sa.ColumnElement[bool], last: int | None = None, db: sa.Connection | None = None
    ) -> tuple[StoredDecision, ...]:
        """Decisions, the oldest first; the last ones alone if a number of them is given."""
        query = sa.select(DECISIONS).where(*where, *may_see(DECISIONS.c.case_key)).order_by(DECISIONS.c.number.desc()).limit(last)
        with nullcontext(db) if db else self.database.reading() as opened:
            rows = opened.execute(query).all()
        return self.database.meaning(lambda: tuple(_stored(row) for row in reversed(rows)))
