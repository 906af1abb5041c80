"""Queues that are assigned to named reviewers, in the file of decisions; what each has read of them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from groundscope.cases.dataset import to_jsonl
from groundscope.errors import DataError
from groundscope.review._layout import LAYOUT, now
from groundscope.review.decisions import case_key, reviewer_name
from groundscope.storage.sqlite import transaction
from groundscope.storage.store_file import StoreFile
from groundscope.types import Case

MOST_REVIEWERS = 10
"""Of one queue."""
_LONGEST_TITLE = 80


class Assignment(NamedTuple):
    """A queue of named reviewers; every one of them reads every case.

    Attributes:
        number: rises with every queue.
        created: ISO time, UTC.
        title: for people.
        reviewers: as `reviewer_name` reads them.
        keys: of the cases, in order.
    """

    number: int
    created: str
    title: str
    reviewers: tuple[str, ...]
    keys: tuple[str, ...]


class Assignments(StoreFile):
    """The queues of a file of decisions. Every method raises `StoreError` where the file cannot be read or written."""

    makes = True

    def __init__(self, path: Path) -> None:
        """Open nothing yet; the first use makes the file if it is missing."""
        super().__init__(path, LAYOUT)

    def assign(self, title: str, reviewers: Sequence[str], cases: Sequence[Case]) -> Assignment:
        """Keep a queue.

        Args:
            title: for people; empty = its number of cases.
            reviewers: names as people write them.
            cases: in order; their texts are kept, so that another reviewer needs no file.

        Returns:
            The queue.

        Raises:
            DataError: there is no case, no reviewer, too many of them, or a name that is none.
        """
        names = tuple(dict.fromkeys(map(reviewer_name, reviewers)))
        if not names or len(names) > MOST_REVIEWERS:
            raise DataError(f"Name 1 to {MOST_REVIEWERS} reviewers.")
        if not cases:
            raise DataError("The queue has no case.")
        by_key = {case_key(c): c for c in cases}
        written = " ".join(title.split())[:_LONGEST_TITLE] or f"{len(by_key):,} cases"
        content = {"title": written, "reviewers": names, "keys": list(by_key)}
        with self._writing() as db, transaction(db):
            db.executemany("INSERT OR IGNORE INTO cases VALUES (?, ?)", [(k, to_jsonl([c])) for k, c in by_key.items()])
            row = db.execute("INSERT INTO queues (created, content) VALUES (?, ?)", (time := now(), json.dumps(content)))
            return Assignment(int(row.lastrowid or 0), time, written, names, tuple(by_key))

    def all(self) -> tuple[Assignment, ...]:
        """Read all queues, the newest first."""
        with self._writing() as db, self._meaning():
            rows = db.execute("SELECT number, created, content FROM queues ORDER BY number DESC").fetchall()
            return tuple(_assignment(number, created, json.loads(content)) for number, created, content in rows)

    def withdraw(self, number: int) -> None:
        """Delete a queue, and the texts of its cases that are in no other queue and were neither decided nor revealed.

        Args:
            number: of the queue.
        """
        others = {key for one in self.all() if one.number != number for key in one.keys}
        mine = {key for one in self.all() if one.number == number for key in one.keys}
        with self._writing() as db:
            with transaction(db):
                db.execute("DELETE FROM queues WHERE number = ?", (number,))
                for key in mine - others:
                    db.execute(
                        "DELETE FROM cases WHERE key = ?1 AND key NOT IN (SELECT case_key FROM decisions WHERE case_key = ?1)"
                        " AND key NOT IN (SELECT case_key FROM reveals WHERE case_key = ?1)",
                        (key,),
                    )
            # The log still holds what was written first.
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _assignment(number: int, created: str, content: Mapping[str, Sequence[str]]) -> Assignment:
    return Assignment(number, created, str(content["title"]), tuple(content["reviewers"]), tuple(content["keys"]))
