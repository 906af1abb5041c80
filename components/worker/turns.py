"""A fair scheduler across sessions: one user's long case does not block the others. No clock, no process."""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

_TRIES = 3
"""Starts of a further process that failed, after which it is left out: there is no memory for it."""


class Turn(NamedTuple):
    """An order that starts now in a process, or `resumes` there."""

    number: int
    process: int
    resumes: bool


class _Waits(NamedTuple):
    line: str
    models: frozenset[str]


class OrderTurns:
    """Orders in lines, one line a user, and which process does which of them next.

    The orders of a line keep their sequence: in processes that compute (one lane each) the next one starts when the one before it
    ended, wherever that was. The lines take turns. An order whose turn is over pauses if others wait for its process, and resumes
    in the same one, before later orders of its line.

    Orders of a lower rank go first, of a line as of all: one that waits interrupts one of a higher rank at its next batch, which
    resumes where it was. Ranks may change at any time. What follows holds among equal ones.

    A line that waits sees each other line start once before it, in processes that it could use. Once until its turn, another line
    may go first: where a process is free that has the other's models loaded, and the line's own are loaded in a busy one alone.

    A process that is started takes seconds to load. Where another one serves already, orders come when it is ready.
    """

    def __init__(self, processes: int, lanes: int, rank: Callable[[int], int] = lambda number: 0) -> None:
        """Nothing to do yet, for so many processes that take so many orders at a time each; `rank` is that of an order now."""
        self._lanes, self._rank = lanes, rank
        self._orders: dict[int, _Waits] = {}
        self._lines: dict[str, deque[int]] = {}
        self._place: dict[int, int] = {}
        self._running: list[set[int]] = [set() for _ in range(processes)]
        self._loaded: list[set[str]] = [set() for _ in range(processes)]
        self._latest = [""] * processes
        self._passed: set[str] = set()
        self._urged: dict[int, bool] = {}
        self._ready: set[int] = set()
        self._starting: tuple[int, frozenset[str]] | None = None
        self._tries: Counter[int] = Counter()

    def add(self, number: int, line: str, models: frozenset[str]) -> None:
        """An order waits, after all others of its line; it needs these models."""
        self._orders[number] = _Waits(line, models)
        self._lines.setdefault(line, deque()).append(number)

    def next(self) -> Turn | None:
        """The next order that starts or resumes now; None where all processes are busy or nothing can start."""
        others: list[tuple[int, int]] = []
        for number, process in self._able():
            if self._orders[number].line in self._passed or self._suits(number, process):
                self._passed.update(self._orders[passed].line for passed, _ in others)
                return self._begin(number, process)
            others.append((number, process))
        return self._begin(*others[0]) if others else None

    def further(self) -> Turn | None:
        """A process to start beside others that are all busy, and a waiting order whose models it shall load: one at a time."""
        closed = {process for process in range(len(self._running)) if self._tries[process] >= _TRIES} | self._ready
        orders = [n for line in self._waiting() for n in self._lines[line] if n not in self._place]
        if self._starting or len(closed) == len(self._running) or not orders:
            return None
        process = min(set(range(len(self._running))) - closed)
        number = max(orders, key=lambda n: (len(self._orders[n].models), -n))
        self._starting = process, self._orders[number].models
        self._tries[process] += 1
        return Turn(number, process, False)

    def started(self) -> None:
        """The process that `further` named takes orders."""
        if self._starting:
            process, models = self._starting
            self._loaded[process] |= models
            self._ready.add(process)
            self._tries[process], self._starting = 0, None

    def urged(self) -> list[tuple[int, bool]]:
        """Running orders that shall pause since others wait: at once (True) or when their turn is over; each is named once."""
        if self._lanes > 1:
            # Those that ask models mostly wait for them; there are lanes for that.
            return []
        urged: dict[int, bool] = {}
        for waiting in self._waiting().values():
            place = self._place.get(waiting)
            for number in set[int]().union(*(self._running if place is None else [self._running[place]])):
                if self._rank(waiting) <= self._rank(number):
                    urged[number] = urged.get(number, False) or self._rank(waiting) < self._rank(number)
        new = {number: at_once for number, at_once in urged.items() if at_once > self._urged.get(number, -1)}
        self._urged |= new
        return sorted(new.items())

    def paused(self, number: int) -> None:
        """A running order lets others go first: it is the first of its line, and its line the last, or first if interrupted."""
        if number in self._running[self._place[number]]:
            at_once = self._urged.get(number, False)
            self._stop(number)
            line = self._orders[number].line
            numbers = deque([number, *self._lines.pop(line, ())])
            self._lines = {line: numbers, **self._lines} if at_once else {**self._lines, line: numbers}

    def done(self, number: int) -> None:
        """Remove an order that ran, paused or waited."""
        line = self._orders.pop(number).line
        waiting = self._lines.get(line, deque())
        if number in waiting:
            waiting.remove(number)
            if not waiting:
                del self._lines[line]
                self._passed.discard(line)
        elif waiting and self._lanes == 1:
            self._lines[line] = self._lines.pop(line)
        if number in self._place:
            self._stop(number)
            del self._place[number]

    def placed(self, models: frozenset[str]) -> int:
        """The process that shall load models beside its orders: the one that lacks the fewest of them."""
        process = min(range(len(self._loaded)), key=lambda p: (len(models - self._loaded[p]), p))
        self._loaded[process] |= models
        self._ready.add(process)
        return process

    def emptied(self, process: int) -> None:
        """A process died: the next one has loaded nothing but what orders load that it gets now."""
        if self._starting and self._starting[0] == process:
            self._starting = None
        if not self._running[process]:
            self._ready.discard(process)
        self._loaded[process] = {model for number in self._running[process] for model in self._orders[number].models}

    def _waiting(self) -> dict[str, int]:
        """The next order of each line that waits, by rank, then by turn; a line whose order computes does not wait."""
        busy = {self._orders[number].line for running in self._running for number in running} if self._lanes == 1 else set()
        following = {line: min(numbers, key=self._rank) for line, numbers in self._lines.items() if line not in busy}
        return dict(sorted(following.items(), key=lambda entry: self._rank(entry[1])))

    def _able(self) -> Iterator[tuple[int, int]]:
        """The orders that a free process could do, in the order of their turns, and the process that is the best for each."""
        served = self._ready or range(len(self._running))
        free = [process for process in sorted(served) if len(self._running[process]) < self._lanes]
        for line, number in self._waiting().items() if free else ():
            models = self._orders[number].models
            place = self._place.get(number)
            if place is None:
                # What a user edits is judged the fastest where it was judged before.
                yield number, min(free, key=lambda p: (len(models - self._loaded[p]), self._latest[p] != line, p))
            elif place in free:
                yield number, place

    def _suits(self, number: int, process: int) -> bool:
        """Whether nothing is gained by waiting for another process: the models are loaded here, or nowhere."""
        models = self._orders[number].models
        return number in self._place or models <= self._loaded[process] or not any(models <= loaded for loaded in self._loaded)

    def _begin(self, number: int, process: int) -> Turn:
        line = self._orders[number].line
        numbers = self._lines.pop(line)
        numbers.remove(number)
        if numbers:
            self._lines[line] = numbers
        resumes = number in self._place
        self._passed.discard(line)
        self._place[number], self._latest[process] = process, line
        self._running[process].add(number)
        self._ready.add(process)
        self._loaded[process] |= self._orders[number].models
        return Turn(number, process, resumes)

    def _stop(self, number: int) -> None:
        self._running[self._place[number]].discard(number)
        self._urged.pop(number, None)
