"""Methods that ask a chat model: which one, whether the user agreed to where texts go, and what may be spent on it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import scorers
from components import state
from components.orders import Allowance
from components.worker import Worker
from evaluation.chat import Estimate
from evaluation.chat_spec import VARIABLE, Spec, parse
from evaluation.errors import GroundscopeError
from evaluation.types import Case, Judgement, Status

_LANES = 4
_THIS_MACHINE = {"", "localhost", "127.0.0.1", "::1"}


@lru_cache(maxsize=1)
def worker() -> Worker:
    """The process that asks models: it mostly waits, so it works on several cases at a time, and nobody waits for it."""
    return Worker(lanes=_LANES)


def line() -> str:
    """The spec of the model that this session's methods ask; empty where there is none."""
    return state.chat_model() or os.environ.get(VARIABLE, "")


def chosen() -> Spec | None:
    """The model that this session's methods ask; None where there is none, or none that can be meant."""
    try:
        return parse(line())
    except ValueError:
        return None


def parameters(method: str) -> dict[str, Any]:
    """The session's options of a method, with the model where it asks one."""
    own = state.options().get(method, {})
    if "model" in own or not state.chat_model() or "model" not in scorers.parameters(method):
        return own
    return {"model": state.chat_model(), **own}


def asks(scorer: Any) -> bool:
    """Whether a method asks a chat model."""
    return hasattr(scorer, "estimate")


def leaves(scorer: Any) -> str:
    """The host that a method sends texts to; empty where they stay on this machine."""
    address = str(getattr(scorer, "address", ""))
    return "" if address in _THIS_MACHINE else address


def host(spec: str) -> str:
    """The host that a chat model's texts go to; empty where they stay on this machine."""
    return leaves(scorers.chat(spec))


def may_send(scorer: Any, case: Case) -> bool:
    """Whether the user agreed to send this case to where a method sends it."""
    address = leaves(scorer)
    return not address or (address, None) in state.agreed() or (address, case) in state.agreed()


def agree(address: str, case: Case | None) -> None:
    """Keep that the user agreed to send a case to an address, or every case of this session."""
    state.agreed().add((address, case))


def take_back(address: str) -> None:
    """Ask again before the next case goes to an address."""
    state.agreed().difference_update([a for a in state.agreed() if a[0] == address])


def spent() -> tuple[int, float]:
    """Calls made and US dollars spent by this session so far; also of calls that were still under way when it was stopped."""
    return state.spent(worker().spent.get(state.session()))


def allowance() -> Allowance:
    """What the session may spend, and has spent."""
    limits, (calls, dollars) = state.limits(), spent()
    return Allowance(state.session(), limits.calls, limits.dollars, calls, dollars)


def failed(scorer: Any, case: Case) -> bool:
    """Whether a method that asks a model failed on a case in this session."""
    found = state.judgements().get((str(scorer.signature), case))
    return asks(scorer) and found is not None and found.status is Status.FAILED


def forget_failures(case: Case | None = None) -> None:
    """Ask again where methods that ask a model failed: the budget, a price or the server may be another one now.

    Args:
        case: for this case only; None = for all of this session.
    """
    for key, judgement in list(state.judgements().items()):
        if judgement.status is Status.FAILED and "|model=" in key[0] and case in (None, key[1]):
            del state.judgements()[key]


@dataclass(frozen=True, slots=True)
class Offer:
    """What waits for the user's word: methods that would send a case to one address, and what that takes at most."""

    address: str
    methods: tuple[str, ...]
    estimate: Estimate


def offers(case: Case, methods: Sequence[tuple[str, Any]]) -> list[Offer]:
    """What would be sent for a case, by address.

    Args:
        case: the case that is open.
        methods: titles and scorers of those that could run.
    """
    by_address: dict[str, list[tuple[str, Estimate]]] = {}
    for title, scorer in methods:
        if asks(scorer) and not may_send(scorer, case):
            try:
                estimate = scorer.estimate(case)
            except GroundscopeError as error:
                # It cannot take this case, and would say so itself. Nothing is sent, and nobody has agreed to anything.
                refused = Judgement(Status.FAILED, note=str(error), context_seen=0.0)
                state.judgements()[str(scorer.signature), case] = refused
            else:
                by_address.setdefault(leaves(scorer), []).append((title, estimate))
    return [Offer(a, tuple(title for title, _ in found), _sum(a, [e for _, e in found])) for a, found in by_address.items()]


def _sum(address: str, estimates: Sequence[Estimate]) -> Estimate:
    dollars = [e.dollars for e in estimates]
    return Estimate(
        sum(e.calls for e in estimates),
        sum(e.input for e in estimates),
        sum(e.output for e in estimates),
        None if None in dollars else sum(d for d in dollars if d is not None),
        address,
        any(e.at_most for e in estimates),
    )
