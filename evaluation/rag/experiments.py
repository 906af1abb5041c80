"""All experiments on this machine: made, listed, opened, deleted; and what an experiment holds as answers to analyse."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from evaluation.errors import StoreError
from evaluation.places import data_folder
from evaluation.rag.experiment_file import ExperimentFile, Plan
from evaluation.rag.outcomes import Answer
from evaluation.rag.types import Benchmark

DEEPEST = 10
"""At least so many passages are retrieved: retrieval is measured at 1, 3, 5 and 10."""


def folder() -> Path:
    """Where experiments lie; it may not exist yet."""
    return data_folder() / "rag"


def create(plan: Plan, benchmark: Benchmark) -> str:
    """Begin an experiment and give its id.

    Raises:
        StoreError: it cannot be written.
        ValueError: there is nothing to ask, or nothing to search.
    """
    if not benchmark.passages or not benchmark.questions:
        raise ValueError("An experiment needs passages and questions.")
    name = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid4().hex[:6]}"
    file = ExperimentFile(folder() / f"{name}.sqlite")
    try:
        file.fill(plan, benchmark, max(plan.k, DEEPEST))
    except StoreError:
        _remove(file)
        raise
    finally:
        file.close()
    return name


def opened(experiment: str) -> ExperimentFile:
    """The file of an experiment.

    Raises:
        StoreError: there is none of this id.
    """
    path = folder() / f"{experiment}.sqlite"
    if Path(experiment).name != experiment or not path.is_file():
        raise StoreError("There is no such experiment any more; choose another.")
    return ExperimentFile(path)


@dataclass(frozen=True, slots=True)
class Listed:
    """An experiment as it is listed.

    Attributes:
        id: its id.
        created: UTC.
        plan: what it crosses.
        questions: how many.
        judged: answers with a verdict.
        wanted: answers in all.
        busy: whether a process works on it now.
    """

    id: str
    created: str
    plan: Plan
    questions: int
    judged: int
    wanted: int
    busy: bool

    @property
    def finished(self) -> bool:
        """Whether every answer was judged."""
        return self.judged == self.wanted


def listed() -> tuple[list[Listed], list[str]]:
    """All experiments, the newest first; and of files that cannot be read, why."""
    found, troubles = [], []
    for path in sorted(folder().glob("*.sqlite"), reverse=True):
        file = ExperimentFile(path)
        try:
            plan, questions = file.plan(), len(file.questions())
            wanted = questions * len(plan.retrievers) * len(plan.generators)
            found.append(Listed(path.stem, file.created(), plan, questions, file.counts()[2], wanted, file.busy()))
        except StoreError as error:
            troubles.append(str(error))
        finally:
            file.close()
    return found, troubles


def delete(experiment: str) -> None:
    """Delete an experiment with everything of it; one that is not there is no error.

    Raises:
        StoreError: a process works on it, or it cannot be deleted.
    """
    try:
        file = opened(experiment)
    except StoreError:
        return
    with file.working():
        _remove(file)
    with suppress(OSError):
        file.path.with_name(f"{file.path.name}.lock").unlink(missing_ok=True)


def _remove(file: ExperimentFile) -> None:
    file.close()
    for ending in ("", "-wal", "-shm"):
        path = file.path.with_name(file.path.name + ending)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{path} cannot be deleted ({error.strerror}); make it writable, then delete it again.") from None


def answers(file: ExperimentFile) -> list[Answer]:
    """Every answer so far; one that is not judged yet has no verdict.

    Raises:
        StoreError: the file cannot be read.
    """
    plan, questions, passages = file.plan(), file.questions(), file.passages()
    written, verdicts = file.written(), file.verdicts()
    by_id = {p.id: p for p in passages}
    hits = {r: file.hits(r) or [] for r in {place.retriever for place in written}}
    found = []
    for place, answer in sorted(written.items()):
        question = questions[place.question]
        retrieved = [passages[h.passage] for h in hits[place.retriever][place.question]]
        context = tuple(retrieved[: plan.k])
        inside = {p.id for p in context}
        verdict = verdicts.get(place)
        found.append(
            Answer(
                plan.retrievers[place.retriever].title,
                plan.generators[place.generator].title,
                question.id,
                verdict.correct if verdict else None,
                verdict.grounded if verdict else None,
                any(i in inside for i in question.relevant) if question.relevant else None,
                question.text,
                question.reference,
                answer.text,
                context,
                question.relevant,
                verdict.reasons if verdict else "",
                answer.note,
                tuple(p.id for p in retrieved),
                tuple(by_id[i] for i in question.relevant if i not in inside and i in by_id),
                plan.judge.title,
            )
        )
    return found
