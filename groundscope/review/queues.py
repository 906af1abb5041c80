"""Order of a review queue, and the time that the rest takes at the reviewer's own pace."""

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import pairwise, zip_longest
from statistics import median

from groundscope.review.decisions import WHOLE, StoredDecision, claims
from groundscope.types import Case

PAUSE = 300.0
"""Seconds: a longer time between two decisions is a pause, and no measure of pace."""
_FEWEST = 5
"""Times between decisions from which a pace is estimated."""


class QueueOrder(StrEnum):
    """The order of a queue; the values are shown. The last two say something of what methods think: early cases are doubtful."""

    SET = "as in the set"
    RANDOM = "random"
    BY_AREA = "random, the same number of each area of law"
    BY_SPLIT = "random, the same number of each split"
    WEAKEST = "lowest support first"
    DISPUTED = "most disputed among methods first"


OPEN_ORDERS = frozenset({QueueOrder.WEAKEST, QueueOrder.DISPUTED})
"""Orders that need the scores of a run."""
_STRATA: dict[QueueOrder, Callable[[Case], str]] = {
    QueueOrder.BY_AREA: lambda case: case.area,
    QueueOrder.BY_SPLIT: lambda case: case.split or "",
}


def queue(cases: Sequence[Case], order: QueueOrder, seed: int = 0, most: int = 0, doubt: Sequence[float] = ()) -> tuple[int, ...]:
    """Choose and order cases: indices, each at most once, at most so many (0 = all); a longer queue begins with a shorter.

    The same cases, order and seed give the same queue on every machine. `OPEN_ORDERS` need a doubt of each case; NaN comes last.
    """
    if most < 0:
        raise ValueError(f"a queue must have 0 cases or more, got {most}")
    places = list(range(len(cases)))
    if order is not QueueOrder.SET:
        random.Random(seed).shuffle(places)  # noqa: S311
    if order in OPEN_ORDERS:
        if len(doubt) != len(cases):
            raise ValueError(f"need a doubt for every case, got {len(doubt)} for {len(cases)}")
        places.sort(key=lambda i: (math.isnan(doubt[i]), -doubt[i]))
    if of := _STRATA.get(order):
        places = in_turn(places, lambda i: of(cases[i]))
    return tuple(places[:most] if most else places)


def in_turn(places: Iterable[int], key: Callable[[int], str]) -> list[int]:
    """Order places so that groups take turns."""
    groups: dict[str, list[int]] = defaultdict(list)
    for i in places:
        groups[key(i)].append(i)
    return [i for turn in zip_longest(*groups.values()) for i in turn if i is not None]


def sentences_left(case: Case, current: Mapping[int, StoredDecision]) -> int:
    """Count the sentences of a case that its reviewer has not decided."""
    return len(set(claims(case.response)) - {i for i, d in current.items() if i != WHOLE and d.decision.ruling})


def pace(decisions: Iterable[StoredDecision]) -> float | None:
    """Estimate how long a reviewer takes for a sentence."""
    first: dict[tuple[str, int], float] = {}
    for d in decisions:
        if d.decision.ruling and d.undoes is None:
            first.setdefault((d.case, d.decision.sentence), datetime.fromisoformat(d.time).timestamp())
    times = sorted(first.values())
    gaps = [b - a for a, b in pairwise(times) if b - a <= PAUSE]
    return median(gaps) if len(gaps) >= _FEWEST else None
