"""Which errors a method misses: misclassified responses by error type and method (paper, table 4, and figures 3 and 4).

Figure 3 counts types over unique sets. That these are the distinct sets of types is our reading: it is not certain.

A response may have several error types. It then counts once in each of them, so that the sum over the types is of occurrences of
a type in a response, as in the paper's table 4. An ungrounded response without a verdict was not caught: it counts as
misclassified, and is counted apart too. A false alarm is a grounded response that is called ungrounded; no verdict raises none.
A response that a method of an unfinished run has not judged yet counts nowhere for this method.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from groundscope.cases.error_types import TITLES
from groundscope.grounding.misclassified.calls import KINDS, OUTCOMES, UNTYPED, Calls, ConfusionCell
from groundscope.grounding.runs.added_types import added_words
from groundscope.grounding.runs.arrays import TYPES, Floats, RunData
from groundscope.grounding.tuning import Rule, goes_beyond
from groundscope.statistics.significance import wilson

OCCURRENCES = "occurrences"
UNGROUNDED = "ungrounded"
GROUNDED = "grounded"

PARTS = (*KINDS, OCCURRENCES, UNGROUNDED, GROUNDED)
"""What a line of `ErrorTable` counts: the kinds, the sum over the six types, all ungrounded responses, all grounded ones."""
PART_TITLES: dict[str, str] = {
    **{t.value: title for t, title in TITLES.items()},
    UNTYPED: "No type given",
    OCCURRENCES: "Sum over the types",
    UNGROUNDED: "All ungrounded",
    GROUNDED: "False alarms",
}

Per = Literal["response", "set"]


@dataclass(frozen=True, slots=True, eq=False)
class ErrorTable:
    """Table 4 of the paper for j methods; one line an entry of `PARTS`.

    Attributes:
        responses: (10,) how many there are; of `OCCURRENCES` the sum over the six types.
        total: (10, j) how many of them the method has judged.
        wrong: (10, j) not caught, without a verdict included; of `GROUNDED` called ungrounded.
        none: (10, j) without a verdict.
        low: (10, j) lower end of the Wilson 95 % interval of wrong / total; NaN without a response, and for `OCCURRENCES`,
            whose parts overlap.
    """

    ids: tuple[str, ...]
    responses: NDArray[np.int64]
    total: NDArray[np.int64]
    wrong: NDArray[np.int64]
    none: NDArray[np.int64]
    low: Floats
    high: Floats

    @property
    def rate(self) -> Floats:
        """(10, j) share of the total that is wrong; NaN without a response."""
        shares: Floats = np.divide(self.wrong, self.total, out=np.full(self.wrong.shape, np.nan), where=self.total > 0)
        return shares


def error_table(calls: Calls) -> ErrorTable:
    """Count misclassified responses by error type and method."""
    counts = _counted(calls)
    none = _with_sum(counts[ConfusionCell.NONE])
    # Missed errors stand in the lines of ungrounded responses alone, false alarms in that of grounded ones.
    wrong = _with_sum(counts[ConfusionCell.MISSED] + counts[ConfusionCell.ALARM])
    wrong[:-1] += none[:-1]
    groups = np.column_stack((calls.kinds, ~calls.grounded, calls.grounded))
    responses = _with_sum(groups.sum(axis=0)[:, None])
    total = responses - _with_sum(counts[ConfusionCell.WAITING])
    low, high = np.full(wrong.shape, np.nan), np.full(wrong.shape, np.nan)
    for part, method in np.argwhere(total > 0):
        if part != PARTS.index(OCCURRENCES):
            ends = wilson(int(wrong[part, method]), int(total[part, method]))
            low[part, method], high[part, method] = ends.low, ends.high
    return ErrorTable(calls.ids, responses[:, 0], total, wrong, none, low, high)


def _counted(calls: Calls) -> dict[ConfusionCell, NDArray[np.int64]]:
    """(9, j) responses of each kind, ungrounded and grounded ones, by outcome."""
    # The kinds and the label of a response as one number, a bit each.
    codes = np.where(calls.grounded, 1 << 8, 1 << 7)
    for i, column in enumerate(calls.kinds.T):
        codes |= column.astype(np.int64) << i
    places, width = np.arange(9), len(OUTCOMES)
    counts = np.zeros((len(calls.ids), 1 << 9, width), dtype=np.int64)
    for m, outcomes in enumerate(calls.outcomes):
        counts[m] = np.bincount(codes * width + outcomes, minlength=(1 << 9) * width).reshape(-1, width)
    # Which groups each combination is of.
    inside = (np.arange(1 << 9)[None, :] >> places[:, None] & 1).astype(np.int64)
    return {cell: inside @ counts[:, :, i].T for i, cell in enumerate(OUTCOMES)}


def _with_sum(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Put the sum over the six types in its place in `PARTS`."""
    place = PARTS.index(OCCURRENCES)
    with_sum: NDArray[np.int64] = np.insert(counts, place, counts[: len(TYPES)].sum(axis=0), axis=0)
    return with_sum


def shown(table: ErrorTable) -> list[int]:
    """Choose the parts of a table to show."""
    parts = {UNGROUNDED, GROUNDED}
    if table.responses[PARTS.index(OCCURRENCES)]:
        parts |= {*TYPES, OCCURRENCES}
        parts |= {UNTYPED} if table.responses[PARTS.index(UNTYPED)] else set()
    return [i for i, part in enumerate(PARTS) if part in parts]


def printed_errors(run: RunData, table: ErrorTable) -> list[list[str]]:
    """Write the table for people."""
    parts = shown(table)
    heads = ["Method", *(f"{PART_TITLES[PARTS[i]]} ({int(table.responses[i]):,})" for i in parts)]
    rows = []
    for place, name in enumerate(table.ids):
        cells = []
        for i in parts:
            wrong, total, rate = int(table.wrong[i, place]), int(table.total[i, place]), float(table.rate[i, place])
            cells.append(f"{100 * rate:.1f} % ({wrong:,} of {total:,})" if total else "–")
        rows.append([run.methods[run.method(name)].title, *cells])
    return [heads, *rows]


def error_notes(run: RunData, split: str) -> list[str]:
    """Describe the table."""
    words = (
        f"Run {run.name}, {split}: misclassified responses by error type, as in table 4 of Trautmann et al. 2024. An ungrounded "
        "response that is not flagged is misclassified, one without a verdict included; one with several types counts in each. "
        "False alarms are grounded responses that are called ungrounded."
    )
    return list(filter(None, (words, added_words(run.added))))


def frame(run: RunData, rules: Mapping[str, Rule], table: ErrorTable) -> pd.DataFrame:
    """Write the table as data, one line a part and method, part by part; `rate`, `low` and `high` are 0 to 1, NaN of no response.

    `types_added` says where types come from that the run got after it was judged.
    """
    methods = [run.methods[run.method(i)] for i in table.ids] * len(PARTS)
    return pd.DataFrame(
        {
            "method": [m.id for m in methods],
            "title": [m.title for m in methods],
            "signature": [m.signature for m in methods],
            "support": [rules[m.id].how for m in methods],
            "threshold": [rules[m.id].threshold for m in methods],
            "beyond_paper": [goes_beyond(m, rules[m.id]) for m in methods],
            "error_type": [part for part in PARTS for _ in table.ids],
            "misclassified": table.wrong.ravel(),
            "no_verdict": table.none.ravel(),
            "total": table.total.ravel(),
            "rate": table.rate.ravel(),
            "low": table.low.ravel(),
            "high": table.high.ravel(),
            "types_added": added_words(run.added),
        }
    )


class TypeSet(NamedTuple):
    """Ungrounded responses that have exactly these error types."""

    types: tuple[str, ...]
    responses: int


def type_sets(calls: Calls) -> list[TypeSet]:
    """List the distinct sets of error types that responses have."""
    codes, counts = np.unique(_packed(calls), return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return [
        TypeSet(tuple(t.value for b, t in enumerate(TYPES) if codes[i] >> b & 1), int(counts[i])) for i in order if codes[i] > 0
    ]


def type_frequencies(calls: Calls, per: Per = "response") -> NDArray[np.int64]:
    """Count how often each of the six error types occurs."""
    codes = _packed(calls)
    codes = codes[codes > 0]
    if per == "set":
        codes = np.unique(codes)
    counted: NDArray[np.int64] = (codes[:, None] >> np.arange(len(TYPES)) & 1).sum(axis=0)
    return counted


def _packed(calls: Calls) -> NDArray[np.int64]:
    """(k,) a response's set of types as one number, a bit a type."""
    packed: NDArray[np.int64] = calls.kinds[:, : len(TYPES)].astype(np.int64) @ (1 << np.arange(len(TYPES), dtype=np.int64))
    return packed
