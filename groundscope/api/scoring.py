"""Scoring from Python: case by case in memory, with nothing written to disk."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from itertools import islice
from threading import Event
from typing import TypedDict, Unpack

from groundscope.api.inputs import CaseData, cases_of
from groundscope.api.scores import ScoredRow, ScoreTable
from groundscope.cases.dataset import Rejected
from groundscope.chat.budget import Budget, spending
from groundscope.errors import Cancelled, ScorerUnavailable
from groundscope.experiments.plan import Part, Place
from groundscope.experiments.steps import LANES
from groundscope.findings.listing import MethodReading
from groundscope.grounding.parts import parts_here
from groundscope.grounding.runs.store import failure
from groundscope.grounding.runs.work import ReadAhead
from groundscope.methods import Method
from groundscope.methods.functions import AnyMethod
from groundscope.methods.method import judged
from groundscope.runtime.progress import listening, still_wanted
from groundscope.runtime.retention import remembering
from groundscope.types import Case, Judgement

_WINDOW = 256
"""Rows that are held at once; of these only the results stay."""


class ScoreOptions(TypedDict, total=False):
    """What `score`, `ascore` and `stream` take besides data and methods."""

    mapping: str | None
    settings: Sequence[str]
    model: str | None
    dollars: float | None


def score(
    data: CaseData,
    methods: AnyMethod | Sequence[AnyMethod] | None = None,
    *,
    mapping: str | None = None,
    settings: Sequence[str] = (),
    model: str | None = None,
    dollars: float | None = None,
) -> ScoreTable:
    """Judge answers by methods.

    Args:
        data: a table of pandas or polars, a data set of Hugging Face, dicts, cases, or the path of a file. Fields are
            recognised: `query`, `context` and `response`, or those of a public data set.
        methods: one or several: names, such as `["grounding_classifier", "quip"]`; objects and classes of
            `groundscope.methods.Method`; functions of a question, the texts of the sources and a sentence, which give its
            support, 0 to 1. None = those of `python -m groundscope run` that can run here.
        mapping: which field is what, such as `question=q,context=docs,answer=a`, or the name of a kept mapping.
        settings: parameters of named methods, such as `["quip.n=9"]`.
        model: the chat model of named methods that ask one; None = the one that the environment names.
        dollars: the most that chat models may cost; None = no limit.

    Returns:
        One entry a row, those that cannot be used with the reason. `.frame()`, `.show()` and `.save()` use them. Seconds are wall
        seconds without loading, and each answer has its share of what was computed for several; chat models are asked several at
        once, so that theirs add up to more than the call took.

    Raises:
        DataError: there is nothing that can be read as cases.
        ScorerUnavailable: a method cannot run here; the message says why and what to do.
        ValueError: a method or a parameter means nothing.

    Examples:
        >>> import groundscope
        >>> answers = [{"query": "When is rent due?", "context": "Rent is due on May 1.", "response": "Rent is due on May 1."}]
        >>> scores = groundscope.score(answers, "overlap")
        >>> scores.frame()[["sentence", "text", "support"]].to_dict("records")
        [{'sentence': 1, 'text': 'Rent is due on May 1.', 'support': 1.0}]
    """
    return ScoreTable(tuple(stream(data, methods, mapping=mapping, settings=settings, model=model, dollars=dollars)))


async def ascore(
    data: CaseData, methods: AnyMethod | Sequence[AnyMethod] | None = None, **options: Unpack[ScoreOptions]
) -> ScoreTable:
    """Judge answers as `score` does, beside other tasks; cancelling the task stops it between two batches.

    Args:
        data: as in `score`.
        methods: as in `score`.
        options: `mapping`, `settings`, `model` and `dollars`, as in `score`.

    Returns:
        As `score`.

    Raises:
        asyncio.CancelledError: the task was cancelled.
    """
    stopped = Event()

    def hear(_done: int, _total: int) -> None:
        if stopped.is_set():
            raise Cancelled("The task was cancelled.")

    def work() -> ScoreTable:
        with listening(hear):
            return score(data, methods, **options)

    try:
        return await asyncio.to_thread(work)
    except asyncio.CancelledError:
        stopped.set()
        raise


def stream(
    data: CaseData, methods: AnyMethod | Sequence[AnyMethod] | None = None, **options: Unpack[ScoreOptions]
) -> Iterator[ScoredRow]:
    """Judge answers one after another, so that memory does not grow with their number.

    Args:
        data: as in `score`; an iterator is read only as far as the results are.
        methods: as in `score`.
        options: `mapping`, `settings`, `model` and `dollars`, as in `score`.

    Yields:
        The rows in their order.

    Raises:
        DataError: as `score`.
        ScorerUnavailable: as `score`.
        TypeError: there is no such option.
        ValueError: as `score`.
    """
    if unknown := options.keys() - ScoreOptions.__annotations__.keys():
        raise TypeError(f"there is no option {', '.join(unknown)}; there are {', '.join(ScoreOptions.__annotations__)}")
    parts = parts_here(methods, options.get("settings", ()), (), options.get("model"))
    if not parts:
        raise ValueError("There is nothing to judge by: name a method.")
    for part, method in parts:
        if why := method.unavailable():
            raise ScorerUnavailable(f"{part.id}: {why}")
    rows = cases_of(data, options.get("mapping"))
    budget = Budget(dollars=options.get("dollars"))
    while window := list(islice(rows, _WINDOW)):
        yield from _judged_rows(window, parts, budget)


def _judged_rows(
    rows: Sequence[tuple[int, Case | Rejected]], parts: Sequence[tuple[Part, Method]], budget: Budget
) -> Iterator[ScoredRow]:
    """Judge some rows together; their results are held at once."""
    cases = [one for _, one in rows if isinstance(one, Case)]
    by_part = [_judged(i, method, cases, budget) for i, (_, method) in enumerate(parts)]
    judgements = zip(*by_part, strict=True)
    for number, entry in rows:
        if isinstance(entry, Rejected):
            yield ScoredRow(number, None, entry.reason, ())
            continue
        readings = [
            MethodReading(part.id, part.signature, judgement, part.threshold)
            for (part, _), judgement in zip(parts, next(judgements), strict=True)
        ]
        yield ScoredRow(number, entry, "", tuple(readings))


def _judged(index: int, method: Method, cases: Sequence[Case], budget: Budget) -> list[Judgement]:
    """The judgements of one method, in the order of the cases; a method that asks a chat model judges several at once."""
    ahead = ReadAhead(cases)

    def judge(row: int) -> Judgement:
        still_wanted()
        started = time.perf_counter()
        try:
            if method.asks:
                with spending(budget):
                    judgement = judged(method, cases[row])
            else:
                with remembering():
                    judgement = ahead.judged(Place(index, -1, row), method)
            # The matrix of all pairs of sentences would make most of the memory.
            return replace(judgement, matrix=None)
        except Cancelled:
            raise
        except Exception as error:
            return failure(error, time.perf_counter() - started)

    if not method.asks:
        try:
            method.prepare()
        except Cancelled:
            raise
        except Exception:  # noqa: S110 - the method says at each case what is wrong
            pass
        return [judge(row) for row in range(len(cases))]
    with ThreadPoolExecutor(LANES, thread_name_prefix="ask") as pool:
        waiting = [pool.submit(copy_context().run, judge, row) for row in range(len(cases))]
        try:
            return [future.result() for future in waiting]
        except BaseException:
            for future in waiting:
                future.cancel()
            raise
