"""Batch API of providers: half the price, done within a day, resumable by the batch's id.

A method calls its model as usual. While `deferring`, a question without a cached reply is queued instead of sent, and the case
waits. A run therefore goes in rounds: score what can be scored, send the queue as one batch, collect the replies, score again.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from groundscope.chat.messages import Prompt
from groundscope.errors import GroundscopeError, ModelUnavailable
from groundscope.paths import data_folder, replace_text
from groundscope.runtime.scoped import scoped

_T = TypeVar("_T")
_POLL = 60.0
_ROUNDS = 12
"""More rounds than any method has questions that depend on each other."""


class Deferred(GroundscopeError):
    """A question was queued; the case is scored when its reply has arrived."""


class BatchModel(Protocol):
    """A model that supports batches."""

    @property
    def identity(self) -> str:
        """As in `groundscope.chat.messages.ChatModel`."""
        ...

    def submit(self, pending: Sequence["Pending"]) -> str:
        """Send queued questions as a batch.

        Raises:
            BudgetSpent: the budget does not cover it.
        """
        ...

    def collect(self, batch: str) -> bool:
        """Store the replies of a batch; questions that failed in it are sent again in the next one."""
        ...


class Pending(NamedTuple):
    """A queued question."""

    model: BatchModel
    key: str
    prompt: Prompt
    marker: str


_list: ContextVar[dict[str, Pending] | None] = ContextVar("groundscope_deferred", default=None)


@contextmanager
def deferring() -> Iterator[dict[str, Pending]]:
    """Queue questions instead of sending them, while the block runs."""
    pending: dict[str, Pending] = {}
    with scoped(_list, pending):
        yield pending


def defer(pending: Pending) -> None:
    """Queue a question; without an open queue, do nothing."""
    queue = _list.get()
    if queue is not None:
        queue[pending.key] = pending
        raise Deferred("The question goes into the next batch.")


def batched() -> bool:
    """Check whether questions go into a batch now."""
    return _list.get() is not None


def in_rounds(items: Sequence[_T], do: Callable[[_T], None], *, wait: Callable[[float], None] = time.sleep) -> list[_T]:
    """Process items, sending their questions in batches. An open batch of an earlier start is collected first.

    Raises:
        ModelUnavailable: a batch cannot be sent or collected.
        BudgetSpent: the budget does not cover a batch.
    """
    left = list(items)
    for _ in range(_ROUNDS):
        with deferring() as pending:
            waiting = []
            for item in left:
                try:
                    do(item)
                except Deferred:
                    waiting.append(item)
        left = waiting
        if not left:
            return []
        _one_round(list(pending.values()), wait)
    return left


def _one_round(pending: Sequence[Pending], wait: Callable[[float], None]) -> None:
    models = {p.model.identity: p.model for p in pending}
    for name, model in models.items():
        if name not in _sent():
            sent = model.submit([p for p in pending if p.model.identity == name])
            _write({**_sent(), name: sent})
    for name, model in models.items():
        batch = _sent().get(name)
        while batch is not None and not model.collect(batch):
            wait(_POLL)
        _write({k: v for k, v in _sent().items() if k != name})


def still_open() -> bool:
    """Check whether a batch was sent and is not collected yet."""
    return bool(_sent())


def _sent() -> dict[str, str]:
    """Batches that were sent and not collected yet, by model; on disk, so that a new run finds them."""
    try:
        stored = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return {k: v for k, v in stored.items() if isinstance(v, str)} if isinstance(stored, dict) else {}


def _write(sent: dict[str, str]) -> None:
    try:
        replace_text(_file(), json.dumps(sent, indent=1))
    except OSError as error:
        raise ModelUnavailable(f"The batch's id cannot be written ({error.strerror}); check the data folder.") from None


def _file() -> Path:
    return data_folder() / "batches.json"
