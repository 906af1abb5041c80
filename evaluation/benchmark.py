"""Running methods over cases: every judgement kept as it comes, latency measured fairly, stopped and resumed at any point.

Latency is a judgement's own `seconds`, the model loaded (paper, section 5: mean seconds per response over dev). Departs from the
paper: each local method first loads and judges one response whose time is its cold start and counts in no mean; the methods take
turns case by case, each case beginning with another one, so that a machine that slows down slows all of them; what a cache
served is not counted, and on dev nothing is used again. Methods that ask a chat model run beside the local ones, several cases at
a time.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from threading import Event

from evaluation.batching import score_in_batches
from evaluation.errors import BudgetSpent, Cancelled, StoreError
from evaluation.keeping import keeping, remembering
from evaluation.machine import stamp
from evaluation.plans import Listed, Start
from evaluation.progress import listening
from evaluation.sentences import context_sentences, split
from evaluation.spending import Budget, spending
from evaluation.store import Store, now
from evaluation.types import Case, Judgement, Scorer, Status

LANES = 4
"""Cases that chat models are asked about at a time."""

_TIMED = "dev"
"""The split that the paper measures latency on: there nothing is used again; elsewhere responses to one question share work."""

_COUNTS = {Status.SCORED, Status.INVALID, Status.ABSTAINED}
"""States that a method works for; the others come at once and would make it look fast."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Something happened: `method` (its id) judged the response at `row`, or is loading where there is no judgement."""

    method: str
    row: int = -1
    judgement: Judgement | None = None


Hear = Callable[[Tick], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How work on a run ended; `why` is a sentence where something is left."""

    finished: bool
    why: str = ""


def work(
    store: Store,
    run: str,
    scorers: Mapping[str, Scorer],
    *,
    hear: Hear = lambda tick: None,
    stop: Event | None = None,
    batches: bool = False,
) -> Outcome:
    """Judge what is left of a run. An error in one case is kept as that case's result, and the run goes on.

    Args:
        store: where the run is.
        run: its id.
        scorers: by method id; each must have the signature that the run was planned with.
        hear: is told what happens, from several threads.
        stop: set it to stop; local methods stop between two batches of texts, and what was not finished is made again later.
        batches: ask chat models through their batches: half the price, and no latency.

    Raises:
        StoreError: the store cannot be read or written, another process works on the run, or a method that has something left to
            judge was changed or removed.
        ModelUnavailable: a batch cannot be sent or collected.
    """
    with store.working(run):
        listed = store.run(run)
        _check(listed, scorers)
        if batches and not listed.plan.keeps_replies:
            raise StoreError("This run keeps no replies, and a batch is read from kept ones; go on without batches.")
        return _Work(store, listed, scorers, hear, stop or Event()).go(batches=batches)


def _check(listed: Listed, scorers: Mapping[str, Scorer]) -> None:
    for method, done in zip(listed.plan.methods, listed.done, strict=True):
        if method.recorded or done >= listed.plan.cases:
            continue
        scorer = scorers.get(method.id)
        if scorer is None:
            raise StoreError(
                f"The method {method.id} of this run is not here any more. Its judgements are kept; start a new run without it."
            )
        if scorer.signature != method.signature:
            raise StoreError(
                f"The method {method.id} is not what this run began with: its signature was {method.signature} and is now "
                f"{scorer.signature}. Set it back to go on, or start a new run; what was judged is kept."
            )


class _Work:
    """One process' work on one run."""

    def __init__(self, store: Store, listed: Listed, scorers: Mapping[str, Scorer], hear: Hear, stop: Event) -> None:
        self.store, self.run, self.plan = store, listed.id, listed.plan
        self.scorers = {i: scorers[m.id] for i, m in enumerate(self.plan.methods) if m.id in scorers}
        self.hear, self.stop = hear, stop
        self.cases: Sequence[Case] = store.cases(listed.id)
        self.before = store.spent(listed.id)
        self.budget = Budget(self.plan.calls, self.plan.dollars, *self.before)
        self.spent, self.start = "", 0
        done = store.done(listed.id)
        self.begun = listed.done
        self.left = {m: [row for row in range(self.plan.cases) if (m, row) not in done] for m in self.scorers}
        dev = {row for row, case in enumerate(self.cases) if case.split == _TIMED}
        self.timed = dev or set(range(self.plan.cases))

    def go(self, *, batches: bool) -> Outcome:
        local = [m for m, left in self.left.items() if left and not self.plan.methods[m].asks]
        asked = [m for m, left in self.left.items() if left and self.plan.methods[m].asks]
        try:
            cold = {self.plan.methods[m].id: seconds for m in local if (seconds := self._warm_up(m)) is not None}
            if local or asked:
                self.start = self.store.started(self.run, Start(now(), stamp(), cold, self.begun))
            try:
                with ThreadPoolExecutor(max_workers=LANES, thread_name_prefix="run") as pool:
                    self._all(local, self._submitted(pool, asked, batches=batches))
            finally:
                self._count()
        except Cancelled:
            return Outcome(False, "Stopped. What was judged is kept; resume the run to go on.")
        if self.spent:
            return Outcome(False, self.spent)
        self.store.finish(self.run)
        return Outcome(True)

    def _all(self, local: Sequence[int], asked: Sequence[Future[None]]) -> None:
        try:
            self._in_turns(local)
            for future in asked:
                future.result()
        except BaseException:
            self.stop.set()
            for future in asked:
                future.cancel()
            raise

    def _submitted(self, pool: ThreadPoolExecutor, asked: Sequence[int], *, batches: bool) -> list[Future[None]]:
        if batches:
            # One method after another: of a model, one batch is under way at a time.
            return [pool.submit(copy_context().run, self._batches, asked)]
        places = sorted((row, m) for m in asked for row in self.left[m])
        return [pool.submit(copy_context().run, self._judge, m, row) for row, m in places]

    def _in_turns(self, methods: Sequence[int]) -> None:
        rows = sorted({row for m in methods for row in self.left[m]})
        left = {m: set(self.left[m]) for m in methods}
        for turn, row in enumerate(rows):
            first = turn % len(methods)
            for m in (*methods[first:], *methods[:first]):
                if row in left[m]:
                    self._judge(m, row)

    def _warm_up(self, method: int) -> float | None:
        """Load a method and let it judge one response, which is not kept; seconds, or None where it cannot run."""
        self.hear(Tick(self.plan.methods[method].id))
        started = time.perf_counter()
        judgement = self._score(method, self.cases[self.left[method][0]])
        return time.perf_counter() - started if judgement.status in _COUNTS else None

    def _judge(self, method: int, row: int) -> None:
        if self.spent and self.plan.methods[method].asks:
            return
        case = self.cases[row]
        # Whoever came first would pay for what all methods share. Where that fails, each of them says so.
        with suppress(Exception):
            split(case.response), context_sentences(case.context)
        try:
            judgement = self._score(method, case, remembers=row not in self.timed)
        except BudgetSpent as error:
            self.spent = str(error)
            return
        self._keep(method, row, judgement, timed=judgement.status in _COUNTS and not judgement.cached)

    def _keep(self, method: int, row: int, judgement: Judgement, *, timed: bool) -> None:
        self.store.add(self.run, method, row, judgement, timed=timed)
        if self.plan.methods[method].asks:
            self._count()
        self.hear(Tick(self.plan.methods[method].id, row, judgement))

    def _count(self) -> None:
        """Keep what was spent: the budget is the whole run's, however often it is resumed."""
        calls, dollars = self.budget.calls_made - self.before[0], self.budget.dollars_spent - self.before[1]
        if self.start and (calls or dollars):
            self.store.spend(self.start, calls, dollars)

    def _score(self, method: int, case: Case, *, remembers: bool = False) -> Judgement:
        asks = self.plan.methods[method].asks
        self._wanted(0, 0)
        # A local method that read supports from the disk would say nothing of its latency; replies were paid for.
        keeps = asks and self.plan.keeps_replies
        with listening(self._wanted), keeping(keeps), remembering(remembers), spending(self.budget):
            try:
                judgement = self.scorers[method].score(case)
                if not isinstance(judgement, Judgement):
                    raise TypeError(f"it gave {type(judgement).__name__} instead of a judgement")
                return judgement
            except (Cancelled, BudgetSpent):
                raise
            except Exception as error:  # whatever a method does to one case, the others are judged
                note = f"The method failed on this response ({type(error).__name__}: {error})."
                return Judgement(Status.FAILED, note=note, context_seen=0.0)

    def _wanted(self, _done: int, _total: int) -> None:
        if self.stop.is_set():
            raise Cancelled("The run was stopped.")

    def _batches(self, methods: Sequence[int]) -> None:
        for method in methods:
            cases = [self.cases[row] for row in self.left[method]]
            rows = {id(case): row for case, row in zip(cases, self.left[method], strict=True)}
            with listening(self._wanted), keeping(True), spending(self.budget):
                try:
                    for case, judgement in score_in_batches(self.scorers[method], cases, wait=self._wait):
                        self._keep(method, rows[id(case)], judgement, timed=False)
                except BudgetSpent as error:
                    self.spent = str(error)
                    return

    def _wait(self, seconds: float) -> None:
        if self.stop.wait(seconds):
            raise Cancelled("The run was stopped.")
