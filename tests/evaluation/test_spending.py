"""A budget is never passed, by however many threads, and what was not answered is not counted."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import BudgetSpent
from evaluation.spending import Budget, budget, spending


def _spend(on: Budget, most: float | None, dollars: float) -> None:
    with on.set_aside(most) as spent:
        spent.calls, spent.dollars = 1, dollars


def test_what_was_answered_is_counted() -> None:
    b = Budget()
    _spend(b, 0.5, 0.25)
    _spend(b, None, 0.125)
    assert (b.calls_made, b.dollars_spent) == (2, 0.375)


def test_what_was_not_answered_gives_its_place_back() -> None:
    b = Budget(calls=1, dollars=1.0)
    for _ in range(3):
        with pytest.raises(RuntimeError), b.set_aside(1.0):
            raise RuntimeError
        with b.set_aside(1.0):
            pass
    assert (b.calls_made, b.dollars_spent) == (0, 0.0)
    _spend(b, 1.0, 1.0)
    with pytest.raises(BudgetSpent):
        _spend(b, 0.0, 0.0)


def test_what_was_answered_before_a_fault_is_counted() -> None:
    b = Budget()
    with suppress(RuntimeError), b.set_aside(1.0) as spent:
        spent.calls, spent.dollars = 1, 0.5
        raise RuntimeError
    assert (b.calls_made, b.dollars_spent) == (1, 0.5)


def test_what_is_under_way_counts() -> None:
    b = Budget(calls=2, dollars=1.0)
    with b.set_aside(0.75):
        with pytest.raises(BudgetSpent, match=r"0\.5000 dollars"):
            _spend(b, 0.5, 0.0)
        _spend(b, 0.25, 0.25)
        with pytest.raises(BudgetSpent, match="2 calls"):
            _spend(b, 0.0, 0.0)
    assert b.calls_made == 1


def test_several_calls_are_set_aside_together() -> None:
    b = Budget(calls=10)
    with b.set_aside(None, 7) as spent:
        with pytest.raises(BudgetSpent), b.set_aside(None, 4):
            pass
        spent.calls = 6
    assert b.calls_made == 6
    with b.set_aside(None, 4):
        pass


def test_no_calls_means_none_and_no_dollars_means_free_ones_only() -> None:
    with pytest.raises(BudgetSpent):
        _spend(Budget(calls=0), 0.0, 0.0)
    free = Budget(dollars=0.0)
    _spend(free, 0.0, 0.0)
    assert free.calls_made == 1
    with pytest.raises(BudgetSpent):
        _spend(free, 0.000001, 0.0)


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
                    spent.calls, spent.dollars = 1, cost
                    made, spent_ = made + 1, spent_ + cost
        except BudgetSpent:
            assert not fits
        else:
            assert fits
        assert (b.calls_made, b.dollars_spent) == (made, spent_)
        assert calls is None or b.calls_made <= calls
        assert dollars is None or b.dollars_spent <= dollars


def test_threads_share_a_budget_and_never_pass_it() -> None:
    b, open_, most_open, lock = Budget(calls=100, dollars=8.0), 0, 0, threading.Lock()
    start = threading.Barrier(8)

    def work() -> int:
        nonlocal open_, most_open
        refused = 0
        start.wait()
        for _ in range(50):
            try:
                with b.set_aside(0.5) as spent:
                    with lock:
                        open_ += 1
                        most_open = max(most_open, open_)
                    spent.calls, spent.dollars = 1, 0.125
                    with lock:
                        open_ -= 1
            except BudgetSpent:
                refused += 1
        return refused

    with ThreadPoolExecutor(8) as pool:
        refused = sum(future.result() for future in [pool.submit(work) for _ in range(8)])
    assert b.calls_made + refused == 400
    assert b.dollars_spent == b.calls_made * 0.125 <= 8.0
    assert b.calls_made <= 61
    assert most_open <= 16


def test_without_a_runner_there_is_no_limit() -> None:
    assert budget() == Budget()
    assert budget() is not budget()


def test_the_innermost_budget_is_in_force() -> None:
    outer, inner = Budget(calls=1), Budget(calls=2)
    with spending(outer):
        with suppress(RuntimeError), spending(inner):
            assert budget() is inner
            raise RuntimeError
        assert budget() is outer
    assert budget() == Budget()


def test_a_budget_goes_with_the_context_and_not_with_the_process() -> None:
    b = Budget(calls=1)
    with spending(b), ThreadPoolExecutor(1) as pool:
        assert pool.submit(copy_context().run, budget).result() is b
        assert pool.submit(budget).result() is not b
