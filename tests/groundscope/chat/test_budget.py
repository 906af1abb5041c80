"""A budget is never passed, by however many threads, and a job can write down what may have been billed."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.chat.budget import NOTHING, Budget, CallCost, Cost, budget, in_words, spending
from groundscope.errors import BudgetSpent
from tests.loops import each


def _spend(on: Budget, most: float | None, dollars: float) -> None:
    with on.set_aside(most) as spent:
        spent.answered(0, dollars)


def _made(b: Budget) -> tuple[int, float]:
    return b.spent.calls, b.spent.dollars


def test_what_was_not_answered_gives_its_place_back() -> None:
    b = Budget(calls=1, dollars=1.0)
    for _ in range(3):
        with pytest.raises(RuntimeError), b.set_aside(1.0):
            raise RuntimeError
    assert _made(b) == (0, 0.0)
    _spend(b, 1.0, 1.0)
    with pytest.raises(BudgetSpent):
        _spend(b, 0.0, 0.0)


def test_what_was_answered_before_a_fault_is_counted() -> None:
    b = Budget()
    with suppress(RuntimeError), b.set_aside(1.0) as spent:
        spent.answered(0, 0.5)
        raise RuntimeError
    assert _made(b) == (1, 0.5)


def test_what_is_under_way_counts() -> None:
    b = Budget(calls=2, dollars=1.0)
    with b.set_aside(0.75):
        with pytest.raises(BudgetSpent, match=r"0\.5000 dollars"):
            _spend(b, 0.5, 0.0)
        _spend(b, 0.25, 0.25)
        with pytest.raises(BudgetSpent, match="2 calls"):
            _spend(b, 0.0, 0.0)
    assert b.spent.calls == 1


def test_several_calls_are_set_aside_together() -> None:
    b = Budget(calls=10)
    with b.set_aside(None, 7) as spent:
        with pytest.raises(BudgetSpent), b.set_aside(None, 4):
            pass
        spent.answered(0, 0.0, calls=6)
    assert b.spent.calls == 6
    with b.set_aside(None, 4):
        pass


def test_with_a_budget_in_dollars_an_unknown_price_is_refused() -> None:
    with pytest.raises(BudgetSpent, match="price"):
        _spend(Budget(dollars=100.0), None, 0.0)


@given(
    st.none() | st.integers(0, 12),
    st.none() | st.integers(0, 64).map(lambda n: n / 8),
    st.lists(st.tuples(st.integers(0, 16), st.integers(0, 16), st.booleans()), max_size=20),
)
def test_a_budget_is_never_passed(calls: int | None, dollars: float | None, tried: list[tuple[int, int, bool]]) -> None:
    b, made, spent_ = Budget(calls, dollars), 0, 0.0
    for most, least, answered in tried:
        # Eighths are exact.
        most_, cost = max(most, least) / 8, min(most, least) / 8
        fits = (calls is None or made + 1 <= calls) and (dollars is None or spent_ + most_ <= dollars)
        try:
            with b.set_aside(most_) as spent:
                if answered:
                    spent.answered(0, cost)
                    made, spent_ = made + 1, spent_ + cost
        except BudgetSpent:
            assert not fits
        else:
            assert fits
        assert _made(b) == (made, spent_)
        assert calls is None or b.spent.calls <= calls
        assert dollars is None or b.spent.dollars <= dollars


def test_threads_share_a_budget_and_never_pass_it() -> None:
    b, start = Budget(calls=100, dollars=8.0), threading.Barrier(8)

    def work(_: int) -> int:
        refused = 0
        start.wait()
        for _ in range(50):
            try:
                _spend(b, 0.5, 0.125)
            except BudgetSpent:
                refused += 1
        return refused

    with ThreadPoolExecutor(8) as pool:
        refused = sum(pool.map(work, range(8)))
    assert b.spent.calls + refused == 400
    # One more would be set aside with 0.5 dollars.
    assert 60 <= b.spent.calls <= 61
    assert b.spent.dollars == b.spent.calls * 0.125 <= 8.0


def test_the_innermost_budget_is_in_force() -> None:
    outer, inner = Budget(calls=1), Budget(calls=2)
    with spending(outer):
        with suppress(RuntimeError), spending(inner):
            assert budget() is inner
            raise RuntimeError
        assert budget() is outer
    assert budget() == Budget()
    assert budget() is not budget()


def test_a_budget_goes_with_the_context_and_not_with_the_process() -> None:
    b = Budget(calls=1)
    with spending(b), ThreadPoolExecutor(1) as pool:
        assert pool.submit(copy_context().run, budget).result() is b
        assert pool.submit(budget).result() is not b


def test_a_call_under_way_is_written_down_as_unanswered_until_it_is_settled() -> None:
    noted: list[Cost] = []
    b = Budget(dollars=1.0, keep=noted.append)
    with b.set_aside(0.5) as call:
        assert noted == [Cost(1, unanswered=1, risk=0.5)]
        call.answered(100, 0.25)
    assert noted[-1] == b.spent == Cost(1, 100, 0.25)


def test_a_call_without_an_answer_may_be_billed_and_holds_its_place_in_the_budget() -> None:
    b = Budget(calls=3, dollars=1.0)
    with b.set_aside(0.75) as call:
        call.unanswered(0.75)
    with pytest.raises(BudgetSpent):
        _spend(b, 0.5, 0.5)
    with b.set_aside(0.0) as call:
        call.refused()
    assert b.spent == Cost(2, unanswered=1, risk=0.75)
    assert in_words(b.spent) == ("2 calls, 0 tokens, at least $0.00: 1 call brought no answer and may be billed, $0.75 at most")


def test_what_earlier_starts_spent_counts() -> None:
    b = Budget(calls=3, dollars=1.0, spent=Cost(2, 10, 0.75))
    with pytest.raises(BudgetSpent, match=r"0\.7500 of 1\.00 are spent"):
        _spend(b, 0.5, 0.5)
    _spend(b, 0.25, 0.25)
    with pytest.raises(BudgetSpent, match="all of its 3 calls are made"):
        _spend(b, 0.0, 0.0)


def test_a_meter_counts_the_calls_of_its_block_alone_also_from_other_threads() -> None:
    b = Budget()
    with spending(b) as all_of_it:
        _spend(budget(), 1.0, 0.5)
        with spending(b) as inner, ThreadPoolExecutor(4) as pool:
            futures = [pool.submit(copy_context().run, _spend, budget(), 1.0, 0.25) for _ in range(8)]
            assert all(future.exception() is None for future in futures)
    assert (inner.cost, all_of_it.cost, b.spent) == (Cost(8, 0, 2.0), Cost(9, 0, 2.5), Cost(9, 0, 2.5))


@each(
    ("cost", "words"),
    [
        (NOTHING, "0 calls, 0 tokens, $0.00"),
        (Cost(1, 1, 0.023), "1 call, 1 token, $0.0230"),
        (Cost(1200, 3400, 1.5), "1,200 calls, 3,400 tokens, $1.50"),
        (
            Cost(4, 9, 0.023, 1, 2, 0.5),
            "4 calls, 9 tokens, at least $0.0230: 2 calls brought no answer and may be billed, $0.50 at most; the price of 1 "
            "call is not known",
        ),
    ],
)
def test_a_cost_says_at_least_where_more_may_be_billed(cost: Cost, words: str) -> None:
    assert in_words(cost) == words


def test_an_unanswered_call_costs_nothing_on_a_free_server_and_an_unknown_amount_without_a_price() -> None:
    free, unpriced = CallCost(), CallCost()
    free.unanswered(0.0)
    unpriced.unanswered(None)
    assert in_words(free.cost) == "1 call, 0 tokens, $0.00"
    # What is left of a sum of doubles is no risk.
    assert in_words(Cost(120, 40_550, 0.5, risk=3.5e-18)) == "120 calls, 40,550 tokens, $0.50"
    assert in_words(unpriced.cost) == (
        "1 call, 0 tokens, an amount that is not known: 1 call brought no answer and may be billed; the price of 1 call is "
        "not known"
    )
    assert unpriced.cost.price is None
