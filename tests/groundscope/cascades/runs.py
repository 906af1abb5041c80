"""Runs of two methods whose best band of doubt is known by hand.

A response has four sentences, of which one is telling. The first method gives the others 0.9, and the telling one 0.9 where it
knows that it is right, 0.1 where it knows that it is wrong, and 0.5 where it is in doubt. The second method is always right. On
each split there are eight responses: of four grounded ones two are doubtful, and so are two of four ungrounded ones.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from groundscope.grounding.runs.arrays import RunData, SentenceTable, case_columns
from groundscope.types import Case
from tests.groundscope.grounding.runs import SENTENCES, made_cases, made_run

FIRST, SECOND = "method_0", "method_1"
TELLING = 2
PATTERN = ((True, 0.9), (True, 0.9), (True, 0.5), (True, 0.5), (False, 0.5), (False, 0.5), (False, 0.1), (False, 0.1))
"""Whether a response is grounded, and what the first method says of its telling sentence."""

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def cascade_cases(splits: Sequence[str] = ("dev", "test"), pattern: Sequence[tuple[bool, float]] = PATTERN) -> list[Case]:
    made = made_cases(len(splits) * len(pattern))
    rows = [(split, grounded) for split in splits for grounded, _ in pattern]
    return [
        replace(case, split=split, grounded=grounded, errors=(), group=f"{split} {i // 2}")
        for i, (case, (split, grounded)) in enumerate(zip(made, rows, strict=True))
    ]


def cascade_run(
    splits: Sequence[str] = ("dev", "test"), pattern: Sequence[tuple[bool, float]] = PATTERN, right: bool = True
) -> RunData:
    """The run; the second method takes 2 s and 0.2 cents a response, the first 0.01 s and nothing."""
    cases = cascade_cases(splits, pattern)
    n = len(cases)
    supports = np.full((2, n, len(SENTENCES)), 0.9)
    supports[0, :, TELLING] = [value for _ in splits for _, value in pattern]
    supports[1] = 1.0
    supports[1, :, TELLING] = [float(c.grounded is right) for c in cases]
    return of_supports(cases, supports)


def of_supports(cases: Sequence[Case], supports: Floats, read: Callable[[Sequence[int]], None] = lambda rows: None) -> RunData:
    """A run of two methods that judged every response so; `read` is told which cases are read."""
    n, size = len(cases), len(SENTENCES)
    edges = np.cumsum([0, *(len(s) + 1 for s in SENTENCES)])
    places = np.repeat(np.arange(n), size).astype(np.int32), np.tile(edges[:-1], n), np.tile(edges[1:] - 1, n)

    def read_cases(rows: Sequence[int]) -> list[Case]:
        read(rows)
        return [cases[int(i)] for i in rows]

    made = made_run(cases, 2, invalid=0.0)
    return replace(
        made,
        **case_columns(cases)._asdict(),
        support=supports.min(axis=2),
        lowest=supports.min(axis=2),
        mean=supports.mean(axis=2),
        seconds=np.array([[0.01], [2.0]]) * np.ones((2, n)),
        timed=np.ones((2, n), dtype=np.bool_),
        cost=np.array([[0.0], [0.002]]) * np.ones((2, n)),
        read_cases=read_cases,
        read_sentences=lambda m: SentenceTable(
            places[0], places[1].astype(np.int32), places[2].astype(np.int32), supports[m].ravel()
        ),
    )
