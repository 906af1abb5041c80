"""Matters: named folders of sources and of the answers that are checked against them, in the database that people share."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import sqlalchemy as sa

from groundscope.cases.dataset import to_jsonl
from groundscope.cases.passages import numbered
from groundscope.errors import DataError, StoreError
from groundscope.review.decisions import case_key, printed_line
from groundscope.review.sources import MOST_CHARACTERS, SourceFile
from groundscope.review.store import ANSWERS, MATTERS, SOURCES, case_of
from groundscope.storage.database import Database, shared
from groundscope.storage.sqlite import now
from groundscope.storage.team import Role, audit, require
from groundscope.storage.team.members import (
    RESTRICTED,
    Membership,
    answer_key,
    begin_matter,
    end_matter,
    must_see,
    of_mine,
    restrict_answer,
)
from groundscope.types import Case, Passage

_LONGEST_NAME = 80


class Matter(NamedTuple):
    """A matter; `number` rises with every one of them, `created` is ISO time, UTC. `client`: empty = not named."""

    number: int
    created: str
    name: str
    client: str = ""


class MatterSource(NamedTuple):
    """A document of a matter, under its number."""

    number: int
    file: SourceFile


class MatterAnswer(NamedTuple):
    """An answer with the passages that it is checked against, under its number; `created` is ISO time, UTC."""

    number: int
    created: str
    case: Case


def default() -> "MatterStore":
    """Open the matters that this process uses."""
    return MatterStore(shared())


class MatterStore:
    """All matters. Every method raises `StoreError` where the database cannot be read or written."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def create(self, name: str, client: str = "") -> Matter:
        """Begin a matter, for a client where one is named."""
        require(Role.REVIEWER)
        written = printed_line(name)
        if not written or len(written) > _LONGEST_NAME:
            raise DataError(f"Give the matter a name of 1 to {_LONGEST_NAME} characters.")
        row = sa.insert(MATTERS).values(created=(time := now()), name=written, client=_client(client))
        try:
            with self.database.writing() as db:
                number = int(db.execute(row.returning(MATTERS.c.number)).scalar_one())
                matter = Matter(number, time, written, _client(client))
                begin_matter(db, matter.number)
                audit.record(db, "began a matter", matter=matter.number)
                return matter
        except StoreError as error:
            if self.database.refuses_key(error):
                raise DataError("There is a matter of this name; open it, or choose another name.") from None
            raise

    def all(self) -> tuple[Matter, ...]:
        """Read all matters that who acts may see, the newest first."""
        query = sa.select(MATTERS).where(*of_mine(MATTERS.c.number)).order_by(MATTERS.c.number.desc())
        with self.database.reading() as db:
            return tuple(Matter(*row) for row in db.execute(query))

    def name_client(self, matter: int, client: str) -> None:
        """Name the client of a matter; empty takes the name away."""
        require(Role.REVIEWER)
        row = sa.update(MATTERS).where(MATTERS.c.number == matter).values(client=_client(client))
        with self.database.writing() as db:
            self._must_be_there(db, matter)
            db.execute(row)
            audit.record(db, "named a client", matter=matter)

    def of(self, case: Case) -> Matter | None:
        """Find the matter of which a case is an answer, among those that who acts may see."""
        keys = [sa.select(RESTRICTED.c.matter).where(RESTRICTED.c.key == key) for key in (case_key(case), answer_key(case.id))]
        query = sa.select(MATTERS).where(*of_mine(MATTERS.c.number), *(MATTERS.c.number.in_(key) for key in keys))
        with self.database.reading() as db:
            row = db.execute(query).first()
            return Matter(*row) if row else None

    def members(self, matter: int) -> Membership:
        """Name the members of a matter, who alone see it where logins are set up."""
        return Membership(self.database, matter)

    def delete(self, matter: int) -> None:
        """Delete a matter with its sources and answers; nothing of them is left in the file."""
        require(Role.LEAD)
        with self.database.writing() as db:
            must_see(db, matter)
            for column in (SOURCES.c.matter, ANSWERS.c.matter, MATTERS.c.number):
                db.execute(sa.delete(column.table).where(column == matter))
            end_matter(db, matter)
            audit.record(db, "deleted a matter", matter=matter)
        self.database.wipe(SOURCES, ANSWERS, MATTERS, RESTRICTED)

    def add_source(self, matter: int, file: SourceFile) -> MatterSource:
        """Keep a document, in the place of those that `replaced_by` names."""
        require(Role.REVIEWER)
        there = self.sources(matter)
        same = [s.number for s in replaced_by(file, there)]
        size = sum(len(p.text) for f in (*(s.file for s in there if s.number not in same), file) for p in f.passages)
        if size > MOST_CHARACTERS:
            raise DataError(f"{file.name} does not fit in: sources may have {MOST_CHARACTERS:,} characters together.")
        content = {"name": file.name, "notes": file.notes, "passages": [(p.id, p.text, p.source, p.pages) for p in file.passages]}
        row = sa.insert(SOURCES).values(matter=matter, content=json.dumps(content)).returning(SOURCES.c.number)
        with self.database.writing() as db:
            self._must_be_there(db, matter)
            db.execute(sa.delete(SOURCES).where(SOURCES.c.number.in_(same)))
            number = int(db.execute(row).scalar_one())
            audit.record(db, "added a source", matter=matter, source=number)
            return MatterSource(number, file)

    def sources(self, matter: int) -> tuple[MatterSource, ...]:
        """Read the documents of a matter, in the order in which they were added."""
        query = sa.select(SOURCES.c.number, SOURCES.c.content).where(SOURCES.c.matter == matter)
        with self.database.reading() as db:
            rows = db.execute(query.where(*of_mine(SOURCES.c.matter)).order_by(SOURCES.c.number)).all()
        return self.database.meaning(lambda: tuple(MatterSource(n, _file(json.loads(content))) for n, content in rows))

    def drop_source(self, number: int) -> None:
        """Delete a document; answers keep the passages that they were checked against."""
        self._drop(SOURCES, number, "deleted a source")

    def add_answer(self, matter: Matter, case: Case) -> MatterAnswer:
        """Keep an answer."""
        require(Role.REVIEWER)
        row = sa.insert(ANSWERS).values(matter=matter.number, created=(time := now()), content="").returning(ANSWERS.c.number)
        with self.database.writing() as db:
            self._must_be_there(db, matter.number)
            number = int(db.execute(row).scalar_one())
            named = replace(case, id=f"{matter.name} {number}", group=case.query or None)
            db.execute(sa.update(ANSWERS).where(ANSWERS.c.number == number).values(content=to_jsonl([named])))
            restrict_answer(db, matter.number, case_key(named), named.id)
            audit.record(db, "added an answer", matter=matter.number, answer=number, case=case_key(named))
            return MatterAnswer(number, time, named)

    def answers(self, matter: int) -> tuple[MatterAnswer, ...]:
        """Read the answers of a matter, the oldest first."""
        query = sa.select(ANSWERS.c.number, ANSWERS.c.created, ANSWERS.c.content).where(ANSWERS.c.matter == matter)
        with self.database.reading() as db:
            rows = db.execute(query.where(*of_mine(ANSWERS.c.matter)).order_by(ANSWERS.c.number)).all()
        return self.database.meaning(lambda: tuple(MatterAnswer(n, created, case_of(text)) for n, created, text in rows))

    def drop_answer(self, number: int) -> None:
        """Delete an answer; what reviewers decided of it stays in the file of decisions."""
        self._drop(ANSWERS, number, "deleted an answer")

    def _must_be_there(self, db: sa.Connection, matter: int) -> None:
        must_see(db, matter)
        if not db.execute(sa.select(MATTERS.c.number).where(MATTERS.c.number == matter).with_for_update(read=True)).first():
            raise StoreError("This matter was deleted; begin another one.")

    def _drop(self, table: sa.Table, number: int, action: str) -> None:
        require(Role.LEAD)
        with self.database.writing() as db:
            matter = db.scalar(sa.select(table.c.matter).where(table.c.number == number))
            if matter is not None:
                must_see(db, matter)
                db.execute(sa.delete(table).where(table.c.number == number))
                audit.record(db, action, matter=matter, number=number)
        self.database.wipe(table)


def _client(name: str) -> str:
    written = printed_line(name)
    if len(written) > _LONGEST_NAME:
        raise DataError(f"Give the client a name of at most {_LONGEST_NAME} characters.")
    return written


def _file(content: dict[str, Any]) -> SourceFile:
    passages = tuple(
        Passage(i, text, source, tuple((start, number) for start, number in pages))
        for i, text, source, pages in content["passages"]
    )
    return SourceFile(str(content["name"]), passages, tuple(content["notes"]))


def replaced_by(file: SourceFile, sources: Iterable[MatterSource]) -> tuple[MatterSource, ...]:
    """Find the documents whose place a file takes: that of its name, and those of the same text under another name."""
    name, texts = file.name.casefold(), [p.text for p in file.passages]
    return tuple(s for s in sources if s.file.name.casefold() == name or [p.text for p in s.file.passages] == texts)


def matter_passages(sources: Iterable[MatterSource]) -> tuple[Passage, ...]:
    """Put the passages of documents together, in order."""
    return numbered(p for s in sources for p in s.file.passages)
