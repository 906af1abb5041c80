"""A run on disk: its scenarios, and every argument and extraction as it comes.

One SQLite file in WAL mode each, in `arguments/` of the data folder. What is kept is on disk when the call returns, also after
`kill -9`. What failed is not kept, so that the next start tries it again.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from evaluation import _run_lock
from evaluation._sqlite import transaction
from evaluation._store_file import Layout, StoreFile, refused
from evaluation.arguments.asking import Extracted
from evaluation.arguments.extraction import of_sets
from evaluation.arguments.parsing import Argument
from evaluation.arguments.plan import Part, Place, Plan
from evaluation.arguments.scenario_files import from_row, to_row
from evaluation.arguments.types import Catalogue, Factor, Scenario, Side
from evaluation.arguments.writing import NOTHING, Cost
from evaluation.errors import StoreError
from evaluation.places import DATA_VARIABLE

_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE scenarios (row INTEGER PRIMARY KEY, content TEXT);
CREATE TABLE arguments (arguer INTEGER, wording INTEGER, scenario INTEGER, plies TEXT, note TEXT,
    calls INTEGER, tokens INTEGER, dollars REAL, PRIMARY KEY (arguer, wording, scenario)) WITHOUT ROWID;
CREATE TABLE extractions (arguer INTEGER, wording INTEGER, scenario INTEGER, sets TEXT, note TEXT,
    calls INTEGER, tokens INTEGER, dollars REAL, PRIMARY KEY (arguer, wording, scenario)) WITHOUT ROWID;
"""


class RunFile(StoreFile):
    """One run; safe to share between threads."""

    layout = Layout(
        "file of arguments", _TABLES, 1, f"{DATA_VARIABLE} to another folder", f"{DATA_VARIABLE} to a folder that can"
    )

    def fill(self, plan: Plan, scenarios: Sequence[Scenario], written: Mapping[Place, Argument] | None = None) -> None:
        """Write plan, scenarios, and the arguments that are there already.

        Raises:
            StoreError: it cannot be written.
        """
        about = {"plan": asdict(plan), "created": datetime.now(UTC).isoformat(timespec="seconds")}
        rows = [(i, json.dumps(to_row(s, plan.catalogue))) for i, s in enumerate(scenarios)]
        with self._writing() as db, transaction(db):
            db.executemany("INSERT INTO about VALUES (?, ?)", [(name, json.dumps(value)) for name, value in about.items()])
            db.executemany("INSERT INTO scenarios VALUES (?, ?)", rows)
            given = [(*place, json.dumps(a.plies), a.note, *NOTHING) for place, a in (written or {}).items()]
            db.executemany("INSERT INTO arguments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", given)

    def plan(self) -> Plan:
        """The plan.

        Raises:
            StoreError: it cannot be read.
        """
        row = self._about("plan")
        with self._meaning():
            factors = tuple(
                Factor(f["number"], f["name"], Side(f["side"]), f["description"]) for f in row["catalogue"]["factors"]
            )
            return Plan(
                row["name"],
                Catalogue(row["catalogue"]["name"], factors),
                tuple(Part(*p) for p in row["arguers"]),
                tuple(row["wordings"]),
                Part(*row["extractor"]) if row["extractor"] else None,
            )

    def created(self) -> str:
        """When it was made, UTC."""
        return str(self._about("created"))

    def _about(self, name: str, default: Any = None) -> Any:
        with self._writing() as db:
            found = db.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        if found is None and default is None:
            raise StoreError(f"{self.path} holds no run of arguments; delete it.")
        with self._meaning():
            return default if found is None else json.loads(found[0])

    def scenarios(self, catalogue: Catalogue) -> list[Scenario]:
        """The scenarios."""
        with self._writing() as db:
            rows = db.execute("SELECT content FROM scenarios ORDER BY row").fetchall()
        with self._meaning():
            return [from_row(json.loads(content), catalogue) for (content,) in rows]

    def keep_argument(self, place: Place, argument: Argument, cost: Cost) -> None:
        """Keep an argument and what it took."""
        row = (*place, json.dumps(argument.plies), argument.note, *cost)
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO arguments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def keep_extraction(self, place: Place, made: Extracted) -> None:
        """Keep what another model extracted, or why its replies could not be read, and what it took."""
        sets = None if made.found is None else [sorted(s) for s in made.found.sets]
        row = (*place, json.dumps(sets), made.why or (made.found.note if made.found else ""), *made.cost)
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO extractions VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def arguments(self) -> dict[Place, tuple[Argument, Cost]]:
        """Every argument so far."""
        with self._writing() as db:
            rows = db.execute("SELECT * FROM arguments").fetchall()
        with self._meaning():
            return {Place(*r[:3]): (Argument(tuple(json.loads(r[3])), r[4]), Cost(*r[5:])) for r in rows}

    def extractions(self) -> dict[Place, Extracted]:
        """Everything that another model extracted so far."""
        with self._writing() as db:
            rows = db.execute("SELECT * FROM extractions").fetchall()
        with self._meaning():
            return {Place(*r[:3]): _extracted(json.loads(r[3]), r[4], Cost(*r[5:])) for r in rows}

    def counts(self) -> tuple[int, int, int]:
        """How many scenarios, arguments and extractions are kept: cheap enough to ask every second."""
        with self._writing() as db:
            tables = ("scenarios", "arguments", "extractions")
            scenarios, arguments, extractions = (db.execute(f"SELECT COUNT(*) FROM {t}").fetchone()[0] for t in tables)  # noqa: S608
        return int(scenarios), int(arguments), int(extractions)

    def keep_paid(self, cost: Cost) -> None:
        """Add what was paid for a step that came to nothing."""
        total = self.paid() + cost
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO about VALUES ('paid', ?)", (json.dumps(total),))

    def paid(self) -> Cost:
        """What was paid for steps that came to nothing."""
        found = self._about("paid", list(NOTHING))
        with self._meaning():
            return Cost(*found)

    def tell_faults(self, faults: Mapping[str, int]) -> None:
        """Keep why steps of the last start failed, and how often."""
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO about VALUES ('faults', ?)", (json.dumps(dict(faults)),))

    def faults(self) -> dict[str, int]:
        """Why steps of the last start failed, and how often each reason came."""
        found = self._about("faults", {})
        with self._meaning():
            return {str(why): int(count) for why, count in found.items()}

    @contextmanager
    def working(self) -> Iterator[None]:
        """Be the one process that works on it.

        Raises:
            StoreError: another one does, or the folder cannot be written.
        """
        try:
            lock = _run_lock.taken(self.path.with_name(f"{self.path.name}.lock"))
        except OSError as error:
            raise refused(self.path, error, self.layout) from error
        try:
            yield
        finally:
            lock.release()

    def busy(self) -> bool:
        """Whether a process works on it now."""
        return _run_lock.busy(self.path.with_name(f"{self.path.name}.lock"))


def _extracted(sets: list[list[str]] | None, note: str, cost: Cost) -> Extracted:
    if sets is None:
        return Extracted(None, cost, note)
    return Extracted(of_sets([frozenset(s) for s in sets], note), cost)
