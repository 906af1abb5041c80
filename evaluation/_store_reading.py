"""What is read of the store: runs and how far they are, their cases, their judgements, and when work on them began."""

import json
import zlib
from collections.abc import Iterator, Sequence

from evaluation._own_shape import own_case
from evaluation._store_file import StoreFile
from evaluation.errors import StoreError
from evaluation.plans import Kept, Listed, Start, plan_from_json
from evaluation.types import Case


class StoredRuns(StoreFile):
    """The reading half of `evaluation.store.Store`."""

    def runs(self) -> list[Listed]:
        """All runs, the newest first.

        Raises:
            StoreError: the store cannot be read.
        """
        return self._listed()

    def run(self, run: str) -> Listed:
        """One run.

        Raises:
            StoreError: there is none of this id.
        """
        for listed in self._listed(run):
            return listed
        raise StoreError(
            f"There is no run {run} in {self.path}; the runs page and `python -m groundscope runs` list those that are."
        )

    def _listed(self, only: str | None = None) -> list[Listed]:
        if not self._is_there():
            return []
        count = "SELECT method, COUNT(*), SUM(status = 'failed') FROM judgements WHERE run = ? GROUP BY method"
        with self._writing() as db:
            rows = db.execute("SELECT id, created, finished, plan FROM runs ORDER BY created DESC, rowid DESC").fetchall()
            found = [(*row, db.execute(count, row[:1]).fetchall()) for row in rows if only in (None, row[0])]
        listed = []
        with self._meaning():
            for run, created, finished, plan_text, counts in found:
                plan = plan_from_json(plan_text)
                done = {method: (n, failed) for method, n, failed in counts}
                both = [done.get(i, (0, 0)) for i in range(len(plan.methods))]
                listed.append(Listed(run, created, finished, plan, tuple(n for n, _ in both), tuple(f for _, f in both)))
        return listed

    def cases(self, run: str, rows: Sequence[int] | None = None) -> list[Case]:
        """The cases of a run, all of them or those at some rows.

        Raises:
            StoreError: they are not there, or not readable.
        """
        with self._writing() as db:
            if rows is None:
                found = db.execute("SELECT content FROM cases WHERE run = ? ORDER BY row", (run,)).fetchall()
            else:
                question = "SELECT content FROM cases WHERE run = ? AND row = ?"
                found = [db.execute(question, (run, int(row))).fetchone() for row in rows]
        if None in found:
            raise StoreError(f"The run {run} is not in {self.path} any more: it was deleted.")
        with self._meaning():
            return [own_case(json.loads(zlib.decompress(content)), "") for (content,) in found]

    def done(self, run: str) -> set[tuple[int, int]]:
        """What is judged: (method, row)."""
        with self._writing() as db:
            return set(db.execute("SELECT method, row FROM judgements WHERE run = ?", (run,)).fetchall())

    def judgements(self, run: str, method: int) -> Iterator[Kept]:
        """A method's judgements in a run, by row.

        Raises:
            StoreError: they are not readable.
        """
        with self._writing() as db:
            found = db.execute(
                "SELECT row, timed, content FROM judgements WHERE run = ? AND method = ? ORDER BY row", (run, method)
            ).fetchall()
        for row, timed, content in found:
            with self._meaning():
                kept = Kept(method, row, bool(timed), json.loads(zlib.decompress(content)))
            yield kept

    def starts(self, run: str) -> list[Start]:
        """Every time that work began."""
        with self._writing() as db:
            question = "SELECT started, machine, cold, done FROM starts WHERE run = ? ORDER BY rowid"
            found = db.execute(question, (run,)).fetchall()
        with self._meaning():
            return [
                Start(at, tuple(json.loads(machine)), json.loads(cold), tuple(json.loads(done)))
                for at, machine, cold, done in found
            ]

    def spent(self, run: str) -> tuple[int, float]:
        """Calls made and US dollars spent by a run so far, every time that work on it began."""
        with self._writing() as db:
            calls, dollars = db.execute("SELECT SUM(calls), SUM(dollars) FROM starts WHERE run = ?", (run,)).fetchone()
        return int(calls or 0), float(dollars or 0.0)
