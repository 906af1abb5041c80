"""The Message Batches API by the `anthropic` SDK: all calls of a run at half price."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Protocol

from groundscope.chat.batches import Pending
from groundscope.chat.budget import CallCost, budget
from groundscope.chat.clients import ceilings
from groundscope.chat.clients.anthropic_api import Anthropic, reply_of
from groundscope.chat.clients.faults import TransientError, fault
from groundscope.chat.clients.provider import Provider, ProviderCall
from groundscope.chat.messages import Prompt, Reply
from groundscope.chat.model_spec import ModelSpec
from groundscope.errors import ModelUnavailable

_SHARE = 0.5
"""Of the usual price."""
_TRIES = 6


class Sender(Protocol):
    """What a batch needs from a chat model; see `groundscope.chat.clients.model.Chat`."""

    spec: ModelSpec

    @property
    def address(self) -> str:
        """The host that texts go to."""

    @property
    def provider(self) -> Provider:
        """The provider's side."""

    def call(self, prompt: Prompt, marker: str) -> ProviderCall:
        """The call of a prompt, as it is sent."""

    def most(self, prompt: Prompt) -> float | None:
        """Highest cost of a call in US dollars, at the usual price; None = not known."""

    def keep(self, key: str, reply: Reply, *, marker: str, share: float = 1.0) -> Reply:
        """Price and store a reply; `share` of the usual price was paid, 0 to 1."""


def submit(chat: Sender, pending: Sequence[Pending]) -> str:
    """Send calls as one batch."""
    provider = _provider(chat)
    requests = [{"custom_id": f"{p.key}-{p.marker}", "params": provider.params(chat.call(p.prompt, p.marker))} for p in pending]
    most = [chat.most(p.prompt) for p in pending]
    total = None if None in most else _SHARE * sum(m or 0.0 for m in most)
    with budget().set_aside(total, calls=len(requests)):
        # A server that is crowded has refused the batch; after any other fault it may have it, and it would be paid twice.
        return str(_asked(chat, lambda: provider.batches().create(requests=requests), crowded_only=True).id)


def collect(chat: Sender, batch: str) -> bool:
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


def _provider(chat: Sender) -> Anthropic:
    if not isinstance(chat.provider, Anthropic):
        raise ModelUnavailable("Batches are for Anthropic's own API; run without them here.")
    return chat.provider


_RAISE: Any = object()


def _asked(chat: Sender, ask: Any, *, crowded_only: bool = False, gone: Any = _RAISE) -> Any:
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
