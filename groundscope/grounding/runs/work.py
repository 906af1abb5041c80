"""The steps of a run: every case by every method, with latency measured fairly.

Latency is a judgement's own `seconds`, the model loaded (paper, section 6: mean seconds per response over dev). Departs from the
paper: each local method first loads and judges one response whose time is its cold start and counts in no mean; the methods take
turns case by case, each case beginning with another one, so that a machine that slows down slows all of them; what a cache
served is not counted, and on dev nothing is used again. Methods that ask a chat model run beside the local ones, several cases at
a time.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from groundscope.chat.messages import Deferred, batched
from groundscope.errors import BudgetSpent, Cancelled, GroundscopeError
from groundscope.experiments.plan import Content, Count, Part, Place, Result
from groundscope.experiments.steps import Phase, Steps
from groundscope.experiments.store import JobFile
from groundscope.grounding.runs.store import JUDGEMENT, TIMED, cases_of, failure, place, plan_of, result
from groundscope.methods import Method, registry
from groundscope.methods.method import judged
from groundscope.runtime.retention import afresh, remembering, reusing
from groundscope.text.alignment import not_assessable
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case, Judgement

_TIMED = "dev"
"""The split that the paper measures latency on: there nothing is used again; elsewhere responses to one question share work."""


class Judging(Steps):
    """The steps of a run for the engine; see `groundscope.experiments.steps.Steps`."""

    def __init__(self, file: JobFile, scorers: Mapping[str, Method]) -> None:
        """Read the plan and the cases of a run; `scorers` has the methods by id of the part, as far as they are here."""
        self._file, self._scorers, self._plan, self._cases = file, scorers, plan_of(file), cases_of(file)
        dev = {row for row, case in enumerate(self._cases) if case.split == _TIMED}
        self._timed = (dev or set(range(len(self._cases)))) if self._plan.timed else set[int]()
        self._ahead = ReadAhead(self._cases)

    def _open(self) -> list[int]:
        counts = self._file.counts(JUDGEMENT)
        return [
            m
            for m, method in enumerate(self._plan.methods)
            if not method.recorded and counts.get(m, Count()).done < len(self._cases)
        ]

    def planned(self) -> Iterable[tuple[Part, str | None]]:
        """The methods that have something left to judge, each with its planned signature and the one that it has here."""
        for method in (self._plan.methods[m] for m in self._open()):
            scorer = self._scorers.get(method.id)
            yield replace(method, title=f"The method {method.id}"), scorer.signature if scorer else None

    def phases(self) -> Iterator[Phase]:
        """One phase: every case by every method that has something left, the local methods taking turns."""
        left = self._open()
        local, asking = ([m for m in left if self._plan.methods[m].asks is asks] for asks in (False, True))
        places = []
        for row in range(len(self._cases)):
            first = row % max(1, len(local))
            places += [place(m, row) for m in (*local[first:], *local[:first], *asking)]
        yield Phase(JUDGEMENT, places)

    def title(self, at: Place) -> str:
        """The method's title, or its id where another method has the same title."""
        return self._plan.label(at.part)

    def asks(self, at: Place) -> bool:
        """Whether the method asks a chat model; such places are judged beside the local ones."""
        return self._plan.methods[at.part].asks

    def keeps(self, at: Place) -> bool:
        """Whether replies are kept. A local method that read supports from the disk would say nothing of its latency."""
        return self.asks(at) and self._plan.keeps_replies and not self._plan.afresh

    def warm(self, at: Place) -> tuple[str, float] | None:
        """Load a method and let it judge one response, which is not kept; None where it failed or could not assess it."""
        started = time.perf_counter()
        try:
            judgement = self._judged(at)
        except BudgetSpent:
            return None
        return (self._plan.methods[at.part].id, time.perf_counter() - started) if judgement.status in TIMED else None

    def do(self, at: Place, earlier: Mapping[str, Content]) -> Iterator[Result]:
        """Judge a case; an error is that case's result. It is timed where nothing came from a cache or a batch."""
        case = self._cases[at.row]
        # The first method would pay for what all of them share. Where that fails, each of them says so.
        with suppress(Exception):
            split(case.response), context_sentences(case.context)
        judgement = self._judged(at, remembers=at.row not in self._timed)
        yield result(judgement, timed=self._plan.timed and judgement.status in TIMED and not judgement.cached and not batched())

    def _judged(self, at: Place, *, remembers: bool = False) -> Judgement:
        started = time.perf_counter()
        try:
            with remembering(remembers), afresh(self._plan.afresh):
                number = self._plan.wordings[at.row] if self._plan.wordings else 0
                usual = self._scorers[self._plan.methods[at.part].id]
                if (method := usual.reworded(number) if number else usual) is None:
                    return not_assessable("This method has no such rewording of its prompts.")
                # What is timed, or asks a chat model, works case by case.
                ahead = remembers and not self._plan.timed and not self.asks(at)
                judgement = self._ahead.judged(at, method) if ahead else judged(method, self._cases[at.row])
            if not isinstance(judgement, Judgement):
                raise TypeError(f"it gave {type(judgement).__name__} instead of a judgement")
            return judgement
        except (Cancelled, BudgetSpent, Deferred):
            raise
        except Exception as error:
            return failure(error, time.perf_counter() - started)


def methods_here(file: JobFile, hear: Callable[[str], object] = lambda why: None) -> dict[str, Method]:
    """Load the methods of a run that are here by their names; hears why another one is not."""
    loaded = {}
    for method in plan_of(file).methods:
        try:
            if not method.recorded:
                loaded[method.id] = registry.load(method.loads, **method.options)
        except (GroundscopeError, ValueError) as error:
            hear(str(error))
    return loaded


_CASES = 256
_CHARACTERS = 1_000_000
"""Of a window, at most: its embeddings take some 20 MB, and nothing is cancelled between two batches alone."""


class ReadAhead:
    """Lets local methods compute what they need for many cases at once, in full batches that take half of the time.

    Only for runs that are not timed. Cases are taken window by window, so that memory does not grow with the run.
    """

    def __init__(self, cases: Sequence[Case]) -> None:
        """Take the cases in the order in which they are judged; nothing is computed yet."""
        self._cases = cases
        self._window = range(0)
        self._held: dict[Any, Any] = {}
        self._read: dict[int, float] = {}

    def judged(self, at: Place, method: Method) -> Judgement:
        """Let a method judge a case; its seconds are wall seconds, with the case's share of what was read ahead for many."""
        with self.of(at, method) as share:
            started = time.perf_counter()
            judgement = judged(method, self._cases[at.row])
            return replace(judgement, seconds=share + time.perf_counter() - started)

    @contextmanager
    def of(self, at: Place, method: Method) -> Iterator[float]:
        """Let a method read ahead from a case on, and find what it read while the block runs; gives the seconds of each case."""
        if at.row not in self._window:
            self._window, self._held, self._read = self._from(at.row), {}, {}
        with reusing(self._held):
            if at.part not in self._read:
                rows = [i for i in self._window if i >= at.row]
                self._read[at.part], started = 0.0, time.perf_counter()
                try:
                    method.read_ahead([self._cases[i] for i in rows])
                except Cancelled:
                    raise
                except Exception:  # noqa: S110 - the method says at each case what is wrong, and at which
                    pass
                self._read[at.part] = (time.perf_counter() - started) / len(rows)
            yield self._read[at.part]

    def _from(self, row: int) -> range:
        characters, end = 0, row
        while end < len(self._cases) and end - row < _CASES and characters <= _CHARACTERS:
            characters += len(self._cases[end].response) + sum(len(p.text) for p in self._cases[end].context)
            end += 1
        return range(row, max(end, row + 1))
