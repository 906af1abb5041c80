"""What all processes of a run share when they ask chat models: one budget, one rate limit a model, and the paid replies.

One process holds it, on the machine where the run was started. What a call may cost is in a file before the call is sent, and
what it did cost is there before its caller goes on, so that a kill of any process loses no dollar. A call that was under way when
its process died counts as unanswered, at its highest cost.
"""

import asyncio
import json
import os
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from threading import Event, Thread
from typing import Any
from uuid import uuid4

from groundscope.chat import replies
from groundscope.chat.budget import NO_LIMITS, NOTHING, Budget, CallCost, Cost, Limits, spending
from groundscope.chat.messages import Reply, Usage
from groundscope.chat.pace import Pace, paced
from groundscope.chat.replies import ReplyStore
from groundscope.errors import BudgetSpent, Cancelled
from groundscope.paths import data_folder
from groundscope.runtime.retention import keeping
from groundscope.storage.sqlite import transaction
from groundscope.storage.store_file import Layout, StoreFile

LEASE = 20.0
"""Seconds after which the places of a process that says nothing are free again."""
_FIELDS = "calls, tokens, dollars, unpriced, unanswered, risk"
_TABLES = """
CREATE TABLE spent (calls INTEGER, tokens INTEGER, dollars REAL, unpriced INTEGER, unanswered INTEGER, risk REAL);
CREATE TABLE open (call TEXT PRIMARY KEY, start TEXT, calls INTEGER, tokens INTEGER, dollars REAL, unpriced INTEGER,
    unanswered INTEGER, risk REAL) WITHOUT ROWID;
CREATE TABLE limits (calls INTEGER, dollars REAL)
"""


class LedgerFile(StoreFile):
    """What the calls of a run have cost; raises `StoreError` where the file cannot be read or written."""

    makes = True

    def __init__(self, out: Path) -> None:
        """Open nothing yet; `out` is the folder of the results."""
        super().__init__(out / "ledger.sqlite", Layout(_TABLES, 1, "--out", "what a run cost", "start again", "this folder"))

    def allowed(self, new: Limits) -> Limits:
        """Keep limits; those that are not given are the ones of before."""
        stored = self._all("SELECT calls, dollars FROM limits")
        limits = new.over(Limits(*stored[0]) if stored else NO_LIMITS)
        with self._writing() as db, transaction(db):
            db.execute("DELETE FROM limits")
            db.execute("INSERT INTO limits VALUES (?, ?)", limits)
        return limits

    def begin(self, start: str) -> tuple[Cost, dict[str, Cost]]:
        """Count the calls that earlier starts left open as unanswered; gives what is spent, and what this start has open."""
        with self._writing() as db, transaction(db):
            left = db.execute(f"SELECT {_FIELDS} FROM open WHERE start != ?", (start,)).fetchall()  # noqa: S608 - ours
            for row in left:
                _add(db, Cost(*row))
            db.execute("DELETE FROM open WHERE start != ?", (start,))
            mine = db.execute(f"SELECT call, {_FIELDS} FROM open").fetchall()  # noqa: S608 - ours
        return self._spent(), {row[0]: Cost(*row[1:]) for row in mine}

    def reserve(self, call: str, start: str, cost: Cost) -> None:
        """Note a call before it is sent."""
        self._all("INSERT INTO open VALUES (?, ?, ?, ?, ?, ?, ?, ?)", call, start, *cost)

    def settle(self, call: str, cost: Cost) -> bool:
        """Put what a call cost in the place of what it might; False if it is settled already."""
        with self._writing() as db, transaction(db):
            there = db.execute("DELETE FROM open WHERE call = ?", (call,)).rowcount
            if there:
                _add(db, cost)
        return bool(there)

    def cost(self) -> Cost:
        """Cost so far, open calls as unanswered ones."""
        if not self._is_there():
            return NOTHING
        open_calls = self._all(f"SELECT {_FIELDS} FROM open")  # noqa: S608 - ours
        return sum((Cost(*row) for row in open_calls), self._spent())

    def _spent(self) -> Cost:
        rows = self._all(f"SELECT {_FIELDS} FROM spent")  # noqa: S608 - ours
        return sum((Cost(*row) for row in rows), NOTHING)


def _add(db: Any, cost: Cost) -> None:
    row = db.execute(f"SELECT {_FIELDS} FROM spent").fetchone()  # noqa: S608 - ours
    db.execute("DELETE FROM spent")
    db.execute("INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?)", cost + Cost(*row or NOTHING))


class _ModelQueue:
    """The queue of callers waiting for a model, first come first served."""

    def __init__(self, at_once: int, a_minute: int) -> None:
        self.at_once, self.pace = at_once, Pace(a_minute)
        self.waiting: deque[tuple[str, str, asyncio.Future[bool]]] = deque()
        self.held: dict[str, str] = {}
        self.timer: asyncio.TimerHandle | None = None


class Ledger:
    """Grants calls; Ray makes one, and every method of a pool asks it. Times are this process' own."""

    def __init__(self, out: str, replies: str, limits: Limits, start: str) -> None:
        self._file, self._start, self._replies = LedgerFile(Path(out)), start, ReplyStore(Path(replies))
        spent, self._open = self._file.begin(start)
        self._budget = Budget(*self._file.allowed(limits), spent=spent)
        for cost in self._open.values():
            self._budget.hold(cost)
        self._lines: dict[str, _ModelQueue] = {}
        self._seen: dict[str, float] = defaultdict(time.monotonic)
        self._halted = False

    async def enter(self, model: str, at_once: int, a_minute: int, place: str, worker: str) -> bool:
        """Wait for a place at a model, behind all who came before; False = no call is wanted any more."""
        line = self._lines.setdefault(model, _ModelQueue(at_once, a_minute))
        if self._halted:
            return False
        granted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        line.waiting.append((place, worker, granted))
        self._lives(worker)
        return await granted

    async def leave(self, model: str, place: str, crowded: bool, after: float | None) -> None:
        """Free a place; see `groundscope.chat.pace.CallGate`."""
        line = self._lines.get(model)
        if line is None:
            return
        if line.held.pop(place, None) is not None:
            now = time.monotonic()
            if crowded:
                line.pace.refused(now, after)
            else:
                line.pace.accepted(now)
        self._advance(line)

    async def alive(self, worker: str) -> None:
        """Note that a process lives; those that have said nothing for long hold no place."""
        self._lives(worker)

    def _lives(self, worker: str) -> None:
        now = self._seen[worker] = time.monotonic()
        gone = {one for one, seen in self._seen.items() if seen < now - LEASE}
        for line in self._lines.values():
            line.held = {place: holder for place, holder in line.held.items() if holder not in gone}
            line.waiting = deque(one for one in line.waiting if one[1] not in gone)
            self._advance(line)
        for worker_id in gone:
            del self._seen[worker_id]

    def _advance(self, line: _ModelQueue) -> None:
        while line.waiting and len(line.held) < line.at_once:
            if (pause := line.pace.wait(time.monotonic())) > 0:
                if line.timer is None:
                    line.timer = asyncio.get_running_loop().call_later(pause, self._again, line)
                return
            place, worker, granted = line.waiting.popleft()
            line.held[place] = worker
            granted.set_result(True)

    def _again(self, line: _ModelQueue) -> None:
        line.timer = None
        self._advance(line)

    async def reserve(self, call: str, most: float | None, calls: int) -> str:
        """Reserve what a call may cost, in the file, too; gives why the budget does not cover it, or nothing."""
        if call in self._open:
            return ""
        try:
            cost = self._budget.reserve(most, calls)
        except BudgetSpent as error:
            return str(error)
        self._file.reserve(call, self._start, cost)
        self._open[call] = cost
        return ""

    async def settle(self, call: str, cost: tuple[Any, ...]) -> None:
        """Note what a call cost, once."""
        if self._file.settle(call, Cost(*cost)):
            self._budget.settle(self._open.pop(call), Cost(*cost))

    async def reply(self, key: str) -> str | None:
        """A stored reply, as JSON."""
        stored = self._replies.get(key)
        return None if stored is None else json.dumps(asdict(stored))

    async def keep(self, key: str, model: str, reply: str) -> None:
        """Keep a reply, as JSON."""
        with keeping():
            self._replies.put(key, model, reply_of(reply))

    async def models(self) -> dict[str, int]:
        """See `groundscope.chat.replies.ReplyStore`."""
        return self._replies.models()

    async def cost(self) -> tuple[Any, ...]:
        """Cost so far, open calls as unanswered ones."""
        return tuple(sum(self._open.values(), self._budget.spent))

    async def halt(self) -> int:
        """Let no further call go; gives how many are under way."""
        self._halted = True
        for line in self._lines.values():
            while line.waiting:
                line.waiting.popleft()[2].set_result(False)
        return len(self._open)

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        self._replies.close()


def reply_of(row: str) -> Reply:
    """Read a reply as `Ledger.reply` writes it."""
    values = json.loads(row)
    return Reply(**{**values, "usage": Usage(**values["usage"])})


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
            self._ask("settle", call, tuple(spent.cost))
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


class _SharedReplies(replies.ReplyStore):
    """The replies that the ledger keeps: what one machine paid for, no other pays for."""

    def __init__(self, ask: Ask) -> None:
        super().__init__(data_folder() / "replies.sqlite")
        self._ask = ask

    def get(self, key: str) -> Reply | None:
        stored = self._ask("reply", key)
        return None if stored is None else reply_of(stored)

    def put(self, key: str, model: str, reply: Reply) -> None:
        self._ask("keep", key, model, json.dumps(asdict(reply)))

    def models(self) -> dict[str, int]:
        counts: dict[str, int] = self._ask("models")
        return counts
