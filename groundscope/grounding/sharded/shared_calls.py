"""Calls to chat models in one process of many: the budget, the pace and the replies are the ledger's."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Event, Thread
from uuid import uuid4

from groundscope.chat import replies
from groundscope.chat.budget import Budget, CallCost, spending
from groundscope.chat.messages import Reply
from groundscope.chat.pace import paced
from groundscope.errors import BudgetSpent, Cancelled
from groundscope.grounding.sharded.ledger import LEASE, Ask, reply_of
from groundscope.paths import data_folder
from groundscope.runtime.retention import keeping


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
    """Reserves and settles at the ledger."""

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
    """The place of a call is the ledger's."""

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
        import json
        from dataclasses import asdict

        self._ask("keep", key, model, json.dumps(asdict(reply)))

    def models(self) -> dict[str, int]:
        counts: dict[str, int] = self._ask("models")
        return counts
