"""Figures on slices of the responses: by area of law, by length."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from groundscope.grounding.runs.arrays import Bytes, Floats, Integers, Texts
from groundscope.statistics.bootstrap import drawn_queries, intervals_of_many
from groundscope.statistics.metrics import NAMES, score_arrays

MOST = 12
"""Areas that are shown by themselves, the largest; the rest are joined."""
_RESAMPLES = 1_000
FEWEST = 10
"""Queries that an interval needs: fewer give one that is far too narrow."""
_F1 = NAMES.index("macro_f1")
_AREA_JOINT = " · "


class Slicing(NamedTuple):
    """Which part each of k responses belongs to, and what the parts are called."""

    codes: Integers
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    """All methods on one part of the responses.

    Attributes:
        macro_f1: (m,) NaN where a class is not there.
        interval: (m, 2) 95 %, by the bootstrap over queries; NaN where these are fewer than `FEWEST`.
    """

    name: str
    responses: int
    ungrounded: int
    judged: Integers
    macro_f1: Floats
    interval: Floats


def by_area(areas: Texts) -> Slicing:
    """Cut responses into parts by area of law; by area with jurisdiction where all are of one area of law."""
    import pandas as pd

    column = pd.Series(areas, dtype=object)
    laws = column.str.partition(_AREA_JOINT)[0] if len(column) else column
    column = column if laws.nunique() < 2 else laws
    counts = column.value_counts()
    largest = [str(name) for name in counts.index[: MOST if len(counts) > MOST + 1 else len(counts)]]
    codes = np.asarray(column.map({name: i for i, name in enumerate(largest)}).fillna(len(largest)), dtype=np.int32)
    rest = len(counts) - len(largest)
    return Slicing(codes, tuple(name or "(no area)" for name in largest) + ((f"{rest} other areas",) if rest else ()))


def by_length(words: Integers) -> Slicing:
    """Cut responses into four parts of about the same size by length; fewer where many have the same length."""
    if not len(words):
        return Slicing(np.empty(0, dtype=np.int32), ())
    edges = np.unique(np.floor(np.quantile(words, [0.25, 0.5, 0.75])).astype(np.int32))
    edges = edges[edges < words.max()]
    starts = [int(words.min()), *(int(e) + 1 for e in edges)]
    ends = [*(int(e) for e in edges), int(words.max())]
    names = tuple(f"{a:,} words" if a == b else f"{a:,}–{b:,} words" for a, b in zip(starts, ends, strict=True))
    return Slicing(np.searchsorted(edges, words, side="left").astype(np.int32), names)


def slices(tables: Bytes, gold: Bytes, groups: Integers, parts: Slicing) -> tuple[Slice, ...]:
    """Measure every method on every part that has responses, in the order of the parts.

    `tables` are (m, k, 6) cells of confusion tables, all 0 = not judged; `gold` (k,) labels, `groups` (k,) queries.
    """
    counts = np.bincount(parts.codes, minlength=len(parts.names))
    return tuple(_slice(tables, gold, groups, parts.codes == i, name) for i, name in enumerate(parts.names) if counts[i])


def _slice(tables: Bytes, gold: Bytes, groups: Integers, inside: np.typing.NDArray[np.bool_], name: str) -> Slice:
    part, queries = tables[:, inside], groups[inside]
    if len(np.unique(queries)) < FEWEST:
        ends = np.full((len(tables), 2), np.nan)
    else:
        ends = intervals_of_many(part, queries, drawn_queries(queries, _RESAMPLES))[:, _F1]
    sums = part.sum(axis=1)
    labels = gold[inside]
    return Slice(
        name,
        int(inside.sum()),
        int((labels == 0).sum()),
        sums.sum(axis=1).astype(np.int32),
        score_arrays(sums)[:, _F1],
        ends,
    )
