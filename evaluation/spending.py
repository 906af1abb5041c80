"""A run's budget for calls to paid models, without widening the scorer contract.

A runner says what may be spent with `spending`; the model layer asks before each call and counts after it. A budget is shared by
all threads of a run and never passed: what a call may cost at most is set aside before it is made.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from evaluation.errors import BudgetSpent

BUDGET = "Stopped by the budget"
"""How the reason begins where a budget stopped a run."""


@dataclass
class Budget:
    """What a run may spend, and what it has spent.

    Attributes:
        calls: how many calls at most; None = no limit.
        dollars: how much money at most; None = no limit. Then a model whose price is not known cannot be asked.
        calls_made: calls that a model answered.
        dollars_spent: what they cost.
    """

    calls: int | None = None
    dollars: float | None = None
    calls_made: int = 0
    dollars_spent: float = 0.0
    _calls_open: int = 0
    _dollars_open: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def busy(self) -> bool:
        """Whether calls are under way."""
        with self._lock:
            return self._calls_open > 0

    @contextmanager
    def set_aside(self, most: float | None, calls: int = 1) -> Iterator["Spent"]:
        """Set calls aside while the block runs; the block says what they came to.

        Args:
            most: what they can cost at most in US dollars; None = not known.
            calls: how many.

        Raises:
            BudgetSpent: they do not fit.
        """
        with self._lock:
            if self.calls is not None and self.calls_made + self._calls_open + calls > self.calls:
                made = "its one call is made" if self.calls == 1 else f"all of its {self.calls:,} calls are made"
                raise BudgetSpent(f"{BUDGET}: {made}; raise it and go on: nothing is paid for twice.")
            if self.dollars is not None and most is None:
                raise BudgetSpent(f"{BUDGET}: it is in dollars, and this model's price is not known; state its price first.")
            if self.dollars is not None and self.dollars_spent + self._dollars_open + (most or 0.0) > self.dollars:
                raise BudgetSpent(
                    f"{BUDGET}: the next call may cost {most or 0.0:.4f} dollars, and {self.dollars_spent:.4f} of "
                    f"{self.dollars:.2f} are spent; raise it and go on: nothing is paid for twice."
                )
            self._calls_open += calls
            self._dollars_open += most or 0.0
        spent = Spent()
        try:
            yield spent
        finally:
            with self._lock:
                self._calls_open -= calls
                self._dollars_open -= most or 0.0
                self.calls_made += spent.calls
                self.dollars_spent += spent.dollars


@dataclass
class Spent:
    """What a call came to: nothing until it was answered."""

    calls: int = 0
    dollars: float = 0.0


_budget: ContextVar[Budget | None] = ContextVar("groundscope_budget", default=None)


@contextmanager
def spending(budget: Budget) -> Iterator[None]:
    """Let every call of this block, in this thread, go on the budget."""
    token = _budget.set(budget)
    try:
        yield
    finally:
        _budget.reset(token)


def budget() -> Budget:
    """The budget in force; without limits where a runner set none."""
    return _budget.get() or Budget()
