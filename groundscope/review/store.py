"""Every decision of every reviewer, in one SQLite file of the data folder; nothing that was decided is overwritten.

A decision counts until the same reviewer decides again of the same sentence; the older ones stay, each with what was visible
when it was made. What `decide` returned is on disk: a process that is killed loses nothing of it.
"""

import json
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from groundscope.cases.dataset import read, to_jsonl
from groundscope.paths import data_folder
from groundscope.review._layout import FILE, LAYOUT, now
from groundscope.review.assignments import Assignments
from groundscope.review.decisions import ReviewDecision, StoredDecision, case_key, counting, counting_by_case, fits, from_fields
from groundscope.storage.sqlite import transaction
from groundscope.storage.store_file import StoreFile
from groundscope.types import Case

_opened: dict[Path, "ReviewStore"] = {}
_opening = threading.Lock()
_COLUMNS = "number, case_key, reviewer, time, blind, undoes, settles, sentence, content"


def default() -> "ReviewStore":
    """Open the store of the data folder.

    Returns:
        One object a process and folder; its first use opens the file.
    """
    path = data_folder() / FILE
    with _opening:
        return _opened.setdefault(path, ReviewStore(path))


class ReviewStore(StoreFile):
    """Decisions by case, sentence and reviewer. Every method raises `StoreError` where the file cannot be read or written.

    Attributes:
        queues: those that are assigned to named reviewers, in the same file.
    """

    makes = True

    def __init__(self, path: Path) -> None:
        """Open nothing yet; the first use makes the file if it is missing."""
        super().__init__(path, LAYOUT)
        self.queues = Assignments(path)

    def decide(self, case: Case, reviewer: str, *decisions: ReviewDecision) -> tuple[StoredDecision, ...]:
        """Keep decisions, all or none.

        Args:
            case: its text is kept with the first decision.
            reviewer: as `reviewer_name` reads it.
            *decisions: of sentences of the case.

        Returns:
            The decisions as they are kept.

        Raises:
            ValueError: a decision does not fit the case.
        """
        return self._keep(case, reviewer, decisions, settles=False)

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self.queues.close()
        super().close()

    def settle(self, case: Case, reviewer: str, *decisions: ReviewDecision) -> tuple[StoredDecision, ...]:
        """Keep decisions about what holds where reviewers differ, all or none; `decide` says the rest.

        A settlement is none of the reviewer's own decisions: `settled` gives it, and the others leave it out. A later one, by any
        person, takes its place; one without a ruling takes it back.
        """
        return self._keep(case, reviewer, decisions, settles=True)

    def _keep(
        self, case: Case, reviewer: str, decisions: Sequence[ReviewDecision], *, settles: bool
    ) -> tuple[StoredDecision, ...]:
        if not all(fits(d, case) for d in decisions):
            raise ValueError("a decision must be of a sentence, a span and a passage of its case")
        with self._writing() as db, transaction(db):
            return tuple(_insert(db, case, reviewer, decision, settles=settles) for decision in decisions)

    def undo(self, case: Case, reviewer: str) -> StoredDecision | None:
        """Take the reviewer's last decision of a case back: the one before it is decided again, or none.

        Args:
            case: any.
            reviewer: whose decisions.

        Returns:
            The decision that counts now for the sentence; None if there is nothing to undo.
        """
        stack: dict[int, StoredDecision] = {}
        with self._writing() as db, transaction(db):
            for one in self.history(case_key(case), reviewer):
                if one.undoes is None:
                    stack[one.number] = one
                else:
                    stack.pop(one.undoes, None)
            if not stack:
                return None
            last = stack.pop(next(reversed(stack)))
            sentence = last.decision.sentence
            earlier = next((d.decision for d in reversed(stack.values()) if d.decision.sentence == sentence), None)
            return _insert(db, case, reviewer, earlier or ReviewDecision(sentence), last.number)

    def current(self, key: str, reviewer: str) -> dict[int, StoredDecision]:
        """Read the decisions that count.

        Args:
            key: of the case.
            reviewer: whose decisions.

        Returns:
            By sentence, what was decided last; what was taken back is left out.
        """
        return counting(self.history(key, reviewer))

    def decided(self, reviewer: str, *, blind: bool = False) -> dict[str, dict[int, StoredDecision]]:
        """Read all decisions of a reviewer that count.

        Args:
            reviewer: whose decisions.
            blind: leave out what was decided after the case was revealed: what was decided last before that counts.

        Returns:
            As `current` gives them, by the key of the case, in the order in which cases were first decided; without a case of
            which nothing counts.
        """
        return counting_by_case(d for d in self.all(reviewer) if d.blind or not blind)

    def settled(self) -> dict[str, dict[int, StoredDecision]]:
        """Read the settlements that count, by any person.

        Returns:
            By the key of the case, and by sentence.
        """
        return counting_by_case(self._read("WHERE settles = 1 ORDER BY number", ()))

    def reviewers(self) -> tuple[str, ...]:
        """Read who has decided something of their own, in the order of their first decisions."""
        with self._writing() as db:
            rows = db.execute("SELECT reviewer FROM decisions WHERE settles = 0 GROUP BY reviewer ORDER BY MIN(number)")
            return tuple(name for (name,) in rows)

    def history(self, key: str, reviewer: str | None = None) -> tuple[StoredDecision, ...]:
        """Read all decisions of a case, the oldest first.

        Args:
            key: of the case.
            reviewer: whose decisions; None = everyone's.
        """
        mine = "" if reviewer is None else " AND reviewer = ?"
        return self._read(
            f"WHERE case_key = ? AND settles = 0{mine} ORDER BY number", (key, *([reviewer] if reviewer is not None else []))
        )

    def all(self, reviewer: str | None = None, last: int = -1) -> tuple[StoredDecision, ...]:
        """Read all decisions, the oldest first.

        Args:
            reviewer: whose decisions; None = everyone's.
            last: how many of the newest; -1 = all of them.
        """
        mine = "" if reviewer is None else " AND reviewer = ?"
        values = (*([reviewer] if reviewer is not None else []), last)
        return self._read(f"WHERE settles = 0{mine} ORDER BY number DESC LIMIT ?", values)[::-1]

    def reveal(self, reviewer: str, *cases: Case) -> None:
        """Note that a reviewer sees what methods, labels and others say of cases from now on.

        Args:
            reviewer: who sees it; a second time changes nothing.
            *cases: their texts are kept.
        """
        with self._writing() as db, transaction(db):
            for case in cases:
                db.execute("INSERT OR IGNORE INTO cases VALUES (?, ?)", (case_key(case), to_jsonl([case])))
                db.execute("INSERT OR IGNORE INTO reveals VALUES (?, ?, ?)", (case_key(case), reviewer, now()))

    def revealed(self, reviewer: str) -> dict[str, str]:
        """Read which cases are revealed.

        Args:
            reviewer: to whom.

        Returns:
            ISO times by the key of the case.
        """
        with self._writing() as db:
            return dict(db.execute("SELECT case_key, time FROM reveals WHERE reviewer = ?", (reviewer,)))

    def stamp(self) -> tuple[int, ...]:
        """Give numbers that change whenever something is decided, revealed, assigned or deleted.

        Returns:
            The highest number and how many there are, of decisions and of queues, and how many reveals.
        """
        select = "SELECT MAX(number), COUNT(*) FROM"
        with self._writing() as db:
            found = [*db.execute(f"{select} decisions").fetchone(), *db.execute(f"{select} queues").fetchone()]
            found += db.execute("SELECT COUNT(*) FROM reveals").fetchone()
            return tuple(number or 0 for number in found)

    def cases(self, keys: Sequence[str]) -> dict[str, Case]:
        """Read the texts of cases.

        Args:
            keys: of cases with a decision, or revealed.

        Returns:
            Cases by key; a key that is not kept is left out.
        """
        found = {}
        with self._writing() as db, self._meaning():
            for key in dict.fromkeys(keys):
                for (content,) in db.execute("SELECT content FROM cases WHERE key = ?", (key,)):
                    found[key] = read("case.jsonl", content.encode()).cases[0]
        return found

    def forget(self, key: str) -> None:
        """Delete a case with everyone's decisions of it; nothing of them is left in the file.

        Args:
            key: of the case.
        """
        with self._writing() as db:
            with transaction(db):
                for table, column in (("decisions", "case_key"), ("reveals", "case_key"), ("cases", "key")):
                    db.execute(f"DELETE FROM {table} WHERE {column} = ?", (key,))  # noqa: S608
            # The log still holds what was written first.
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _read(self, where: str, values: Sequence[Any]) -> tuple[StoredDecision, ...]:
        with self._writing() as db, self._meaning():
            rows = db.execute(f"SELECT {_COLUMNS} FROM decisions {where}", tuple(values)).fetchall()  # noqa: S608
            return tuple(
                StoredDecision(
                    number, key, reviewer, time, bool(blind), from_fields(sentence, json.loads(content)), undoes, bool(settles)
                )
                for number, key, reviewer, time, blind, undoes, settles, sentence, content in rows
            )


def _insert(
    db: sqlite3.Connection,
    case: Case,
    reviewer: str,
    decision: ReviewDecision,
    undoes: int | None = None,
    *,
    settles: bool = False,
) -> StoredDecision:
    key, time = case_key(case), now()
    db.execute("INSERT OR IGNORE INTO cases VALUES (?, ?)", (key, to_jsonl([case])))
    blind = not db.execute("SELECT 1 FROM reveals WHERE case_key = ? AND reviewer = ?", (key, reviewer)).fetchone()
    number = db.execute(
        f"INSERT INTO decisions ({_COLUMNS}) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
        (key, reviewer, time, blind, undoes, settles, decision.sentence, decision.as_json()),
    ).lastrowid
    return StoredDecision(int(number or 0), key, reviewer, time, blind, decision, undoes, settles)
