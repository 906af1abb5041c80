"""Runs with methods that ask a chat model: several at a time, within the run's budget, and stopped."""

import threading
from dataclasses import dataclass, field

import pytest

from groundscope.chat.budget import Limits, budget
from groundscope.chat.messages import Estimate
from groundscope.errors import BudgetSpent, StoreError
from groundscope.experiments.steps import Outcome, Tick
from groundscope.experiments.work import LANES, STOPPED
from groundscope.grounding.runs.store import judgements
from groundscope.methods import Method
from groundscope.types import Case, Judgement, Status
from tests.groundscope.grounding.runs.scripted import Steady, cases_of, done, failed, judge, places, planned

CASES = cases_of(12)


@dataclass
class Asking(Method):
    """Asks a chat model, as far as a run can tell; notes how many cases are under way at a time."""

    asks = True
    name: str = "asking"
    wait: float = 0.02
    spends: int = 0
    now: int = 0
    busiest: int = 0
    seen: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def signature(self) -> str:
        return f"{self.name}|asking"

    def estimate(self, case: Case) -> Estimate:
        return Estimate(1, 10, 10, 0.0, "host")

    def score(self, case: Case) -> Judgement:
        with self.lock:
            self.now += 1
            self.busiest = max(self.busiest, self.now)
            self.seen.append(case.id)
        try:
            threading.Event().wait(self.wait)
            if self.spends:
                with budget().set_aside(0.5, self.spends) as spent:
                    spent.answered(10, 0.5, self.spends)
            return Judgement(Status.SCORED, support=0.5, seconds=self.wait, calls=self.spends, cost=0.5)
        finally:
            with self.lock:
                self.now -= 1


def test_methods_that_ask_run_several_cases_at_a_time_beside_the_local_ones() -> None:
    answered = threading.Event()

    def does(case: Case) -> None:
        if case.id == "case-5":
            assert answered.wait(30)

    def hear(tick: Tick) -> None:
        if tick.part == "asking" and tick.status:
            answered.set()

    asking = Asking("asking", 0.2)
    scorers: dict[str, Method] = {"asking": asking, "local": Steady("local", does=does)}
    run = planned(CASES, scorers)
    assert judge(run, scorers, hear=hear).finished
    assert failed(run) == (0, 0)
    assert asking.busiest == LANES
    assert sorted(asking.seen) == sorted(c.id for c in CASES)
    assert run.starts()[0].cold.keys() == {"local"}
    assert {k.timed for k in judgements(run, 0)} == {True}


def test_a_spent_budget_stops_those_that_ask_and_the_local_ones_finish() -> None:
    local = Steady("local")
    scorers: dict[str, Method] = {"asking": Asking("asking", spends=1), "local": local}
    run = planned(CASES, scorers, calls=5)
    ended = judge(run, scorers)
    assert not ended.finished
    assert ended.why.startswith("Stopped by the budget: all of its 5 calls are made; raise it and resume")
    assert done(run) == (5, 12)
    assert run.spent()[:3] == (5, 50, 2.5)
    # The budget is the run's: going on within it makes no further call.
    again = Asking("asking", spends=1)
    assert not judge(run, {"asking": again, "local": local}).finished
    assert done(run) == (5, 12)
    run.allow(Limits(12, None))
    assert judge(run, {"asking": Asking("asking", spends=1), "local": local}).finished
    assert done(run) == (12, 12)
    assert run.spent()[:3] == (12, 120, 6.0)


def test_a_stop_while_models_are_asked_keeps_what_came_back() -> None:
    stop = threading.Event()
    asking = Asking("asking", 0.05)

    def hear(tick: Tick) -> None:
        if tick.status:
            stop.set()

    run = planned(CASES, {"asking": asking})
    assert judge(run, {"asking": asking}, hear=hear, stop=stop) == Outcome(False, STOPPED, paused=True)
    assert 1 <= len(places(run)) <= LANES
    assert len(asking.seen) <= LANES + 1
    assert judge(run, {"asking": Asking("asking", 0.0)}).finished


def test_a_budget_that_is_spent_in_a_local_method_is_no_failure_of_a_case() -> None:
    def does(case: Case) -> None:
        if case.id == "case-3":
            raise BudgetSpent("Stopped by the budget: enough.")

    scorers: dict[str, Method] = {"a": Steady("a", does=does)}
    run = planned(CASES, scorers)
    assert judge(run, scorers) == Outcome(False, "Stopped by the budget: enough.")
    assert failed(run) == (0,)
    assert (0, 3) not in places(run)


def test_batches_need_kept_replies() -> None:
    scorers: dict[str, Method] = {"asking": Asking("asking")}
    run = planned(CASES, scorers, keeps_replies=False)
    with pytest.raises(StoreError, match=r"saves no replies.*resume without batches"):
        judge(run, scorers, batches=True)
    assert judge(run, scorers).finished
