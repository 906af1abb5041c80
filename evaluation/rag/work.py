"""Working through an experiment: retrieve, write, judge. All is kept as it comes; what failed is tried at the next start."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import NamedTuple

from evaluation.errors import BudgetSpent, Cancelled, GroundscopeError, StoreError
from evaluation.keeping import keeping
from evaluation.progress import listening
from evaluation.rag.experiment_file import ExperimentFile, Place, Plan
from evaluation.rag.types import Generator, Hit, Judge, Question, Retriever, Verdict, Written
from evaluation.spending import Budget, spending
from evaluation.types import Passage

AT_ONCE = 8
"""Answers under way at once where a chat model is asked."""
_PATIENCE = 5
"""Failures in a row after which a part is left alone until the next start: its server is gone, and each try takes minutes."""


class Tick(NamedTuple):
    """What is told: `done` of `total` steps of a stage (`retrieve`, `answer`); `part` is the retriever's title."""

    stage: str
    part: str
    done: int
    total: int


@dataclass
class Outcome:
    """How work ended.

    Attributes:
        finished: nothing is left.
        why: why work stopped early, with the mend; empty where it did not.
        failed: reasons and how often each came.
    """

    finished: bool
    why: str = ""
    failed: Counter[str] = field(default_factory=Counter)


class Parts(NamedTuple):
    """The parts of a plan, by their ids, and whether any of them asks a chat model."""

    retrievers: Mapping[str, Retriever]
    generators: Mapping[str, Generator]
    judge: Judge
    asks: bool = False


def work(
    file: ExperimentFile,
    parts: Parts,
    *,
    hear: Callable[[Tick], None] = lambda tick: None,
    stop: Event | None = None,
    budget: Budget | None = None,
) -> Outcome:
    """Do what is left of an experiment. An error in one step is counted, and the others go on.

    Args:
        file: the experiment.
        parts: each must have the signature that the experiment was planned with.
        hear: is told what happens, from several threads.
        stop: set it to stop.
        budget: of this start.

    Raises:
        StoreError: the file cannot be read or written, another process works on it, or a part is gone or was changed.
    """
    with file.working():
        plan = file.plan()
        check(plan, parts)
        return _Work(file, plan, parts, hear, stop or Event(), budget or Budget()).go()


def check(plan: Plan, parts: Parts, generator: int | None = None) -> None:
    """See that the parts are those that an experiment was planned with; with `generator` only that one and the judge.

    Raises:
        StoreError: one is gone or was changed.
    """
    wanted = (*plan.retrievers, *plan.generators) if generator is None else (plan.generators[generator],)
    here: dict[str, Retriever | Generator | Judge] = {**parts.retrievers, **parts.generators, plan.judge.id: parts.judge}
    for part in (*wanted, plan.judge):
        found = here.get(part.id)
        if found is None:
            raise StoreError(f"{part.title} of this experiment is not here any more; begin a new experiment without it.")
        if found.signature != part.signature:
            raise StoreError(
                f"{part.title} is not what this experiment began with; set it back to go on, or begin a new experiment. What was "
                "judged is kept."
            )


class _Work:
    def __init__(
        self, file: ExperimentFile, plan: Plan, parts: Parts, hear: Callable[[Tick], None], stop: Event, budget: Budget
    ) -> None:
        self.file, self.plan, self.parts, self.hear, self.stop, self.budget = file, plan, parts, hear, stop, budget
        self.questions: Sequence[Question] = file.questions()
        self.passages: Sequence[Passage] = file.passages()
        self.written, self.judged = file.written(), set(file.verdicts())
        self.failed: Counter[str] = Counter()
        self.in_a_row: Counter[int] = Counter()
        self.spent = ""
        self.lock = Lock()

    def go(self) -> Outcome:
        try:
            found = [self._retrieved(r) for r in range(len(self.plan.retrievers))]
            self._answered({r: hits for r, hits in enumerate(found) if hits is not None})
        except Cancelled:
            return Outcome(False, "Stopped. What was done is kept; go on whenever you like.", self.failed)
        if self.spent:
            return Outcome(False, self.spent, self.failed)
        left = self._wanted_places() - len(self.judged)
        words = (
            "1 answer is left; go on to try it again." if left == 1 else f"{left:,} answers are left; go on to try them again."
        )
        return Outcome(not left, words if left else "", self.failed)

    def _wanted_places(self) -> int:
        return len(self.plan.retrievers) * len(self.plan.generators) * len(self.questions)

    def _retrieved(self, retriever: int) -> list[list[Hit]] | None:
        if (kept := self.file.hits(retriever)) is not None:
            return kept
        part = self.plan.retrievers[retriever]
        with self._guarded(lambda done, total: self.hear(Tick("retrieve", part.title, done, total))):
            try:
                found = self.parts.retrievers[part.id].search(
                    self.passages, [q.text for q in self.questions], self.file.deepest(), self._heard(part.title)
                )
            except Exception as error:  # whatever one part does, the others go on
                self._failure(error)
                return None
        self.file.keep_hits(retriever, found)
        return found

    def _heard(self, title: str) -> Callable[[int, int], None]:
        def hear(done: int, total: int) -> None:
            self._wanted()
            self.hear(Tick("retrieve", title, done, total))

        return hear

    def _answered(self, hits: Mapping[int, list[list[Hit]]]) -> None:
        # Question by question, so that a stopped experiment says something of every combination.
        places = [Place(r, g, q) for q in range(len(self.questions)) for r in hits for g in range(len(self.plan.generators))]
        left = [place for place in places if place not in self.judged]
        done = len(places) - len(left)
        self.hear(Tick("answer", "", done, len(places)))

        def one(place: Place) -> None:
            self._one(place, hits[place.retriever][place.question])
            self.hear(Tick("answer", "", len(self.judged), len(places)))

        if not self.parts.asks:
            for place in left:
                one(place)
            return
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="rag") as pool:
            futures = [pool.submit(copy_context().run, one, place) for place in left]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                self.stop.set()
                for future in futures:
                    future.cancel()
                raise

    def _one(self, place: Place, hits: Sequence[Hit]) -> None:
        self._wanted()
        if self.spent or self.in_a_row[place.generator] >= _PATIENCE:
            return
        question, passages = self.questions[place.question], [self.passages[h.passage] for h in hits[: self.plan.k]]
        with self._guarded(lambda done, total: None):
            try:
                written = self.written.get(place) or self._write(place, question, passages)
                verdict = self.parts.judge.judge(question, written.text, passages)
            except Exception as error:  # whatever happens to one answer, the others are written
                self._failure(error, place.generator)
                return
        self._keep(place, verdict)

    def _write(self, place: Place, question: Question, passages: Sequence[Passage]) -> Written:
        written = self.parts.generators[self.plan.generators[place.generator].id].answer(question.text, passages)
        self.file.keep_answer(place, written)
        return written

    def _keep(self, place: Place, verdict: Verdict) -> None:
        self.file.keep_verdict(place, verdict)
        with self.lock:
            self.judged.add(place)
            self.in_a_row[place.generator] = 0

    def _failure(self, error: Exception, generator: int | None = None) -> None:
        if isinstance(error, Cancelled | StoreError):
            raise error
        known = isinstance(error, GroundscopeError)
        with self.lock:
            if isinstance(error, BudgetSpent):
                self.spent = str(error)
                return
            # What another library says may quote a text.
            self.failed[str(error) if known else f"A part failed in a way that is not known ({type(error).__name__})."] += 1
            if generator is not None:
                self.in_a_row[generator] += 1

    @contextmanager
    def _guarded(self, hear: Callable[[int, int], None]) -> Iterator[None]:
        def wanted(done: int, total: int) -> None:
            self._wanted()
            hear(done, total)

        # An experiment is kept with all its texts, so what is reckoned on the way may be, too.
        with listening(wanted), spending(self.budget), keeping(True):
            yield

    def _wanted(self) -> None:
        if self.stop.is_set():
            raise Cancelled("The experiment was stopped.")
