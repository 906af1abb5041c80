"""Matters: named folders of sources and of the answers that are checked against them, in one SQLite file of the data folder."""

import json
import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from groundscope.cases.dataset import read, to_jsonl
from groundscope.errors import DataError, StoreError
from groundscope.files.fields import clean
from groundscope.paths import DATA_VARIABLE, data_folder
from groundscope.review._layout import now
from groundscope.review.sources import MOST_CHARACTERS, SourceFile
from groundscope.storage.sqlite import transaction
from groundscope.storage.store_file import Layout, StoreFile
from groundscope.types import Case, Passage

_TABLES = """
CREATE TABLE matters (number INTEGER PRIMARY KEY, created TEXT, name TEXT);
CREATE TABLE sources (number INTEGER PRIMARY KEY, matter INTEGER, content TEXT);
CREATE TABLE answers (number INTEGER PRIMARY KEY, matter INTEGER, created TEXT, content TEXT);
CREATE INDEX of_matter ON sources (matter, number);
CREATE INDEX answers_of_matter ON answers (matter, number);
"""
_LONGEST_NAME = 80
_opened: dict[Path, "MatterStore"] = {}
_opening = threading.Lock()


class Matter(NamedTuple):
    """A matter; `number` rises with every one of them, `created` is ISO time, UTC."""

    number: int
    created: str
    name: str


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
    """Open the matters of the data folder.

    Returns:
        One object a process and folder; its first use opens the file.
    """
    path = data_folder() / "matters.sqlite"
    with _opening:
        return _opened.setdefault(path, MatterStore(path))


class MatterStore(StoreFile):
    """All matters. Every method raises `StoreError` where the file cannot be read or written."""

    makes = True

    def __init__(self, path: Path) -> None:
        """Open nothing yet; the first use makes the file if it is missing."""
        super().__init__(path, Layout(_TABLES, 1, DATA_VARIABLE, "matters", "do it again"))

    def create(self, name: str) -> Matter:
        """Begin a matter.

        Args:
            name: for people; two matters may not have the same.

        Returns:
            The matter, without sources and answers.

        Raises:
            DataError: the name is empty, too long or taken.
        """
        written = " ".join("".join(c if c.isprintable() else " " for c in clean(name)).split())
        if not written or len(written) > _LONGEST_NAME:
            raise DataError(f"Give the matter a name of 1 to {_LONGEST_NAME} characters.")
        with self._writing() as db, transaction(db):
            if db.execute("SELECT 1 FROM matters WHERE name = ?", (written,)).fetchone():
                raise DataError("There is a matter of this name; open it, or choose another name.")
            row = db.execute("INSERT INTO matters (created, name) VALUES (?, ?)", (time := now(), written))
            return Matter(int(row.lastrowid or 0), time, written)

    def all(self) -> tuple[Matter, ...]:
        """Read all matters, the newest first."""
        with self._writing() as db:
            return tuple(Matter(*row) for row in db.execute("SELECT number, created, name FROM matters ORDER BY number DESC"))

    def delete(self, matter: int) -> None:
        """Delete a matter with its sources and answers; nothing of them is left in the file.

        Args:
            matter: its number.
        """
        self._delete(("sources", "matter", matter), ("answers", "matter", matter), ("matters", "number", matter))

    def add_source(self, matter: int, file: SourceFile) -> MatterSource:
        """Keep a document.

        Args:
            matter: its number.
            file: one with the same name is replaced.

        Returns:
            The document as it is kept.

        Raises:
            DataError: the sources of the matter would have more than `groundscope.review.sources.MOST_CHARACTERS`.
            StoreError: the matter was deleted.
        """
        others = [s for s in self.sources(matter) if s.file.name != file.name]
        size = sum(len(p.text) for f in (*(s.file for s in others), file) for p in f.passages)
        if size > MOST_CHARACTERS:
            raise DataError(f"{file.name} does not fit in: sources may have {MOST_CHARACTERS:,} characters together.")
        same = [s.number for s in self.sources(matter) if s.file.name == file.name]
        content = {"name": file.name, "notes": file.notes, "passages": [(p.id, p.text, p.source, p.pages) for p in file.passages]}
        with self._writing() as db, transaction(db):
            self._must_be_there(db, matter)
            db.executemany("DELETE FROM sources WHERE number = ?", [(n,) for n in same])
            row = db.execute("INSERT INTO sources (matter, content) VALUES (?, ?)", (matter, json.dumps(content)))
            return MatterSource(int(row.lastrowid or 0), file)

    def sources(self, matter: int) -> tuple[MatterSource, ...]:
        """Read the documents of a matter, in the order in which they were added.

        Args:
            matter: its number.
        """
        with self._writing() as db, self._meaning():
            rows = db.execute("SELECT number, content FROM sources WHERE matter = ? ORDER BY number", (matter,)).fetchall()
            return tuple(MatterSource(number, _file(json.loads(content))) for number, content in rows)

    def drop_source(self, number: int) -> None:
        """Delete a document; answers keep the passages that they were checked against.

        Args:
            number: of the document.
        """
        self._delete(("sources", "number", number))

    def add_answer(self, matter: Matter, case: Case) -> MatterAnswer:
        """Keep an answer.

        Args:
            matter: whose sources it is checked against.
            case: with the passages that it is checked against; its id is replaced by the matter's name and a number.

        Returns:
            The answer as it is kept.

        Raises:
            StoreError: the matter was deleted.
        """
        with self._writing() as db, transaction(db):
            self._must_be_there(db, matter.number)
            row = db.execute("INSERT INTO answers (matter, created, content) VALUES (?, ?, '')", (matter.number, time := now()))
            number = int(row.lastrowid or 0)
            named = replace(case, id=f"{matter.name} {number}", group=case.query or None)
            db.execute("UPDATE answers SET content = ? WHERE number = ?", (to_jsonl([named]), number))
            return MatterAnswer(number, time, named)

    def answers(self, matter: int) -> tuple[MatterAnswer, ...]:
        """Read the answers of a matter, the oldest first.

        Args:
            matter: its number.
        """
        with self._writing() as db, self._meaning():
            query = "SELECT number, created, content FROM answers WHERE matter = ? ORDER BY number"
            rows = db.execute(query, (matter,)).fetchall()
            return tuple(MatterAnswer(n, created, read("a.jsonl", text.encode()).cases[0]) for n, created, text in rows)

    def drop_answer(self, number: int) -> None:
        """Delete an answer; what reviewers decided of it stays in the file of decisions.

        Args:
            number: of the answer.
        """
        self._delete(("answers", "number", number))

    def _must_be_there(self, db: Any, matter: int) -> None:
        if not db.execute("SELECT 1 FROM matters WHERE number = ?", (matter,)).fetchone():
            raise StoreError("This matter was deleted; begin another one.")

    def _delete(self, *rows: tuple[str, str, int]) -> None:
        with self._writing() as db:
            with transaction(db):
                for table, column, value in rows:
                    db.execute(f"DELETE FROM {table} WHERE {column} = ?", (value,))  # noqa: S608
            # The log still holds what was written first.
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _file(content: dict[str, Any]) -> SourceFile:
    passages = tuple(
        Passage(i, text, source, tuple((start, number) for start, number in pages))
        for i, text, source, pages in content["passages"]
    )
    return SourceFile(str(content["name"]), passages, tuple(content["notes"]))


def matter_passages(sources: Iterable[MatterSource]) -> tuple[Passage, ...]:
    """Put the passages of documents together, in order.

    Args:
        sources: of a matter.

    Returns:
        Passages named "p1", "p2", ...
    """
    found = [p for s in sources for p in s.file.passages]
    return tuple(replace(p, id=f"p{n}") for n, p in enumerate(found, 1))
