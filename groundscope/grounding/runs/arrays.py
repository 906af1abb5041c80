"""A run as arrays: m methods by n responses, made for metrics and pages. Texts stay on disk until one case is asked for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.cases.splitting import query_of
from groundscope.experiments.plan import Part
from groundscope.types import Case, ErrorType, Status

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.int8]
Integers = NDArray[np.int32]
Texts = NDArray[np.object_]

STATUSES = tuple(Status)
"""A status' code is its place here; `PENDING` where a method has not judged a response yet."""
PENDING = -1
TYPES = tuple(ErrorType)
"""The columns of `RunData.types`."""
COLUMNS: Mapping[str, tuple[type, object]] = {
    "status": (np.int8, PENDING), **dict.fromkeys(("support", "lowest", "mean", "context_seen"), (np.float64, np.nan)),
    "timed": (np.bool_, False), **dict.fromkeys(("seconds", "cost"), (np.float64, np.nan)),
    **dict.fromkeys(("calls", "tokens"), (np.int32, 0)),
}  # fmt: skip
"""The (m, n) columns of `RunData`: the type of each, and what stands in it where a method has not judged a response yet."""


class SentenceTable(NamedTuple):
    """One method's sentences: `response[start:end]` of the response in row `case` has `support` (NaN = not assessed).

    `contradiction` is how likely the context says otherwise, 0 to 1; NaN = the method does not say it, or the run is older.
    """

    case: Integers
    start: Integers
    end: Integers
    support: Floats
    contradiction: Floats


@dataclass(frozen=True, slots=True)
class AddedTypes:
    """Error types that responses got from one source after the run was judged.

    `types`: by case id, (type, why); the reason is empty where none was given.
    """

    source: str
    added: str
    types: Mapping[str, tuple[tuple[ErrorType, str], ...]] = field(hash=False)


@dataclass(frozen=True, slots=True)
class RunData:
    """Everything that figures are made of.

    Attributes:
        data_hash: of all cases: two runs with the same one judged the same responses.
        groups: (n,) codes of the queries.
        splits: (n,) `train`, `dev`, `test`, others, or empty.
        gold: (n,) 1 grounded, 0 ungrounded, -1 unlabelled.
        types: (n, 6) labelled errors by type, in the order of `TYPES`.
        support: (m, n) the method's own support of the response; NaN without one.
        lowest: (m, n) of the response's sentence supports; NaN without any.
        timed: (m, n) whether `seconds` counts: nothing of it was kept from before, no warm-up.
        context_seen: (m, n) share of the context that was read.
        cost: (m, n) US dollars; NaN = the price is not known.
        added: error types in `types` that the cases did not have when they were judged, by source.
        version: stands for all that the arrays hold, so that they need not be compared; empty = not known.
        most_texts: cases whose texts can be read at once; None = all of them.
    """

    id: str
    name: str
    source: str
    data_hash: str
    methods: tuple[Part, ...]
    ids: Texts
    groups: Integers
    splits: Texts
    areas: Texts
    gold: Bytes
    types: NDArray[np.int16]
    words: Integers
    context_words: Integers
    status: Bytes
    support: Floats
    lowest: Floats
    mean: Floats
    seconds: Floats
    timed: Bools
    context_seen: Floats
    cost: Floats
    calls: Integers
    tokens: Integers
    machine: tuple[str, ...]
    created: str
    finished: bool
    read_cases: Callable[[Sequence[int]], list[Case]] = field(repr=False, compare=False)
    read_sentences: Callable[[int], SentenceTable] = field(repr=False, compare=False)
    read_notes: Callable[[int, Sequence[int]], list[str]] = field(repr=False, compare=False)
    added: tuple[AddedTypes, ...] = ()
    version: str = ""
    most_texts: int | None = None
    read_row: Callable[[int, int], SentenceTable] | None = field(default=None, repr=False, compare=False)

    def sentences(self, method: int, row: int) -> SentenceTable:
        """Read what a method says of the sentences of one response."""
        if self.read_row is not None:
            return self.read_row(method, row)
        table = self.read_sentences(method)
        of_row = table.case == row
        return SentenceTable(*(column[of_row] for column in table))

    def case(self, row: int) -> Case:
        """Read one case with its texts."""
        return self.read_cases([row])[0]

    def method(self, method_id: str) -> int:
        """Find the place of a method, by its `Part.id`, in `methods` and on the first axis of the (m, n) arrays."""
        for i, method in enumerate(self.methods):
            if method.id == method_id:
                return i
        raise ValueError(f"the run has no method {method_id!r}; there are {', '.join(m.id for m in self.methods)}")

    def rows(self, split: str | None = None) -> Integers:
        """Find the rows with a label."""
        labelled = self.gold >= 0
        if split is not None:
            labelled &= self.splits == split
        return np.flatnonzero(labelled).astype(np.int32)

    def labelled_splits(self) -> tuple[str, ...]:
        """Find the splits that have labelled responses."""
        order = {"train": 0, "dev": 1, "test": 2}
        splits = set(map(str, set(self.splits[self.gold >= 0].tolist())))
        return tuple(sorted(splits, key=lambda s: (order.get(s, 3), s)))


class CaseColumns(NamedTuple):
    """What figures need of the cases: as the attributes of `RunData`."""

    ids: Texts
    groups: Integers
    splits: Texts
    areas: Texts
    gold: Bytes
    types: NDArray[np.int16]
    words: Integers
    context_words: Integers


def case_columns(cases: Sequence[Case]) -> CaseColumns:
    """Make the columns of cases; see `groundscope.cases.splitting.query_of`."""
    codes: dict[str, int] = {}
    groups = [codes.setdefault(query_of(c), len(codes)) for c in cases]
    types = np.zeros((len(cases), len(TYPES)), dtype=np.int16)
    for i, case in enumerate(cases):
        for error in case.errors:
            types[i, TYPES.index(error.type)] += 1
        for kind in case.error_types:
            types[i, TYPES.index(kind)] = max(1, types[i, TYPES.index(kind)])
    return CaseColumns(
        _texts([c.id for c in cases]),
        np.array(groups, dtype=np.int32),
        _texts([c.split or "" for c in cases]),
        _texts([c.area for c in cases]),
        np.array([-1 if c.grounded is None else int(c.grounded) for c in cases], dtype=np.int8),
        types,
        np.array([len(c.response.split()) for c in cases], dtype=np.int32),
        np.array([sum(len(p.text.split()) for p in c.context) for c in cases], dtype=np.int32),
    )


def _texts(values: list[str]) -> Texts:
    texts = np.empty(len(values), dtype=object)
    texts[:] = values
    return texts
