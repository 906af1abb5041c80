"""Whose turn it is: every order once, a line in its sequence, and no line that waits for long, whatever happens when."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.worker.turns import OrderTurns, Turn

A, B = frozenset({"a"}), frozenset({"b"})


class _Pool:
    """The processes, played: what was added, what runs where, and what each waiting line saw of the others."""

    def __init__(self, processes: int, lanes: int) -> None:
        self.turns, self.lanes = OrderTurns(processes, lanes), lanes
        self.lines: dict[int, str] = {}
        self.left: dict[str, list[int]] = {}
        self.running: dict[int, int] = {}
        self.paused: dict[int, int] = {}
        self.ended: list[int] = []
        self.seen: dict[str, Counter[str]] = {}
        self.starting = False

    def add(self, line: str, models: frozenset[str]) -> None:
        number = len(self.lines) + 1
        self.lines[number] = line
        self.left.setdefault(line, []).append(number)
        self.turns.add(number, line, models)
        self.go()

    def go(self) -> None:
        while turn := self.turns.next():
            self._check(turn)
        if self.turns.further():
            assert not self.starting
            self.starting = True
        assert {number for number, _ in self.turns.urged()} <= set(self.running)

    def _check(self, turn: Turn) -> None:
        line = self.lines[turn.number]
        assert turn.number not in self.running
        assert turn.resumes == (turn.number in self.paused)
        if turn.resumes:
            assert self.paused.pop(turn.number) == turn.process
        assert list(self.running.values()).count(turn.process) < self.lanes
        busy = {self.lines[number] for number in self.running}
        if self.lanes == 1:
            assert line not in busy, "two orders of a line at a time"
            assert turn.number == self.left[line][0], "out of sequence"
        self.running[turn.number] = turn.process
        for other, numbers in self.left.items():
            waits = numbers and other != line and other not in busy
            # What is paused can resume in its own process alone.
            if waits and self.paused.get(numbers[0], turn.process) == turn.process:
                self.seen.setdefault(other, Counter())[line] += 1
                assert self.seen[other][line] <= 2, "a line waited for more than two turns of another one"
        self.seen[line] = Counter()

    def end(self, number: int) -> None:
        self.running.pop(number, None)
        self.paused.pop(number, None)
        self.left[self.lines[number]].remove(number)
        self.ended.append(number)
        self.turns.done(number)
        self.go()

    def pause(self, number: int) -> None:
        self.paused[number] = self.running.pop(number)
        self.turns.paused(number)
        self.go()

    def die(self, process: int) -> None:
        for number in [n for n, at in {**self.running, **self.paused}.items() if at == process]:
            self.running.pop(number, None)
            self.paused.pop(number, None)
            self.left[self.lines[number]].remove(number)
            self.ended.append(number)
            self.turns.done(number)
        self.turns.emptied(process)
        self.go()


@given(st.data(), st.integers(1, 4), st.sampled_from([1, 1, 3]))
def test_every_order_runs_once_in_sequence_and_no_line_waits_for_more_than_two_turns_of_another(
    data: st.DataObject, processes: int, lanes: int
) -> None:
    pool = _Pool(processes, lanes)
    # Few lines, each of which mostly wants one model, so that they are in each other's way.
    lines = data.draw(st.lists(st.tuples(st.sampled_from("uvwxyz"), st.sampled_from([A, B, A | B])), min_size=1, max_size=4))
    events = data.draw(st.lists(st.sampled_from(["add", "add", "end", "end", "end first", "pause", "cancel", "start", "die"])))
    for event in [*["add", "add", "start"] * data.draw(st.integers(0, 6)), *events]:
        alive = [number for numbers in pool.left.values() for number in numbers]
        if event == "add":
            line, models = data.draw(st.sampled_from(lines))
            pool.add(line, models if data.draw(st.integers(0, 9)) else frozenset())
        elif event == "end" and pool.running:
            pool.end(data.draw(st.sampled_from(sorted(pool.running))))
        elif event == "end first" and pool.running:
            pool.end(min(pool.running, key=lambda number: (pool.running[number], number)))
        elif event == "pause" and pool.running and lanes == 1:
            pool.pause(data.draw(st.sampled_from(sorted(pool.running))))
        elif event == "cancel" and alive:
            pool.end(data.draw(st.sampled_from(sorted(alive))))
        elif event == "start" and pool.starting:
            pool.turns.started()
            pool.starting = False
            pool.go()
        elif event == "die" and not pool.starting:
            pool.die(data.draw(st.integers(0, processes - 1)))
    while any(pool.left.values()):
        assert pool.running, "orders wait and nothing runs"
        # One process is quicker than the others.
        pool.end(min(pool.running, key=lambda number: (pool.running[number], number)))
    assert sorted(pool.ended) == sorted(pool.lines)


def _begun(turns: OrderTurns) -> list[tuple[int, int]]:
    found = []
    while turn := turns.next():
        found.append((turn.number, turn.process))
    return found


def _both(first: frozenset[str], second: frozenset[str]) -> OrderTurns:
    """Two processes that have worked: with these models each."""
    turns = OrderTurns(2, 1)
    turns.add(1, "first", first)
    turns.add(2, "second", second)
    assert _begun(turns) == [(1, 0)]
    assert turns.further() == Turn(2, 1, False)
    turns.started()
    assert _begun(turns) == [(2, 1)]
    return turns


def test_a_further_process_starts_only_when_somebody_waits_and_takes_orders_when_it_is_ready() -> None:
    turns = OrderTurns(3, 1)
    turns.add(1, "x", A)
    turns.add(2, "x", A)
    assert _begun(turns) == [(1, 0)]
    assert turns.further() is None, "the second waits for the first of its own line"
    turns.add(3, "y", frozenset())
    turns.add(4, "y", B)
    assert turns.further() == Turn(4, 1, False), "the process loads what takes long"
    assert turns.further() is None, "one at a time"
    assert _begun(turns) == []
    turns.started()
    assert _begun(turns) == [(3, 1)]


def test_a_further_process_that_dies_three_times_is_left_out() -> None:
    turns = OrderTurns(2, 1)
    turns.add(1, "x", A)
    turns.add(2, "y", A)
    assert _begun(turns) == [(1, 0)]
    for _ in range(3):
        assert turns.further() == Turn(2, 1, False)
        turns.emptied(1)
    assert turns.further() is None


def test_an_order_goes_where_its_model_is_loaded() -> None:
    turns = _both(A, B)
    turns.done(1)
    turns.done(2)
    turns.add(3, "x", B)
    turns.add(4, "y", A)
    assert _begun(turns) == [(3, 1), (4, 0)]


def test_a_line_is_passed_once_for_a_model_and_then_goes_where_it_must_load() -> None:
    turns = _both(A, B)
    turns.add(3, "waits for b", B)
    for number in (4, 5):
        turns.add(number, f"has a {number}", A)
    turns.done(1)
    assert _begun(turns) == [(4, 0)], "process 0 has its model"
    turns.done(4)
    assert _begun(turns) == [(3, 0)], "it was passed once"


@pytest.mark.parametrize(("lanes", "urged"), [(1, [(1, False), (2, False)]), (4, [])])
def test_who_runs_is_urged_once_if_others_wait(lanes: int, urged: list[tuple[int, bool]]) -> None:
    turns = OrderTurns(1, lanes) if lanes > 1 else _both(A, A)
    turns.add(7, "another", A)
    turns.add(8, "another", A)
    _begun(turns)
    assert turns.urged() == urged
    assert turns.urged() == []


def test_what_a_page_waits_for_goes_before_what_its_reader_left_and_interrupts_it() -> None:
    left: set[int] = set()
    turns = OrderTurns(1, 1, lambda number: int(number in left))
    for number, line in enumerate("xxyz", 1):
        turns.add(number, line, A)
    assert _begun(turns) == [(1, 0)]
    assert turns.urged() == [(1, False)], "others wait, of the same rank"
    left |= {1, 2, 3}
    assert turns.urged() == [(1, True)]
    turns.paused(1)
    assert _begun(turns) == [(4, 0)], "the one that somebody waits for"
    turns.add(5, "x", A)
    turns.done(4)
    assert _begun(turns) == [(5, 0)], "the newest of a reader who went on"
    turns.done(5)
    assert turns.next() == Turn(3, 0, False), "lines take turns"
    turns.done(3)
    assert turns.next() == Turn(1, 0, True), "first of its line, as it was interrupted"
