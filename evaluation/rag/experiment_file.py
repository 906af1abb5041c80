"""An experiment on disk: corpus, questions, and everything that was retrieved, written and judged, as it comes.

One SQLite file in WAL mode each, in `rag/` of the data folder. What is kept is on disk when the call returns, also after
`kill -9`. What failed is not kept, so that the next start tries it again.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from evaluation import _run_lock
from evaluation._sqlite import transaction
from evaluation._store_file import Layout, StoreFile, refused
from evaluation.errors import StoreError
from evaluation.places import DATA_VARIABLE
from evaluation.rag.dropping import Dropped, Effect
from evaluation.rag.types import Benchmark, Hit, Question, Verdict, Written
from evaluation.types import Passage

_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE passages (row INTEGER PRIMARY KEY, id TEXT, text TEXT, source TEXT);
CREATE TABLE questions (row INTEGER PRIMARY KEY, id TEXT, text TEXT, reference TEXT, relevant TEXT);
CREATE TABLE hits (retriever INTEGER, question INTEGER, found TEXT, PRIMARY KEY (retriever, question)) WITHOUT ROWID;
CREATE TABLE answers (retriever INTEGER, generator INTEGER, question INTEGER, text TEXT, note TEXT,
    PRIMARY KEY (retriever, generator, question)) WITHOUT ROWID;
CREATE TABLE verdicts (retriever INTEGER, generator INTEGER, question INTEGER, correct INTEGER, grounded INTEGER, reasons TEXT,
    PRIMARY KEY (retriever, generator, question)) WITHOUT ROWID;
CREATE TABLE drops (retriever INTEGER, generator INTEGER, question INTEGER, found TEXT,
    PRIMARY KEY (retriever, generator, question)) WITHOUT ROWID;
"""


class Part(NamedTuple):
    """A retriever, a generator or the judge: its id for `load`, what people call it, and its signature."""

    id: str
    title: str
    signature: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What an experiment crosses.

    Attributes:
        name: for people.
        retrievers: of which each finds passages for every question.
        generators: of which each answers from what each retriever found.
        judge: says what is correct and grounded.
        k: passages retrieved.
        benchmark: the name of the corpus with its questions.
        licence: of its data.
        notes: what whoever reads the results must know of how they came about, in sentences.
    """

    name: str
    retrievers: tuple[Part, ...]
    generators: tuple[Part, ...]
    judge: Part
    k: int = 5
    benchmark: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        if not self.retrievers or not self.generators:
            raise ValueError("Choose at least one embedder and one generator.")
        for kind, parts in (("embedder", self.retrievers), ("generator", self.generators)):
            if len({p.signature for p in parts}) < len(parts):
                raise ValueError(f"Each {kind} can be chosen once.")
            # Answers are known by titles: two parts of one title would be taken for one.
            if len({p.title for p in parts}) < len(parts):
                raise ValueError(f"Each {kind} needs a title of its own.")
        if type(self.k) is not int or self.k < 1:
            raise ValueError(f"k must be a whole number of at least 1, got {self.k!r}")


class Place(NamedTuple):
    """Where in the design an answer stands: places in the plan, and the row of the question."""

    retriever: int
    generator: int
    question: int


class ExperimentFile(StoreFile):
    """One experiment; safe to share between threads."""

    layout = Layout(
        "file of an experiment", _TABLES, 1, f"{DATA_VARIABLE} to another folder", f"{DATA_VARIABLE} to a folder that can"
    )

    def fill(self, plan: Plan, benchmark: Benchmark, deepest: int) -> None:
        """Write plan, corpus and questions; `deepest` is how many passages are retrieved for the figures of retrieval.

        Raises:
            StoreError: it cannot be written.
        """
        about = {"plan": asdict(plan), "created": datetime.now(UTC).isoformat(timespec="seconds"), "deepest": deepest}
        with self._writing() as db, transaction(db):
            db.executemany("INSERT INTO about VALUES (?, ?)", [(name, json.dumps(value)) for name, value in about.items()])
            texts = [(i, p.id, p.text, p.source) for i, p in enumerate(benchmark.passages)]
            db.executemany("INSERT INTO passages VALUES (?, ?, ?, ?)", texts)
            rows = [(i, q.id, q.text, q.reference, json.dumps(q.relevant)) for i, q in enumerate(benchmark.questions)]
            db.executemany("INSERT INTO questions VALUES (?, ?, ?, ?, ?)", rows)

    def plan(self) -> Plan:
        """The plan.

        Raises:
            StoreError: it cannot be read.
        """
        row = self._about("plan")
        with self._meaning():
            parts = {name: tuple(Part(*p) for p in row[name]) for name in ("retrievers", "generators")}
            return Plan(**{**row, **parts, "judge": Part(*row["judge"]), "notes": tuple(row.get("notes", ()))})

    def created(self) -> str:
        """When it was made, UTC."""
        return str(self._about("created"))

    def deepest(self) -> int:
        """How many passages are retrieved for each question."""
        return int(self._about("deepest"))

    def _about(self, name: str) -> Any:
        with self._writing() as db:
            found = db.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        if found is None:
            raise StoreError(f"{self.path} holds no experiment; delete it.")
        with self._meaning():
            return json.loads(found[0])

    def passages(self) -> list[Passage]:
        """The corpus."""
        with self._writing() as db:
            return [Passage(*row) for row in db.execute("SELECT id, text, source FROM passages ORDER BY row")]

    def questions(self) -> list[Question]:
        """The questions."""
        with self._writing() as db:
            rows = db.execute("SELECT id, text, reference, relevant FROM questions ORDER BY row").fetchall()
        with self._meaning():
            return [Question(id_, text, reference, tuple(json.loads(relevant))) for id_, text, reference, relevant in rows]

    def keep_hits(self, retriever: int, found: Sequence[Sequence[Hit]]) -> None:
        """Keep what a retriever found for all questions."""
        rows = [(retriever, q, json.dumps([list(h) for h in hits])) for q, hits in enumerate(found)]
        with self._writing() as db, transaction(db):
            db.executemany("INSERT OR REPLACE INTO hits VALUES (?, ?, ?)", rows)

    def hits(self, retriever: int) -> list[list[Hit]] | None:
        """What a retriever found, by question; None where it has not been asked."""
        with self._writing() as db:
            rows = db.execute("SELECT found FROM hits WHERE retriever = ? ORDER BY question", (retriever,)).fetchall()
        with self._meaning():
            return [[Hit(int(p), float(s)) for p, s in json.loads(row[0])] for row in rows] or None

    def keep_answer(self, place: Place, written: Written) -> None:
        """Keep an answer."""
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", (*place, *written))

    def keep_verdict(self, place: Place, verdict: Verdict) -> None:
        """Keep a verdict."""
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?, ?)", (*place, *verdict))

    def written(self) -> dict[Place, Written]:
        """Every answer."""
        with self._writing() as db:
            rows = db.execute("SELECT retriever, generator, question, text, note FROM answers").fetchall()
        return {Place(*row[:3]): Written(*row[3:]) for row in rows}

    def verdicts(self) -> dict[Place, Verdict]:
        """Every verdict."""
        with self._writing() as db:
            rows = db.execute("SELECT retriever, generator, question, correct, grounded, reasons FROM verdicts").fetchall()
        return {Place(*row[:3]): Verdict(_truth(row[3]), _truth(row[4]), row[5]) for row in rows}

    def keep_drops(self, place: Place, found: Sequence[Dropped]) -> None:
        """Keep what leaving out each passage did to an answer."""
        text = json.dumps([asdict(d) | {"written": list(d.written), "verdict": list(d.verdict)} for d in found])
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO drops VALUES (?, ?, ?, ?)", (*place, text))

    def drops(self, place: Place) -> list[Dropped]:
        """What leaving out each passage did to an answer; empty where that was not tried."""
        with self._writing() as db:
            row = db.execute("SELECT found FROM drops WHERE retriever = ? AND generator = ? AND question = ?", place).fetchone()
        with self._meaning():
            return [_dropped(d) for d in json.loads(row[0])] if row else []

    def tell(self, *progress: str | int) -> None:
        """Keep how far work is, for other processes: stage, part, done, total."""
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO about VALUES ('progress', ?)", (json.dumps(progress),))

    def told(self) -> tuple[str, str, int, int] | None:
        """How far work is: stage, part, done, total; None before it began."""
        with self._writing() as db:
            row = db.execute("SELECT value FROM about WHERE name = 'progress'").fetchone()
        with self._meaning():
            stage, part, done, total = json.loads(row[0]) if row else ("", "", 0, 0)
            return (str(stage), str(part), int(done), int(total)) if row else None

    def counts(self) -> tuple[int, int, int]:
        """How many searches, answers and verdicts are kept: cheap enough to ask every second."""
        with self._writing() as db:
            counted = (db.execute(f"SELECT COUNT(*) FROM {t}").fetchone()[0] for t in ("hits", "answers", "verdicts"))  # noqa: S608
            searches, answers, verdicts = counted
        return int(searches), int(answers), int(verdicts)

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


def _dropped(row: dict[str, Any]) -> Dropped:
    effect = Effect(row["effect"]) if row["effect"] else None
    return Dropped(**{**row, "written": Written(*row["written"]), "verdict": Verdict(*row["verdict"]), "effect": effect})


def _truth(value: int | None) -> bool | None:
    return None if value is None else bool(value)
