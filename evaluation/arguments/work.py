"""Working through a run: write, extract. All is kept as it comes; what failed is tried at the next start."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import NamedTuple, Protocol

from evaluation.arguments.asking import Extracted
from evaluation.arguments.parsing import Argument
from evaluation.arguments.plan import Place, Plan, places
from evaluation.arguments.prompts import Wording, wording
from evaluation.arguments.run_file import RunFile
from evaluation.arguments.types import Catalogue, Scenario
from evaluation.arguments.writing import NOTHING, Cost, paid
from evaluation.errors import BudgetSpent, Cancelled, GroundscopeError, StoreError
from evaluation.keeping import keeping
from evaluation.progress import listening
from evaluation.spending import Budget, spending

AT_ONCE = 8
"""Arguments under way at once where a chat model is asked."""
_PATIENCE = 5
"""Failures in a row after which an arguer is left alone until the next start: its server is gone, and each try takes minutes."""


class Arguer(Protocol):
    """Writes arguments."""

    @property
    def signature(self) -> str:
        """What is written depends on this, the triple and the wording alone."""

    def argue(self, scenario: Scenario, catalogue: Catalogue, wanted: Wording) -> tuple[Argument, Cost]:
        """Write one; may raise `ModelUnavailable`."""


class Extractor(Protocol):
    """Extracts factors of arguments."""

    @property
    def signature(self) -> str:
        """What is extracted depends on this and the argument alone."""

    def extract(self, argument: Argument, catalogue: Catalogue) -> Extracted:
        """Extract from one; may raise `ModelUnavailable`."""


class Parts(NamedTuple):
    """The parts of a plan, arguers by their ids, and whether any of them asks a chat model."""

    arguers: Mapping[str, Arguer]
    extractor: Extractor | None = None
    asks: bool = False


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


def work(
    file: RunFile,
    parts: Parts,
    *,
    hear: Callable[[int, int], None] = lambda done, total: None,
    stop: Event | None = None,
    budget: Budget | None = None,
) -> Outcome:
    """Do what is left of a run. An error in one step is counted, and the others go on.

    Args:
        file: the run.
        parts: each must have the signature that the run was planned with.
        hear: is told how many arguments of how many are done, from several threads.
        stop: set it to stop.
        budget: of this start.

    Raises:
        StoreError: the file cannot be read or written, another process works on it, or a part is gone or was changed.
    """
    with file.working():
        plan = file.plan()
        _check(plan, parts)
        made = _Work(file, plan, parts, hear, stop or Event(), budget or Budget())
        try:
            ended = made.go()
        finally:
            file.tell_faults(made.failed)
        return ended


def _check(plan: Plan, parts: Parts) -> None:
    wanted: list[tuple[str, str, Arguer | Extractor | None]] = []
    wanted += [(p.title, p.signature, parts.arguers.get(p.id)) for p in plan.arguers]
    if plan.extractor:
        wanted.append((plan.extractor.title, plan.extractor.signature, parts.extractor))
    for title, signature, found in wanted:
        if found is None:
            raise StoreError(f"{title} of this run is not here any more; begin a new run without it.")
        if found.signature != signature:
            raise StoreError(
                f"{title} is not what this run began with; set it back to go on, or begin a new run. What was written is kept."
            )


class _Work:
    def __init__(
        self, file: RunFile, plan: Plan, parts: Parts, hear: Callable[[int, int], None], stop: Event, budget: Budget
    ) -> None:
        self.file, self.plan, self.parts, self.hear, self.stop, self.budget = file, plan, parts, hear, stop, budget
        self.scenarios = file.scenarios(plan.catalogue)
        self.written = {place: argument for place, (argument, _) in file.arguments().items()}
        self.done = set(file.extractions()) if plan.extractor else set(self.written)
        self.failed: Counter[str] = Counter()
        self.in_a_row: Counter[int] = Counter()
        self.spent = ""
        self.lock = Lock()

    def go(self) -> Outcome:
        everything = places(self.plan, len(self.scenarios))
        if self.plan.given:
            everything = [place for place in everything if place in self.written]
        left = [place for place in everything if place not in self.done]
        self.hear(len(everything) - len(left), len(everything))
        try:
            self._all(left, len(everything))
        except Cancelled:
            return Outcome(False, "Stopped. What was done is kept; go on whenever you like.", self.failed)
        if self.spent:
            return Outcome(False, self.spent, self.failed)
        lacking = len(everything) - len(self.done)
        return Outcome(not lacking, f"{lacking:,} arguments are left; go on to try them again." if lacking else "", self.failed)

    def _all(self, left: list[Place], total: int) -> None:
        def one(place: Place) -> None:
            self._one(place)
            self.hear(len(self.done), total)

        if not self.parts.asks:
            for place in left:
                one(place)
            return
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="arguments") as pool:
            futures = [pool.submit(copy_context().run, one, place) for place in left]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                self.stop.set()
                for future in futures:
                    future.cancel()
                raise

    def _one(self, place: Place) -> None:
        self._wanted()
        if self.spent or self.in_a_row[place.arguer] >= _PATIENCE:
            return
        with self._guarded():
            try:
                argument = self.written.get(place) or self._write(place)
                if self.parts.extractor is not None and self.plan.extractor is not None:
                    self.file.keep_extraction(place, self.parts.extractor.extract(argument, self.plan.catalogue))
            except Exception as error:  # whatever happens to one argument, the others are written
                self._failure(error, place)
                return
        with self.lock:
            self.done.add(place)
            self.in_a_row[place.arguer] = 0

    def _write(self, place: Place) -> Argument:
        arguer = self.parts.arguers[self.plan.arguers[place.arguer].id]
        wanted = wording(self.plan.wordings[place.wording])
        argument, cost = arguer.argue(self.scenarios[place.scenario], self.plan.catalogue, wanted)
        self.file.keep_argument(place, argument, cost)
        return argument

    def _failure(self, error: Exception, place: Place) -> None:
        if (cost := paid(error)) != NOTHING:
            with self.lock:
                self.file.keep_paid(cost)
        if isinstance(error, Cancelled | StoreError):
            raise error
        with self.lock:
            if isinstance(error, BudgetSpent):
                self.spent = str(error)
                return
            known = isinstance(error, GroundscopeError)
            # What another library says may quote a text.
            why = str(error) if known else f"A part failed in a way that is not known ({type(error).__name__})."
            self.failed[f"{self.plan.arguers[place.arguer].title}: {why}"] += 1
            self.in_a_row[place.arguer] += 1

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        # A run is kept with all its texts, so what is reckoned on the way may be, too.
        with listening(lambda done, total: self._wanted()), spending(self.budget), keeping(True):
            yield

    def _wanted(self) -> None:
        if self.stop.is_set():
            raise Cancelled("The run was stopped.")
