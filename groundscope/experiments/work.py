"""The engine: works through a job, keeps every result as it comes, and can be stopped, killed and resumed at any point.

Parts that ask a chat model work in several threads, the others one after another beside them. A fault is kept beside its row and
is tried again only when asked. A part whose server fails several times in a row is left alone until the next start, and the rows
that it failed on count as never tried. What a job may spend holds for the whole job, however often it is resumed.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from threading import Event, Lock

from groundscope.chat.budget import NOTHING, Budget, spending
from groundscope.chat.clients.batches import in_rounds, still_open
from groundscope.chat.messages import Deferred
from groundscope.errors import BudgetSpent, Cancelled, GroundscopeError, StoreError
from groundscope.experiments.listing import TELLING
from groundscope.experiments.plan import FAILED, Place, Progress, Result
from groundscope.experiments.steps import Outcome, Phase, Steps, Tick, TickListener, check
from groundscope.experiments.store import JobFile
from groundscope.runtime.progress import listening
from groundscope.runtime.retention import keeping
from groundscope.text.humanize import plural

PATIENCE = 5
"""Failures in a row after which a part that asks a server is left alone until the next start."""
_EVERY = 0.5
"""Seconds between two notes of how far a long step is."""
_SETTLED = 1.0
"""Seconds of a long step that say nothing of its pace: what an earlier start did is gone through again."""
STOPPED = "Paused. All results so far are saved; you can resume at any time."


def work(
    file: JobFile, steps: Steps, *, hear: TickListener = lambda tick: None, stop: Event | None = None, batches: bool = False
) -> Outcome:
    """Do what is left of a job."""
    with file.working():
        check(steps.planned())
        file.set_about("ended", "")
        try:
            ended = _Work(file, steps, hear, stop or Event(), batches=batches).go()
        except GroundscopeError as error:
            file.set_about("ended", str(error))
            raise
        file.set_about("ended", "" if ended.paused else ended.why)
        return ended


class _Work:
    def __init__(self, file: JobFile, steps: Steps, hear: TickListener, stop: Event, *, batches: bool) -> None:
        self.file, self.steps, self.hear, self.stop = file, steps, hear, stop
        self.batches = batches or bool(file.about("batches", False) and still_open())
        self.budget: Budget = file.budget()
        self.failed: Counter[str] = Counter()
        self.row: dict[str, list[Place]] = defaultdict(list)
        # By stage and part: what retrieves and what writes may have one title.
        self.given_up: dict[tuple[str, str], str] = {}
        self.loaded: set[tuple[str, str]] = set()
        self.spent, self.left, self.said = "", 0, 0.0
        self.lock = Lock()

    def go(self) -> Outcome:
        try:
            with self.steps.working():
                for phase in self.steps.phases():
                    self._phase(phase)
        except Cancelled:
            return Outcome(False, STOPPED, self.failed, paused=True)
        if self.spent:
            return Outcome(False, self.spent, self.failed)
        if self.given_up:
            return Outcome(False, "\n".join(self.given_up.values()), self.failed)
        if self.left:
            return Outcome(False, f"{plural(self.left, 'result')} could not be made; resume to try again.", self.failed)
        self.file.finish()
        return Outcome(True, "", self.failed, self._nothing(phase.stage))

    def _nothing(self, stage: str) -> bool:
        counts = self.file.counts(stage).values()
        return bool(counts) and all(c.failed == c.done for c in counts)

    def _phase(self, phase: Phase) -> None:
        done = self.file.done(phase.stage)
        left = [place for place in phase.places if place not in done]
        self.total, self.count = len(phase.places), len(phase.places) - len(left)
        if not left:
            return
        local = [place for place in left if not (self.steps.apart or self.steps.asks(place))]
        asked = [place for place in left if self.steps.apart or self.steps.asks(place)]
        self._begin(phase, local)
        with ThreadPoolExecutor(self.steps.lanes, thread_name_prefix="job") as pool:
            self._all(phase, local, self._submitted(pool, phase, asked))
        self.left += len(left) - len({*self.file.done(phase.stage)} & {*left})

    def _begin(self, phase: Phase, local: Sequence[Place]) -> None:
        """Load the parts that ask no server, and note that work begins: the pace of one phase says nothing of the next."""
        cold = {}
        for place in local:
            if (part := (phase.stage, title := self.steps.title(place))) not in self.loaded:
                self.loaded.add(part)
                self._wanted()
                self.hear(Tick(phase.stage, title, place))
                with listening(self._heard(phase, title)), spending(self.budget):
                    warmed = self.steps.warm(place)
                if warmed is not None:
                    cold[warmed[0]] = warmed[1]
        self.file.say(None)
        self.budget = self.file.charge(phase.final or phase.stage, cold)

    def _submitted(self, pool: ThreadPoolExecutor, phase: Phase, asked: Sequence[Place]) -> list[Future[None]]:
        if self.batches and asked:
            if not all(map(self.steps.keeps, asked)):
                raise StoreError("This job saves no replies, and a batch is read from saved ones; resume without batches.")
            self.file.set_about("batches", True)
            return [pool.submit(copy_context().run, self._in_batches, phase, asked)]
        return [pool.submit(copy_context().run, self._one, phase, place) for place in asked]

    def _all(self, phase: Phase, local: Sequence[Place], asked: Sequence[Future[None]]) -> None:
        try:
            for place in local:
                self._one(phase, place)
            for future in asked:
                future.result()
        except BaseException:
            self.stop.set()
            for future in asked:
                future.cancel()
            raise

    def _in_batches(self, phase: Phase, asked: Sequence[Place]) -> None:
        def wait(seconds: float) -> None:
            if self.stop.wait(seconds):
                raise Cancelled("The job was paused.")

        # One part after another: of a model, one batch is under way at a time.
        by_part: dict[str, list[Place]] = defaultdict(list)
        for place in asked:
            by_part[self.steps.title(place)].append(place)
        for title, places in by_part.items():
            with listening(self._heard(phase, title)), spending(self.budget):
                try:
                    lost = in_rounds(places, lambda place: self._one(phase, place), wait=wait)
                except BudgetSpent as error:
                    self.spent = str(error)
                    return
            why = "The batches repeatedly missed a reply; resume without batches."
            for place in lost:
                self.file.keep(place, Result(phase.stage, {}, FAILED, why=why))
                self._count(phase, place, self.steps.title(place), FAILED, why)

    def _one(self, phase: Phase, place: Place) -> None:
        self._wanted()
        title = self.steps.title(place)
        if (phase.stage, title) in self.given_up or (self.spent and self.steps.asks(place)):
            return
        with listening(self._heard(phase, title)), keeping(self.steps.keeps(place)), spending(self.budget) as meter:
            charged, status, why = NOTHING, "", ""
            try:
                for result in self.steps.do(place, self.file.at(place)):
                    self.file.keep(place, result, meter.cost - charged)
                    charged, status, why = meter.cost, result.status, result.why
            except (Cancelled, StoreError, Deferred):
                raise
            except BudgetSpent as error:
                self.spent = str(error)
                return
            except Exception as error:  # whatever happens at one place, the others are worked on
                # What another library says may quote a text.
                is_ours = isinstance(error, GroundscopeError)
                why = str(error) if is_ours else f"A part failed in a way that is not known ({type(error).__name__})."
                status = FAILED
                self.file.keep(place, Result(phase.stage, {}, FAILED, why=why), meter.cost - charged)
        self._count(phase, place, title, status, why)

    def _count(self, phase: Phase, place: Place, title: str, status: str, why: str) -> None:
        with self.lock:
            self.count += 1
            if status != FAILED:
                self.row[title].clear()
            else:
                self.failed[f"{title}: {why}"] += 1
                if place.row < 0:
                    self._give_up(phase, [place], title, f"{title} failed: {why} Resume to try it again.")
                elif self.steps.asks(place):
                    self._patience(phase, place, title, why)
            count = self.count
        self.hear(Tick(phase.stage, title, place, status, count, self.total))

    def _patience(self, phase: Phase, place: Place, title: str, why: str) -> None:
        """Leave a part alone when it failed too often in a row; what it failed on is tried again at the next start."""
        self.row[title].append(place)
        line = f"{title} failed {PATIENCE} times in a row and was skipped: {why} Resume to try it again."
        # Others may have been under way when it was given up.
        if len(self.row[title]) >= PATIENCE or (phase.stage, title) in self.given_up:
            self._give_up(phase, self.row.pop(title), title, line)

    def _give_up(self, phase: Phase, places: Sequence[Place], title: str, line: str) -> None:
        self.file.forget(phase.stage, places)
        self.count -= len(places)
        self.given_up.setdefault((phase.stage, title), line)

    def _heard(self, phase: Phase, title: str) -> Callable[[int, int], None]:
        settled, first, since = time.monotonic() + _SETTLED, 0, 0.0

        def heard(done: int, total: int) -> None:
            nonlocal first, since
            self._wanted()
            if total and phase.places[0].row < 0:
                now = time.monotonic()
                if now < settled or done < first:
                    first, since = done, now
                paced = total > done >= first + TELLING
                left = (now - since) / (done - first) * (total - done) if paced else None
                if now - self.said > _EVERY:
                    self.said = now
                    self.file.say(Progress(phase.stage, title, done, total, left))
                self.hear(Tick(phase.stage, title, phase.places[0], "", done, total, left))

        return heard

    def _wanted(self) -> None:
        if self.stop.is_set():
            raise Cancelled("The job was paused.")
