"""Runs with methods that ask a chat model: several at a time, within the run's budget, and stopped."""

import threading
from dataclasses import dataclass, field

import pytest

from evaluation import benchmark
from evaluation.benchmark import Outcome, Tick
from evaluation.chat import Estimate
from evaluation.errors import BudgetSpent, StoreError
from evaluation.spending import budget
from evaluation.store import Store
from evaluation.types import Case, Judgement, Scorer, Status
from tests.evaluation.runs.scripted import Steady, cases_of, planned

CASES = cases_of(12)
STOPPED = Outcome(False, "Stopped. What was judged is kept; resume the run to go on.")


@dataclass
class Asking:
    """Asks a chat model, as far as a run can tell; notes how many cases are under way at a time."""

    name: str
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
                    spent.calls, spent.dollars = self.spends, 0.5
            return Judgement(Status.SCORED, support=0.5, seconds=self.wait, calls=self.spends, cost=0.5)
        finally:
            with self.lock:
                self.now -= 1


def test_methods_that_ask_run_several_cases_at_a_time_beside_the_local_ones(store: Store) -> None:
    answered = threading.Event()

    def does(case: Case) -> None:
        if case.id == "case-5":
            assert answered.wait(30)

    def hear(tick: Tick) -> None:
        if tick.method == "asking" and tick.judgement:
            answered.set()

    asking = Asking("asking", 0.03)
    scorers: dict[str, Scorer] = {"asking": asking, "local": Steady("local", does=does)}
    run = planned(store, CASES, scorers)
    assert benchmark.work(store, run, scorers, hear=hear) == Outcome(True)
    assert store.run(run).failed == (0, 0)
    assert asking.busiest == benchmark.LANES
    assert sorted(asking.seen) == sorted(c.id for c in CASES)
    assert store.starts(run)[0].cold.keys() == {"local"}
    assert {k.timed for k in store.judgements(run, 0)} == {True}


def test_a_spent_budget_stops_those_that_ask_and_the_local_ones_finish(store: Store) -> None:
    local = Steady("local")
    scorers: dict[str, Scorer] = {"asking": Asking("asking", spends=1), "local": local}
    run = planned(store, CASES, scorers, calls=5)
    ended = benchmark.work(store, run, scorers)
    assert not ended.finished
    assert ended.why.startswith("Stopped by the budget: all of its 5 calls are made; raise it and go on")
    assert store.run(run).done == (5, 12)
    assert store.spent(run) == (5, 2.5)
    # The budget is the run's: going on within it makes no further call.
    again = Asking("asking", spends=1)
    assert not benchmark.work(store, run, {"asking": again, "local": local}).finished
    assert store.run(run).done == (5, 12)
    store.allow(run, 12, None)
    assert benchmark.work(store, run, {"asking": Asking("asking", spends=1), "local": local}) == Outcome(True)
    assert store.run(run).done == (12, 12)
    assert store.spent(run) == (12, 6.0)


def test_a_budget_of_dollars_holds_over_every_resumption(store: Store) -> None:
    scorers: dict[str, Scorer] = {"asking": Asking("asking", spends=1)}
    run = planned(store, CASES, scorers, dollars=2.0)
    for _ in range(3):
        assert "of 2.00 are spent" in benchmark.work(store, run, scorers).why
        assert store.spent(run)[1] == 2.0


def test_a_stop_while_models_are_asked_keeps_what_came_back(store: Store) -> None:
    stop = threading.Event()
    asking = Asking("asking", 0.05)

    def hear(tick: Tick) -> None:
        if tick.judgement:
            stop.set()

    run = planned(store, CASES, {"asking": asking})
    assert benchmark.work(store, run, {"asking": asking}, hear=hear, stop=stop) == STOPPED
    done = store.done(run)
    assert 1 <= len(done) <= benchmark.LANES
    assert len(asking.seen) <= benchmark.LANES + 1
    assert benchmark.work(store, run, {"asking": Asking("asking", 0.0)}) == Outcome(True)


def test_a_budget_that_is_spent_in_a_local_method_is_no_failure_of_a_case(store: Store) -> None:
    def does(case: Case) -> None:
        if case.id == "case-3":
            raise BudgetSpent("Stopped by the budget: enough.")

    scorers: dict[str, Scorer] = {"a": Steady("a", does=does)}
    run = planned(store, CASES, scorers)
    assert benchmark.work(store, run, scorers) == Outcome(False, "Stopped by the budget: enough.")
    assert store.run(run).failed == (0,)
    assert (0, 3) not in store.done(run)


def test_batches_need_kept_replies(store: Store) -> None:
    scorers: dict[str, Scorer] = {"asking": Asking("asking")}
    run = planned(store, CASES, scorers, keeps_replies=False)
    with pytest.raises(StoreError, match=r"keeps no replies.*go on without batches"):
        benchmark.work(store, run, scorers, batches=True)
    assert benchmark.work(store, run, scorers) == Outcome(True)
