"""The Message Batches API: calls of a whole run at half price, by the `anthropic` SDK."""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from evaluation.batching import Pending
from evaluation.errors import ModelUnavailable
from evaluation.spending import budget
from scorers import _gate
from scorers._anthropic import Anthropic, reply_of
from scorers._provider import Passing, fault

if TYPE_CHECKING:
    from scorers._llm import Chat

_SHARE = 0.5
"""Of the usual price."""
_TRIES = 6


def submit(chat: "Chat", pending: Sequence[Pending]) -> str:
    """Send calls as one batch; see `evaluation.batching.BatchModel`."""
    provider = _provider(chat)
    requests = [{"custom_id": f"{p.key}-{p.marker}", "params": provider.params(chat.call(p.prompt, p.marker))} for p in pending]
    most = [chat.most(p.prompt) for p in pending]
    total = None if None in most else _SHARE * sum(m or 0.0 for m in most)
    with budget().set_aside(total, calls=len(requests)):
        # A server that is crowded has refused the batch; after any other fault it may have it, and it would be paid twice.
        return str(_asked(chat, lambda: provider.batches().create(requests=requests), crowded_only=True).id)


def collect(chat: "Chat", batch: str) -> bool:
    """Keep a batch's replies; see `evaluation.batching.BatchModel`."""
    batches = _provider(chat).batches()
    found = _asked(chat, lambda: batches.retrieve(batch), gone=None)
    if found is None:
        # Deleted, or sent with the key of another account: its replies are out of reach, so they are asked for anew.
        return True
    if found.processing_status != "ended":
        return False
    replies = []
    for row in _asked(chat, lambda: list(batches.results(batch))):
        key, _, marker = str(row.custom_id).partition("-")
        if getattr(row.result, "type", "") == "succeeded":
            # One that is no message is asked for in the next batch.
            with suppress(Passing):
                replies.append(chat.keep(key, reply_of(row.result.message), marker=marker, share=_SHARE))
    with budget().set_aside(0.0, calls=0) as spent:
        spent.calls, spent.dollars = len(replies), sum(r.cost or 0.0 for r in replies)
    return True


def _provider(chat: "Chat") -> Anthropic:
    if not isinstance(chat.provider, Anthropic):
        raise ModelUnavailable("Batches are for Anthropic's own API; run without them here.")
    return chat.provider


_RAISE: Any = object()


def _asked(chat: "Chat", ask: Any, *, crowded_only: bool = False, gone: Any = _RAISE) -> Any:
    """Ask for something of a batch, again where the fault may pass.

    Args:
        chat: whose batch it is.
        ask: asks.
        crowded_only: not after faults that leave open whether the server took the call.
        gone: what to give where there is no such batch; without it, that is an error.

    Raises:
        ModelUnavailable: it did not answer.
    """
    for tries in range(1, _TRIES + 1):
        try:
            return ask()
        except ModelUnavailable:
            raise
        except Exception as error:
            if gone is not _RAISE and getattr(error, "status_code", None) == 404:
                return gone
            found = fault(error, f"{chat.spec.model} at {chat.address}")
        if not isinstance(found, Passing):
            raise ModelUnavailable(str(found))
        if tries == _TRIES or (crowded_only and not found.crowded):
            raise ModelUnavailable(f"{found.why} Run again later: a batch that was sent is collected, not sent again.")
        _gate.sleep(_gate.pause(tries) if found.after is None else found.after)
    raise AssertionError("the last try returns or raises")
