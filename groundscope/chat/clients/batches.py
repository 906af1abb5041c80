"""The Message Batches API by the `anthropic` SDK: half the price, done within a day, resumable by the batch's id.

A method calls its model as usual. While `deferring`, a question without a cached reply is queued instead of sent, and the case
waits. A run therefore goes in rounds: score what can be scored, send the queue as one batch, collect the replies, score again.
"""

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from groundscope.chat.budget import CallCost, budget
from groundscope.chat.clients import ceilings
from groundscope.chat.clients.anthropic_api import Anthropic, reply_of
from groundscope.chat.clients.faults import TransientError, fault
from groundscope.chat.clients.model import Chat
from groundscope.chat.messages import Deferred, Pending, deferring
from groundscope.errors import ModelUnavailable
from groundscope.files.typed import from_json
from groundscope.paths import data_folder, replace_text

_T = TypeVar("_T")
_POLL = 60.0
_ROUNDS = 12
"""More rounds than any method has questions that depend on each other."""
_SHARE = 0.5
"""Of the usual price."""
_TRIES = 6


def in_rounds(items: Sequence[_T], do: Callable[[_T], None], *, wait: Callable[[float], None] = time.sleep) -> list[_T]:
    """Process items, sending their questions in batches; gives those whose replies never came.

    An open batch of an earlier start is collected first. `ModelUnavailable` if a batch cannot be sent or collected, `BudgetSpent`
    if the budget does not cover it.
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
    models = {p.model.identity: p.model for p in pending if isinstance(p.model, Chat)}
    for name, model in models.items():
        if name not in _sent():
            sent = _submit(model, [p for p in pending if p.model.identity == name])
            _write({**_sent(), name: sent})
    for name, model in models.items():
        batch = _sent().get(name)
        while batch is not None and not _collect(model, batch):
            wait(_POLL)
        _write({k: v for k, v in _sent().items() if k != name})


def still_open() -> bool:
    """Whether a batch was sent and is not collected yet."""
    return bool(_sent())


def _sent() -> dict[str, str]:
    """Batches that were sent and not collected yet, by model; on disk, so that a new run finds them."""
    try:
        return from_json(dict[str, str], _file().read_bytes())
    except (OSError, ValueError):
        return {}


def _write(sent: dict[str, str]) -> None:
    try:
        replace_text(_file(), json.dumps(sent, indent=1))
    except OSError as error:
        raise ModelUnavailable(f"The batch's id cannot be written ({error.strerror}); check the data folder.") from None


def _file() -> Path:
    return data_folder() / "batches.json"


def _submit(chat: Chat, pending: Sequence[Pending]) -> str:
    """Send calls as one batch."""
    provider = _provider(chat)
    requests = [{"custom_id": f"{p.key}-{p.marker}", "params": provider.params(chat.call(p.prompt, p.marker))} for p in pending]
    most = [chat.most(p.prompt) for p in pending]
    total = None if None in most else _SHARE * sum(m or 0.0 for m in most)
    with budget().set_aside(total, calls=len(requests)):
        # A server that is crowded has refused the batch; after any other fault it may have it, and it would be paid twice.
        return str(_asked(chat, lambda: provider.batches().create(requests=requests), crowded_only=True).id)


def _collect(chat: Chat, batch: str) -> bool:
    """Store the replies of a batch at half price; failed questions stay without a reply, so that the next batch repeats them."""
    batches = _provider(chat).batches()
    status = _asked(chat, lambda: batches.retrieve(batch), gone=None)
    if status is None:
        # Deleted, or sent with another account's key: its replies cannot be read, so the questions are sent again.
        return True
    if status.processing_status != "ended":
        return False
    replies = []
    for row in _asked(chat, lambda: list(batches.results(batch))):
        key, _, marker = str(row.custom_id).partition("-")
        if getattr(row.result, "type", "") == "succeeded":
            # One that is no message is asked for in the next batch.
            with suppress(TransientError):
                replies.append(chat.keep(key, reply_of(row.result.message), marker=marker, share=_SHARE))
    spent = CallCost()
    costs = [r.cost for r in replies]
    dollars = None if None in costs else sum(c or 0.0 for c in costs)
    spent.answered(sum(r.usage.total for r in replies), dollars, calls=len(replies))
    budget().charge(spent.cost)
    return True


def _provider(chat: Chat) -> Anthropic:
    if not isinstance(chat.provider, Anthropic):
        raise ModelUnavailable("Batches are for Anthropic's own API; run without them here.")
    return chat.provider


_RAISE: Any = object()


def _asked(chat: Chat, ask: Any, *, crowded_only: bool = False, gone: Any = _RAISE) -> Any:
    """Send a request about a batch, with retries after passing faults.

    `crowded_only` retries only if the server refused because it is busy, so that it certainly did not accept the request. `gone`
    is the result if the batch does not exist; without it, that is an error.
    """
    for tries in range(1, _TRIES + 1):
        try:
            return ask()
        except ModelUnavailable:
            raise
        except Exception as error:
            if gone is not _RAISE and getattr(error, "status_code", None) == 404:
                return gone
            problem = fault(error, f"{chat.spec.model} at {chat.address}")
        if not isinstance(problem, TransientError):
            raise ModelUnavailable(str(problem))
        if tries == _TRIES or (crowded_only and not problem.crowded):
            raise ModelUnavailable(f"{problem.why} Run again later: a batch that was sent is collected, not sent again.")
        ceilings.sleep(ceilings.pause(tries) if problem.after is None else problem.after)
    raise AssertionError("the last try returns or raises")
