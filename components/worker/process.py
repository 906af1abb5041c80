"""The scoring worker of this app: child processes, so that pages stay quick while models load and score.

This is the parent's side: it decides by `turns.py` which order goes to which process (`scoring_process.py`), and returns the
results. `child.py` is the child's side. They exchange pickles over the child's standard input and output, without streamlit.
"""

import logging
import pickle
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from components.worker.job import ABANDONED, Job
from components.worker.scoring_process import LEAVE_ONE_OUT, Allowance, Order, ScoringProcess, size
from components.worker.turns import OrderTurns
from groundscope.chat.budget import Cost
from groundscope.methods import Method, registry
from groundscope.types import Case

Options = tuple[tuple[str, Any], ...]

_TOGETHER = 4
"""Cases that a method reads in one pass, at most; more would gain little, and each waits for all of them."""
_LONG = 20_000
"""Characters of a case above which it is read alone, and is not called quick."""

_log = logging.getLogger("groundscope")


class Worker:
    """The parent's side: a pool of processes that are started when needed, and again if they died.

    `session` is whose turn an order takes: any name of a user. Every order is done once, and once for all who wait for the same
    judgement. What pages wait for comes first, and of that what is quick. `spent` on models so far, by session.
    """

    def __init__(self, *, lanes: int = 1, processes: int = 1) -> None:
        """Start nothing yet. No process reaches a model hub; one that asks models elsewhere has many `lanes`."""
        self._lanes = lanes
        self.spent: dict[str, Cost] = {}
        self._lock = threading.Lock()
        self._turns = OrderTurns(processes, lanes, lambda number: self._jobs[number].rank)
        self._children: list[ScoringProcess | None] = [None] * processes
        self._jobs: dict[int, Job] = {}
        self._orders: dict[int, Order] = {}
        self._starting: Job | None = None
        self._count = 0

    def submit(
        self,
        method: str,
        case: Case,
        options: Options = (),
        *,
        keep: bool = False,
        allowance: Allowance | None = None,
        session: str = "",
        again: bool = False,
        quick: bool = False,
    ) -> Job:
        """Score a case after all that its session submitted before; a `quick` method goes first; the rest is as in `Order`."""
        order = Order("score", method, case, options, keep, allowance, session=session, again=again)
        return self._order(order, quick=quick and size(case) < _LONG)

    def leave_one_out(self, method: str, case: Case, options: Options, *, keep: bool = False, session: str = "") -> Job:
        """Score a case without each of its parts; the job gives a `LeaveOneOut`, or a failed judgement."""
        return self._order(Order(LEAVE_ONE_OUT, method, case, options, keep, session=session))

    def embed(self, method: str, texts: list[str], *, session: str = "") -> Job:
        """Embed texts with a method's model; the job gives (n, d) vectors, or a failed judgement."""
        return self._order(Order("embed", method, texts, session=session))

    def prepare(self, method: str) -> Job:
        """Start the child and load a method's model in it, ahead of the first score; the job gives None when done."""
        return self._order(Order("prepare", method))

    def call(self, word: str, method: str, *arguments: str) -> Job:
        """Call a member of a scorer; the job gives an empty text when done, or a failed judgement."""
        return self._order(Order(word, method, arguments))

    def check(self, spec: str, *, session: str = "") -> Job:
        """Ask a server whether it has the model of a spec; the job gives its answer, or a failed judgement."""
        return self._order(Order("check", load=(spec,), session=f"check {session}"))

    def forget(self) -> Job:
        """Delete the replies of chat models that the process holds."""
        return self._order(Order("forget"))

    @property
    def waiting(self) -> int:
        """How many jobs are not done."""
        return len(self._jobs)

    def cancel(self, job: Job) -> None:
        """Stop a job at its next batch, or before it starts; not while another reader waits for it."""
        with self._deciding() as settled:
            job.readers -= 1
            if job.number not in self._jobs or job.readers > 0:
                return
            if job.child is None or job.leader is not None:
                self._drop(job)
                settled.append((job, None))
            else:
                job.child.send(_packed("cancel", job))

    def end(self) -> None:
        """End all processes at once, whatever they do; what was to be done fails."""
        with self._deciding() as settled:
            for job in [job for job in self._jobs.values() if job.child is None]:
                self._drop(job)
                settled.append((job, job.lost()))
            for place, child in enumerate(self._children):
                if child is not None:
                    child.kill()
                    # What is asked for next goes to another one, although this one takes a moment to die.
                    self._children[place] = None
                    self._turns.emptied(place)

    def _order(self, order: Order, *, quick: bool = False) -> Job:
        """Take an order under the next number; it starts when its turn comes."""
        needed = self._needed(order)
        with self._deciding() as settled:
            if same := self._same(order):
                same.watched, same.readers = time.monotonic(), same.readers + 1
                if same.child is None:
                    # In a line of its own: what one of its readers asked for before must not hold up the others.
                    self._turns.done(same.number)
                    self._turns.add(same.number, f"shared {same.number}", needed)
                return same
            self._count += 1
            order = order._replace(number=self._count)
            job = Job(self._count, order.word, quick=quick)
            job.remote = self._lanes > 1
            self._jobs[job.number] = job
            if order.word != "prepare":
                self._orders[job.number] = order
                self._turns.add(job.number, order.line, needed)
            # Beside the scores: a method that needs no model must not wait for another one's.
            elif not self._give(job, self._turns.placed(needed), order):
                del self._jobs[job.number]
                settled.append((job, job.lost()))
        return job

    def _same(self, order: Order) -> Job | None:
        """The job of the same score that another reader waits for; none of one that spends a reader's own allowance."""
        if order.word != "score" or order.allowance is not None:
            return None
        alike = (n for n, o in self._orders.items() if o._replace(number=0, session="") == order._replace(session=""))
        return next((self._jobs[number] for number in alike), None)

    @contextmanager
    def _deciding(self) -> Iterator[list[tuple[Job, Any]]]:
        """Change with the lock what is to be done, start what can start, then hand over what the block settled."""
        settled: list[tuple[Job, Any]] = []
        with self._lock:
            yield settled
            while turn := self._turns.next():
                job = self._jobs[turn.number]
                if job.child is not None:
                    job.child.send(_packed("resume", job))
                elif job.unwatched(ABANDONED):
                    self._drop(job)
                    settled.append((job, None))
                elif not self._give(job, turn.process, self._joined(job)):
                    self._drop(job)
                    settled.append((job, job.lost()))
            if turn := self._turns.further():
                self._start(turn.process, self._orders[turn.number])
            for number, at_once in self._turns.urged():
                if child := self._jobs[number].child:
                    child.send(_packed("pause" if at_once else "yield", self._jobs[number]))
        # Without the lock: who waits for them may ask for the next thing.
        for job, result in settled:
            job.future.set_result(result)

    def _joined(self, job: Job) -> Order:
        """The order of a job that starts, with cases of others who wait for the same method: one pass reads them all."""
        order = self._orders[job.number]
        if order.word != "score" or self._lanes > 1 or size(order.load) > _LONG:
            return order
        if type(registry.find(order.method)).read_ahead is Method.read_ahead:
            return order
        alike = order._replace(number=0, session="", load=None)
        waiting = [(n, other) for n, other in self._orders.items() if n != job.number and self._jobs[n].child is None]
        joined: list[tuple[int, Any]] = [
            (number, other.load)
            for number, other in waiting
            if self._jobs[number].rank <= job.rank and size(other.load) <= _LONG
            if other._replace(number=0, session="", load=None) == alike
        ][: _TOGETHER - 1]
        for number, _ in joined:
            self._turns.done(number)
            self._jobs[number].leader = job
        return order._replace(joined=tuple(joined))

    def _start(self, place: int, order: Order) -> None:
        """Start a process beside others, and load there what an order needs."""
        self._count += 1
        self._starting = job = Job(self._count, "prepare")
        self._jobs[job.number] = job
        if not self._give(job, place, order._replace(word="prepare", load=None, number=job.number)):
            del self._jobs[job.number]
            self._turns.emptied(place)

    def _give(self, job: Job, place: int, order: Order) -> bool:
        """Send a job's order to a process, which is started if there is none; False where it cannot be."""
        child = self._children[place]
        if child is None or not child.alive:
            if child is not None:
                self._turns.emptied(place)
            try:
                child = self._children[place] = ScoringProcess(self._heard, self._ended)
            except OSError as error:
                _log.warning("no scoring process can be started: %s", error.strerror)
                return False
        for number in (job.number, *(number for number, _ in order.joined)):
            self._jobs[number].child = child
        child.send(pickle.dumps(order))
        return True

    def _drop(self, job: Job) -> None:
        del self._jobs[job.number]
        order = self._orders.pop(job.number, None)
        if order and job.leader is None:
            self._turns.done(job.number)
        for left in [other for other in self._jobs.values() if other.leader is job]:
            # It was cancelled or could not start; those who joined it have their own turns.
            left.leader = left.child = None
            waits = self._orders[left.number]
            self._turns.add(left.number, waits.line, self._needed(waits))

    def _needed(self, order: Order) -> frozenset[str]:
        """The methods whose models a process has loaded after an order: its own, and those that it combines."""
        if len(self._children) == 1 or not order.method:
            # One process loads whatever is asked for.
            return frozenset()
        used = (order.method, *registry.find(order.method).methods)
        return frozenset(name for name in used if type(registry.find(name)).prepare is not Method.prepare)

    def _heard(self, number: int, word: str, value: Any) -> None:
        if word == "spent":
            self.spent[value[0]] = value[1]
            return
        job = self._jobs.get(number)
        if job is None:
            return
        if word == "progress":
            job.started = True
            job.done, job.total = value
            if job.unwatched(ABANDONED):
                self.cancel(job)
            return
        with self._deciding() as settled:
            if word == "paused":
                self._turns.paused(number)
            else:
                if job is self._starting:
                    self._turns.started()
                self._drop(job)
                settled.append((job, value))

    def _ended(self, child: ScoringProcess) -> None:
        """What a process worked on fails with it; what only waits is for another one."""
        with self._deciding() as settled:
            # Those who joined another one before it, or they would be asked for again.
            for job in sorted((job for job in self._jobs.values() if job.child is child), key=lambda job: job.leader is None):
                self._drop(job)
                settled.append((job, job.lost()))
            if child in self._children:
                place = self._children.index(child)
                self._children[place] = None
                self._turns.emptied(place)


def _packed(word: str, job: Job) -> bytes:
    return pickle.dumps(Order(word, number=job.number))
