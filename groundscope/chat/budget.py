"""Limits on paid calls and their actual cost, outside the method interface.

A runner opens a block with `spending`; the model layer reserves the highest cost of a call before it sends it and records the
actual cost afterwards. One budget is shared by all threads of a job and is never exceeded.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from operator import add, sub
from typing import NamedTuple

from groundscope.errors import BudgetSpent
from groundscope.runtime.progress import scoped
from groundscope.text.humanize import money, plural

BUDGET = "Stopped by the budget"
"""Beginning of the reason if a budget stopped a run."""


class Cost(NamedTuple):
    """Cost of calls to paid models. Cached replies cost nothing.

    Attributes:
        calls: requests that a server accepted. A request refused because the server is busy does not count; every other try does.
        dollars: cost of calls with a known price, in US dollars.
        unanswered: calls that were sent and not answered; a provider may bill them.
        risk: highest cost of the unanswered calls in US dollars, in addition to `dollars`.
    """

    calls: int = 0
    tokens: int = 0
    dollars: float = 0.0
    unpriced: int = 0
    unanswered: int = 0
    risk: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":  # type: ignore[override]
        return Cost(*map(add, self, other))

    def __sub__(self, other: "Cost") -> "Cost":
        return Cost(*map(sub, self, other))

    @property
    def price(self) -> float | None:
        """US dollars; None if the price of a call is not known."""
        return None if self.unpriced else self.dollars


NOTHING = Cost()


def in_words(cost: Cost) -> str:
    """Write a cost for users."""
    counts = [plural(cost.calls, "call"), plural(cost.tokens, "token")]
    if not (cost.unpriced or (cost.unanswered and cost.risk)):
        return ", ".join([*counts, money(cost.dollars)])
    why = []
    if cost.unanswered:
        risk = f", {money(cost.risk)} at most" if cost.risk else ""
        why.append(f"{plural(cost.unanswered, 'call')} brought no answer and may be billed{risk}")
    if cost.unpriced:
        why.append(f"the price of {plural(cost.unpriced, 'call')} is not known")
    is_known = cost.dollars or not cost.unpriced
    least = f"at least {money(cost.dollars)}" if is_known else "an amount that is not known"
    return f"{', '.join([*counts, least])}: {'; '.join(why)}"


class Limits(NamedTuple):
    """Limits of a whole job over all its starts: number of calls and US dollars; None = no limit."""

    calls: int | None = None
    dollars: float | None = None

    def over(self, earlier: "Limits") -> "Limits":
        """Fill in limits that are not set here from `earlier`."""
        return Limits(
            earlier.calls if self.calls is None else self.calls, earlier.dollars if self.dollars is None else self.dollars
        )


NO_LIMITS = Limits()


@dataclass
class Budget:
    """Limits of a job and what it has spent.

    Attributes:
        calls: highest number of calls; None = no limit.
        dollars: highest cost in US dollars; None = no limit. With a limit, a model without a known price cannot be used.
        keep: called before and after each call with the cost so far, open calls counted as unanswered. A job saves it, so that a
            kill in the middle of a call loses nothing.
    """

    calls: int | None = None
    dollars: float | None = None
    spent: Cost = NOTHING
    keep: Callable[[Cost], None] = field(default=lambda cost: None, repr=False, compare=False)
    _open: Cost = NOTHING
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)

    def busy(self) -> bool:
        """Check whether calls are under way."""
        with self._lock:
            return self._open.calls > 0

    @contextmanager
    def set_aside(self, most: float | None, calls: int = 1) -> Iterator["CallCost"]:
        """Reserve the cost of calls while the block runs, which records their actual cost; errors are those of `reserve`."""
        reserved = self.reserve(most, calls)
        call = CallCost()
        try:
            yield call
        finally:
            self.settle(reserved, call.cost)

    def reserve(self, most: float | None, calls: int = 1) -> Cost:
        """Reserve the cost of calls until `settle`; `BudgetSpent` if the budget does not cover them."""
        reserved = Cost(calls, unpriced=calls if most is None else 0, unanswered=calls, risk=most or 0.0)
        with self._lock:
            self._refuse(calls, most)
            self.hold(reserved)
        return reserved

    def hold(self, reserved: Cost) -> None:
        """Reserve the cost of calls that were granted before, whether the limits cover it or not."""
        with self._lock:
            self._open += reserved
            self.keep(self.spent + self._open)

    def settle(self, reserved: Cost, cost: Cost) -> None:
        """Put the actual cost of calls in the place of what was reserved."""
        with self._lock:
            self._open -= reserved
            self.charge(cost)

    def charge(self, cost: Cost) -> None:
        """Add what was spent on calls that were made, whether the limits cover it or not."""
        with self._lock:
            self.spent += cost
            self.keep(self.spent + self._open)
        for meter in _meters.get():
            meter.add(cost)

    def _refuse(self, calls: int, most: float | None) -> None:
        used = self.spent + self._open
        if self.calls is not None and used.calls + calls > self.calls:
            used_up = "its one call is made" if self.calls == 1 else f"all of its {self.calls:,} calls are made"
            raise BudgetSpent(f"{BUDGET}: {used_up}; raise it and resume: nothing is paid for twice.")
        if self.dollars is not None and most is None:
            raise BudgetSpent(f"{BUDGET}: it is in dollars, and this model's price is not known; state its price first.")
        if self.dollars is not None and used.dollars + used.risk + (most or 0.0) > self.dollars:
            raise BudgetSpent(
                f"{BUDGET}: the next call may cost {most or 0.0:.4f} dollars, and {self.spent.dollars + self.spent.risk:.4f} of "
                f"{self.dollars:.2f} are spent; raise it and resume: nothing is paid for twice."
            )


@dataclass
class CallCost:
    """Actual cost of one call; nothing until the model layer records it."""

    cost: Cost = NOTHING

    def answered(self, tokens: int, dollars: float | None, calls: int = 1) -> None:
        """Record answered calls, before the reply is judged."""
        self.cost = Cost(calls, tokens, dollars or 0.0, calls if dollars is None else 0)

    def refused(self) -> None:
        """Record a try that the server answered with an error: one call without cost."""
        self.cost = Cost(1)

    def unanswered(self, most: float | None) -> None:
        """Record a try that was sent and not answered, which the provider may bill."""
        self.cost = Cost(1, unpriced=1 if most is None else 0, unanswered=1, risk=most or 0.0)


class Meter:
    """Cost of the calls of a block, over all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cost = NOTHING

    @property
    def cost(self) -> Cost:
        """Cost so far."""
        with self._lock:
            return self._cost

    def add(self, cost: Cost) -> None:
        """Add the cost of a call."""
        with self._lock:
            self._cost += cost


_budget: ContextVar[Budget | None] = ContextVar("groundscope_budget", default=None)
_meters: ContextVar[tuple[Meter, ...]] = ContextVar("groundscope_meters", default=())


@contextmanager
def spending(allowed: Budget) -> Iterator[Meter]:
    """Charge every call of this block, in this thread and in threads that run in a copy of its context, to a budget."""
    meter = Meter()
    with scoped(_budget, allowed), scoped(_meters, (*_meters.get(), meter)):
        yield meter


def budget() -> Budget:
    """Find the active budget."""
    return _budget.get() or Budget()
