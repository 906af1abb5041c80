"""Size of a set, as in table 1 of Trautmann et al. 2024: queries, responses and response sentences by split."""

from collections.abc import Iterable
from dataclasses import dataclass

from groundscope.text.sentences import split
from groundscope.types import Case


@dataclass(frozen=True, slots=True)
class SplitCount:
    """One split's size; `errors` counts error spans, typed or not, `sentences` leaves out headings."""

    split: str
    queries: int
    responses: int
    grounded: int
    ungrounded: int
    sentences: int
    errors: int


_ORDER = {"train": 0, "dev": 1, "test": 2, "no split": 4}


def split_counts(cases: Iterable[Case]) -> list[SplitCount]:
    """Count the queries, responses and sentences of each split."""
    by_split: dict[str, list[Case]] = {}
    for case in cases:
        by_split.setdefault(case.split or "no split", []).append(case)
    names = sorted(by_split, key=lambda name: (_ORDER.get(name, 3), name))
    rows = [_count(name, by_split[name]) for name in names]
    everything = [c for name in names for c in by_split[name]]
    return rows if len(rows) < 2 else [*rows, _count("all", everything)]


def _count(name: str, cases: list[Case]) -> SplitCount:
    return SplitCount(
        split=name,
        queries=len({(c.group, c.query) for c in cases}),
        responses=len(cases),
        grounded=sum(c.grounded is True for c in cases),
        ungrounded=sum(c.grounded is False for c in cases),
        sentences=sum(sum(not s.heading for s in split(c.response)) for c in cases),
        errors=sum(len(c.errors) + len(c.unsupported) for c in cases),
    )
