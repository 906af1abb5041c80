"""Append-only store of all reviewers' decisions, in the database that people share.

A decision counts until the same reviewer decides again of the same sentence; the older ones stay, each with what was visible
when it was made. What `decide` returned is on disk: a process that is killed loses nothing of it.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import sqlalchemy as sa

from groundscope.cases.dataset import read, to_jsonl
from groundscope.errors import ChangedMeanwhile
from groundscope.review._tables import CASES, DECISIONS, QUEUES, REVEALS, now
from groundscope.review.assignments import Assignments
from groundscope.review.decisions import (
    ReviewDecision,
    StoredDecision,
    case_key,
    counting,
    counting_by_case,
    fits,
    from_fields,
    undoable,
)
from groundscope.storage.database import Database, shared
from groundscope.storage.team import audit
from groundscope.storage.team.acting import require
from groundscope.storage.team.members import matters_of, may_see, must_see_all
from groundscope.storage.team.roles import Role
from groundscope.types import Case

_OWN = DECISIONS.c.settles.is_(False)


def _case_of(content: str) -> Case:
    return read("case.jsonl", content.encode()).cases[0]


def _by(reviewer: str | None) -> tuple[sa.ColumnElement[bool], ...]:
    return () if reviewer is None else (DECISIONS.c.reviewer == reviewer,)


def _stored(row: Any) -> StoredDecision:
    decision = from_fields(row.sentence, json.loads(row.content))
    return StoredDecision(row.number, row.case_key, row.reviewer, row.time, row.blind, decision, row.undoes, row.settles)


def _must_be_newest(history: Iterable[StoredDecision], sentences: Collection[int], after: int) -> None:
    """Refuse what was decided without having seen what counts now."""
    newest = max((d.number for i, d in counting(history).items() if i in sentences), default=0)
    if newest != after:
        raise ChangedMeanwhile("This was decided in another window in the meantime; look at it, then decide again.")


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


def default() -> "ReviewStore":
    """Open the decisions that this process uses."""
    return ReviewStore(shared())


class ReviewStore:
    """Decisions by case, sentence and reviewer. Every method raises `StoreError` where the database cannot be read or written.

    `queues`: those that are assigned to named reviewers, in the same database.
    """

    def __init__(self, database: Database) -> None:
        self.database, self.queues = database, Assignments(database)

    def decide(
        self,
        case: Case,
        reviewer: str,
        *decisions: ReviewDecision,
        after: int | None = None,
        call: str | None = None,
    ) -> tuple[StoredDecision, ...]:
        """Keep decisions, all or none.

        Raises:
            ChangedMeanwhile: another decision than `after` counts; nothing is kept.
        """
        require(Role.REVIEWER, reviewer)
        return self._keep(case, reviewer, decisions, after, call, settles=False)

    def settle(
        self,
        case: Case,
        reviewer: str,
        *decisions: ReviewDecision,
        after: int | None = None,
        call: str | None = None,
    ) -> tuple[StoredDecision, ...]:
        """Store decisions that settle differences between reviewers, all or none; see `decide`.

        A settlement does not count as the reviewer's own decision: only `settled` gives it. A later one, by any person, takes its
        place; one without a ruling takes it back. `after` is a number of a settlement, by any person.
        """
        require(Role.LEAD, reviewer)
        return self._keep(case, reviewer, decisions, after, call, settles=True)

    def _keep(
        self,
        case: Case,
        reviewer: str,
        decisions: Sequence[ReviewDecision],
        after: int | None,
        call: str | None,
        *,
        settles: bool,
    ) -> tuple[StoredDecision, ...]:
        if not all(fits(d, case) for d in decisions):
            raise ValueError("a decision must be of a sentence, a span and a passage of its case")
        with self._deciding(case) as db:
            if call and (before := self._read(DECISIONS.c.call.startswith(f"{call}.", autoescape=True), db=db)):
                return before
            if after is not None:
                mine = (~_OWN,) if settles else (_OWN, *_by(reviewer))
                history = self._read(*mine, DECISIONS.c.case_key == case_key(case), db=db)
                _must_be_newest(history, [d.sentence for d in decisions], after)
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
                    texts[key] = self.database.meaning(partial(_case_of, content))
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
        if db is None:
            with self.database.reading() as db:
                rows = db.execute(query).all()
        else:
            rows = db.execute(query).all()
        return self.database.meaning(lambda: tuple(_stored(row) for row in reversed(rows)))
