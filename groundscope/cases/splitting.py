"""Split a set by query, draw a sample, count the splits; the same seed gives the same result.

Splits are made as Trautmann et al. 2024 made theirs (section 4.3): 70 % train, 10 % dev, 20 % test, a query in one alone. Of the
paper's 573 queries these shares give 401, 57 and 115; the paper prints 400, 58 and 115.
"""

import hashlib
import math
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from groundscope.errors import DataError
from groundscope.text.sentences import split
from groundscope.types import Case

SHARES: Mapping[str, float] = {"train": 0.7, "dev": 0.1, "test": 0.2}
"""Shares of the queries, those of the paper (section 4.3)."""


def query_of(case: Case) -> str:
    """Name the query of a case: its group, its question, or without both its sources."""
    if case.group or case.query.strip():
        return case.group or f"\0{case.query}"
    text = "\0".join(passage.text for passage in case.context)
    return f"\0{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:16]}"


def with_splits(cases: Sequence[Case], shares: Mapping[str, float] = SHARES, seed: int = 0) -> tuple[Case, ...]:
    """Put every query, with all of its responses, into one split.

    Responses belong together that share a group, a question, or a parent. Queries are drawn by strata, which are the area of law
    and the labels that their responses have, so that each split gets its share of each.
    """
    if not shares or not all(math.isfinite(share) and share >= 0 for share in shares.values()) or not any(shares.values()):
        raise DataError("Shares must be numbers of 0 or more, one of them above 0, such as 70, 10 and 20.")
    queries, names = _queries(cases), list(shares)
    if len(queries) < sum(share > 0 for share in shares.values()):
        raise DataError(f"There are {len(queries):,} queries, and each split needs one; leave a split out by giving it 0.")
    targets, taken = _targets(len(queries), list(shares.values())), [0] * len(names)
    split_of: dict[str, str] = {}
    drawn = (ids for members in _strata(queries, cases, seed) for ids in members)
    for done, ids in enumerate(drawn, 1):
        behind = [target * done / len(queries) - n if n < target else -1.0 for target, n in zip(targets, taken, strict=True)]
        place = behind.index(max(behind))
        taken[place] += 1
        split_of |= dict.fromkeys(ids, names[place])
    return tuple(replace(case, split=split_of[case.id]) for case in cases)


def _queries(cases: Sequence[Case]) -> list[tuple[str, ...]]:
    """Ids of the responses of each query, sorted."""
    leader: dict[str, str] = {}

    def lead(key: str) -> str:
        while leader.setdefault(key, key) != key:
            leader[key] = leader[leader[key]]
            key = leader[key]
        return key

    for case in cases:
        keys = [f"group {case.group}"] if case.group else []
        keys += [f"id {case.parent}"] if case.parent else []
        keys += [f"question {' '.join(case.query.casefold().split())}"] if case.query.strip() else []
        keys += [] if keys else [query_of(case)]
        for key in keys:
            leader[lead(key)] = lead(f"id {case.id}")
    together: dict[str, list[str]] = {}
    for case in cases:
        together.setdefault(lead(f"id {case.id}"), []).append(case.id)
    return sorted(tuple(sorted(ids)) for ids in together.values())


def _targets(count: int, shares: Sequence[float]) -> list[int]:
    """Queries of each split, by largest remainders; at least one where the share is not 0."""
    exact = [count * share / sum(shares) for share in shares]
    # A share that is a whole number but for the last digits is that number.
    targets = [max(math.floor(x + 1e-9), int(x > 0)) for x in exact]
    for i in sorted(range(len(shares)), key=lambda i: math.floor(exact[i] + 1e-9) - exact[i]):
        targets[i] += shares[i] > 0 and sum(targets) < count
    while sum(targets) > count:
        targets[targets.index(max(targets))] -= 1
    return targets


def _strata(queries: Sequence[tuple[str, ...]], cases: Sequence[Case], seed: int) -> list[list[tuple[str, ...]]]:
    """The queries by stratum, strata and queries within them in an order that the seed decides."""
    by_id = {case.id: case for case in cases}

    def stratum(ids: tuple[str, ...]) -> tuple[str, str]:
        labels = sorted({str(by_id[i].grounded) for i in ids})
        return next((by_id[i].area for i in ids if by_id[i].area), ""), " ".join(labels)

    draw = random.Random(seed)  # noqa: S311 - no secret
    strata = [list(members) for _, members in groupby(sorted(queries, key=lambda ids: (stratum(ids), ids)), key=stratum)]
    for members in strata:
        draw.shuffle(members)
    draw.shuffle(strata)
    return strata


def sampled(cases: Sequence[Case], count: int, seed: int = 0) -> tuple[Case, ...]:
    """Draw whole queries, so that variants keep their parents: about `count` responses, each split and stratum its share."""
    if count < 1:
        raise ValueError("A sample has at least 1 case.")
    if count >= len(cases):
        return tuple(cases)
    by_split: dict[str, list[Case]] = {}
    for case in cases:
        by_split.setdefault(case.split or "", []).append(case)
    chosen: set[str] = set()
    for _, there in sorted(by_split.items()):
        target, size = count * len(there) / len(cases), 0
        strata = _strata(_queries(there), there, seed)
        # All strata side by side, each spread evenly over the whole.
        spread = sorted(((i + 0.5) / len(members), ids) for members in strata for i, ids in enumerate(members))
        for _, ids in spread:
            part = list(ids)
            if size + len(ids) / 2 > target:
                if size or (chosen and target < 1):
                    break
                # A query that is larger than the sample gives a part of itself.
                part = random.Random(seed).sample(part, max(1, round(target)))  # noqa: S311 - no secret
            chosen.update(part)
            size += len(part)
    return tuple(case for case in cases if case.id in chosen)


_TUNED_ON = ("evaluation", "eval")
"""Other names of dev; a set that has both uses this one for something else, so that each row cannot know it."""


def tuned_on_dev(cases: Collection[Case]) -> tuple[Case, ...]:
    """Call the split that thresholds are tuned on `dev`, where a set has none of that name."""
    there = {case.split for case in cases}
    old = next((name for name in _TUNED_ON if name in there), None)
    if old is None or "dev" in there:
        return tuple(cases)
    return tuple(replace(case, split="dev") if case.split == old else case for case in cases)


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


_ORDER = {"train": 0, "dev": 1, "test": 2, "": 4, "no split": 4}


def in_order(by_split: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Sort what there is of each split: train, dev, test, others, none."""
    return sorted(by_split.items(), key=lambda item: (_ORDER.get(item[0], 3), item[0]))


def split_counts(cases: Iterable[Case]) -> list[SplitCount]:
    """Count the queries, responses and sentences of each split."""
    by_split: dict[str, list[Case]] = {}
    for case in cases:
        by_split.setdefault(case.split or "no split", []).append(case)
    ordered = in_order(by_split)
    rows = [_count(name, of_split) for name, of_split in ordered]
    everything = [case for _, of_split in ordered for case in of_split]
    return rows if len(rows) < 2 else [*rows, _count("all", everything)]


def _count(name: str, cases: list[Case]) -> SplitCount:
    return SplitCount(
        split=name,
        queries=len({query_of(c) for c in cases}),
        responses=len(cases),
        grounded=sum(c.grounded is True for c in cases),
        ungrounded=sum(c.grounded is False for c in cases),
        sentences=sum(sum(not s.heading for s in split(c.response)) for c in cases),
        errors=sum(len(c.errors) + len(c.unsupported) for c in cases),
    )
