"""What all processes of a run share when they ask chat models: one budget, one rate limit a model, and the paid replies.

One process holds it, on the machine where the run was started. What a call may cost is in a file before the call is sent, and
what it did cost is there before its caller goes on, so that a kill of any process loses no dollar. A call that was under way when
its process or the ledger's died counts as unanswered, at its highest cost.
"""

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any
from uuid import uuid4

from groundscope.chat import replies
from groundscope.chat.budget import Budget, CallCost, Cost, spending
from groundscope.chat.clients.ceilings import Pace, paced
from groundscope.chat.messages import Reply
from groundscope.chat.replies import ReplyStore
from groundscope.errors import BudgetSpent, Cancelled
from groundscope.experiments.store import JobFile
from groundscope.paths import data_folder
from groundscope.runtime.retention import keeping

LEASE = 20.0
"""Seconds after which the places of a process that says nothing are free again."""


class _ModelQueue:
    """The callers of a model, first come first served: the first one waits for a place, and the others for its turn."""

    def __init__(self, a_minute: int) -> None:
        self.turn, self.changed, self.pace = asyncio.Lock(), asyncio.Event(), Pace(a_minute)
        self.held: dict[str, str] = {}


class Ledger:
    """Grants calls; Ray makes one, and every method of a pool asks it. Times are this process' own."""

    def __init__(self, job: str, replies: str) -> None:
        self._file, self._replies = JobFile(Path(job)), ReplyStore(Path(replies))
        self._budget = self._file.charge("calls")
        self._open: dict[str, Cost] = {}
        self._queues: dict[str, _ModelQueue] = {}
        self._seen: dict[str, float] = {}
        self._halted = False

    async def enter(self, model: str, at_once: int, a_minute: int, place: str, worker: str) -> bool:
        """Wait for a place at a model, behind all who came before; False = no call is wanted any more."""
        queue = self._queues.setdefault(model, _ModelQueue(a_minute))
        await self.alive(worker)
        async with queue.turn:
            while not self._halted and self._lives(worker):
                pause = queue.pace.wait(time.monotonic()) if len(queue.held) < at_once else LEASE
                if pause <= 0:
                    queue.held[place] = worker
                    return True
                queue.changed.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(queue.changed.wait(), pause)
        return False

    async def leave(self, model: str, place: str, crowded: bool, after: float | None) -> None:
        """Free a place; see `groundscope.chat.clients.ceilings.CallGate`."""
        queue = self._queues.get(model)
        if queue and queue.held.pop(place, None):
            if crowded:
                queue.pace.refused(time.monotonic(), after)
            else:
                queue.pace.accepted(time.monotonic())
            queue.changed.set()

    async def alive(self, worker: str) -> None:
        """Note that a process lives; those that have said nothing for long hold no place."""
        self._seen[worker] = time.monotonic()
        for queue in self._queues.values():
            queue.held = {place: holder for place, holder in queue.held.items() if self._lives(holder)}
            queue.changed.set()

    def _lives(self, worker: str) -> bool:
        return time.monotonic() - self._seen[worker] < LEASE

    async def reserve(self, call: str, most: float | None, calls: int) -> str:
        """Reserve what a call may cost, in the file, too; gives why the budget does not cover it, or nothing."""
        try:
            self._open[call] = self._open.get(call) or self._budget.reserve(most, calls)
        except BudgetSpent as error:
            return str(error)
        return ""

    async def settle(self, call: str, cost: Cost) -> None:
        """Note what a call cost, once."""
        if reserved := self._open.pop(call, None):
            self._budget.settle(reserved, cost)

    async def replies(self, method: str, *values: Any) -> Any:
        """Call a method of the store of replies."""
        with keeping():
            return getattr(self._replies, method)(*values)

    async def halt(self) -> int:
        """Let no further call go; gives how many are under way."""
        self._halted = True
        for queue in self._queues.values():
            queue.changed.set()
        return len(self._open)


Ask = Callable[..., Any]
"""Calls a method of the ledger by its name, with its arguments, wherever it is."""


@contextmanager
def shared_calls(ask: Ask) -> Iterator[None]:
    """Let every call of this block, in threads of a copy of its context, too, keep to what the ledger grants."""
    worker, ended = f"{os.getpid()}-{uuid4().hex}", Event()

    def beat() -> None:
        while not ended.wait(LEASE / 5):
            ask("alive", worker)

    Thread(target=beat, daemon=True).start()
    try:
        with ExitStack() as blocks:
            blocks.enter_context(spending(_SharedBudget(ask)))
            blocks.enter_context(paced(lambda model, at_once, a_minute: _SharedGate(ask, worker, model, at_once, a_minute)))
            blocks.enter_context(replies.shared(_SharedReplies(ask)))
            blocks.enter_context(keeping())
            yield
    finally:
        ended.set()


class _SharedBudget(Budget):
    def __init__(self, ask: Ask) -> None:
        super().__init__()
        self._ask = ask

    @contextmanager
    def set_aside(self, most: float | None, calls: int = 1) -> Iterator[CallCost]:
        call, spent = uuid4().hex, CallCost()
        if why := self._ask("reserve", call, most, calls):
            raise BudgetSpent(why)
        try:
            yield spent
        finally:
            self._ask("settle", call, spent.cost)
            self.charge(spent.cost)


class _SharedGate:
    def __init__(self, ask: Ask, worker: str, model: str, at_once: int, a_minute: int) -> None:
        self._ask, self._worker, self._model, self._limits = ask, worker, model, (at_once, a_minute)

    def enter(self) -> str:
        place = uuid4().hex
        if not self._ask("enter", self._model, *self._limits, place, self._worker):
            raise Cancelled("The run was stopped.")
        return place

    def leave(self, place: str = "", *, crowded: bool = False, after: float | None = None) -> None:
        self._ask("leave", self._model, place, crowded, after)


class _SharedReplies(ReplyStore):
    """The replies that the ledger keeps: what one machine paid for, no other pays for."""

    def __init__(self, ask: Ask) -> None:
        super().__init__(data_folder() / "replies.sqlite")
        self._ask = ask

    def get(self, key: str) -> Reply | None:
        reply: Reply | None = self._ask("replies", "get", key)
        return reply

    def put(self, key: str, model: str, reply: Reply) -> None:
        self._ask("replies", "put", key, model, reply)

    def models(self) -> dict[str, int]:
        counts: dict[str, int] = self._ask("replies", "models")
        return counts
