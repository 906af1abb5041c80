"""Methods that ask a chat model: the model, the user's consent to send texts, and the budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from components import case_sets, state
from components.worker.process import Worker
from components.worker.scoring_process import Allowance
from groundscope.chat.budget import Cost
from groundscope.chat.clients.model import chat_model
from groundscope.chat.messages import ChatModel, Estimate
from groundscope.chat.model_spec import ModelSpec, parse
from groundscope.errors import GroundscopeError
from groundscope.methods import Method
from groundscope.paths import Variable
from groundscope.types import Case, Judgement, Status

_LANES = 4
_THIS_MACHINE = {"", "localhost", "127.0.0.1", "::1"}


@lru_cache(maxsize=1)
def worker() -> Worker:
    """The process that asks models: it mostly waits, so it works on several cases at a time and delays no other method."""
    return Worker(lanes=_LANES)


def line() -> str:
    """The spec of the model that this session's methods ask; empty if there is none."""
    return state.chat_model() or Variable.MODEL.read()


def chosen() -> ModelSpec | None:
    """The model that this session's methods ask; None if there is none, or its spec cannot be read."""
    try:
        return parse(line())
    except ValueError:
        return None


def leaves(asked: Method | ChatModel) -> str:
    """The host that a method or a chat model sends texts to; empty where they stay on this machine."""
    return "" if asked.address in _THIS_MACHINE else asked.address


def host(spec: str) -> str:
    """The host that a chat model's texts go to; empty where they stay on this machine."""
    return leaves(chat_model(spec))


def may_send(scorer: Method, case: Case) -> bool:
    """Whether the user agreed to send this case to the method's host; an edited one needs consent of its own."""
    address = leaves(scorer)
    return not address or (address, case) in state.agreed() or ((address, None) in state.agreed() and not case_sets.edited(case))


def agree(address: str, case: Case | None) -> None:
    """Store the user's consent to send a case to an address, or (None) every case of this session."""
    state.agreed().add((address, case))


def take_back(address: str) -> None:
    """Withdraw the consent for an address: ask before the next case goes there."""
    state.agreed().difference_update([a for a in state.agreed() if a[0] == address])


def spent() -> Cost:
    """What this session has spent, including calls that were under way when they were stopped."""
    return state.spent(worker().spent.get(state.session()))


def allowance() -> Allowance:
    """What the session may spend and has spent."""
    limits = state.limits()
    return Allowance(state.session(), limits.calls, limits.dollars, spent())


def failed(scorer: Method, case: Case) -> bool:
    """Whether a method that asks a model failed on a case in this session."""
    judgement = state.judgements().get((scorer.signature, case))
    return scorer.asks and judgement is not None and judgement.status is Status.FAILED


def forget_failures(case: Case | None = None) -> None:
    """Retry what failed of methods that ask a model, on one case or all: the budget, a price or the server may have changed."""
    for key, judgement in list(state.judgements().items()):
        if judgement.status is Status.FAILED and "|model=" in key[0] and case in (None, key[1]):
            del state.judgements()[key]


@dataclass(frozen=True, slots=True)
class SendingOffer:
    """Methods that need consent to send a case to one address, with the highest cost."""

    address: str
    methods: tuple[str, ...]
    estimate: Estimate


def offers(case: Case, methods: Sequence[tuple[str, Method]]) -> list[SendingOffer]:
    """What would be sent for a case, by address, of methods that could run (titles and scorers)."""
    by_address: dict[str, list[tuple[str, Estimate]]] = {}
    for title, scorer in methods:
        if scorer.asks and not may_send(scorer, case):
            try:
                estimate = scorer.estimate(case)
            except GroundscopeError as error:
                # The method cannot take this case: show its own message. Nothing is sent.
                refused = Judgement(Status.FAILED, note=str(error), context_seen=0.0)
                state.judgements()[scorer.signature, case] = refused
            else:
                by_address.setdefault(leaves(scorer), []).append((title, estimate))
    return [
        SendingOffer(address, tuple(title for title, _ in methods), total(address, [estimate for _, estimate in methods]))
        for address, methods in by_address.items()
    ]


def total(address: str, estimates: Sequence[Estimate]) -> Estimate:
    """The sum of estimates of what goes to one address."""
    dollars = [e.dollars for e in estimates]
    return Estimate(
        sum(e.calls for e in estimates),
        sum(e.input for e in estimates),
        sum(e.output for e in estimates),
        None if None in dollars else sum(d for d in dollars if d is not None),
        address,
        any(e.at_most for e in estimates),
        sum(e.again for e in estimates),
    )
