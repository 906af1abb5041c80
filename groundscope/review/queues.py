"""Which cases a reviewer reads, in which order, how many are read, and how long the rest takes at the reviewer's own pace."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from statistics import median

from groundscope.review.decisions import WHOLE, StoredDecision
from groundscope.text.sentences import split
from groundscope.types import Case

PAUSE = 300.0
"""Seconds: a longer time between two decisions is a pause, and no measure of pace."""
_FEWEST = 5
"""Times between decisions from which a pace is estimated."""


class QueueOrder(StrEnum):
    """The order of a queue; the values are shown. None of them needs a label, a score or a decision of another person."""

    SET = "as in the set"
    RANDOM = "random"
    BY_AREA = "random, the same number of each area of law"


def queue(cases: Sequence[Case], order: QueueOrder, seed: int = 0, most: int = 0) -> tuple[int, ...]:
    """Choose and order cases.

    Args:
        cases: of a set.
        order: `SET` takes the first ones; the others draw.
        seed: of the draw: the same cases, order and seed give the same queue on every machine, whatever `most`.
        most: cases at most; 0 = all.

    Returns:
        Indices of cases, each at most once. `BY_AREA` takes one of each area in turn, as long as each has one.

    Raises:
        ValueError: `most` is negative.
    """
    if most < 0:
        raise ValueError(f"a queue must have 0 cases or more, got {most}")
    places = list(range(len(cases)))
    if order is not QueueOrder.SET:
        random.Random(seed).shuffle(places)  # noqa: S311
    if order is QueueOrder.BY_AREA:
        places = _in_turn(places, lambda i: cases[i].area)
    return tuple(places[:most] if most else places)


def _in_turn(places: Iterable[int], key: Callable[[int], str]) -> list[int]:
    groups: dict[str, list[int]] = defaultdict(list)
    for i in places:
        groups[key(i)].append(i)
    rounds = max(map(len, groups.values()), default=0)
    return [group[n] for n in range(rounds) for group in groups.values() if n < len(group)]


def sentences_left(case: Case, current: Mapping[int, StoredDecision]) -> int:
    """Count the sentences of a case that its reviewer has not decided.

    Args:
        case: any.
        current: what counts of the reviewer's decisions, by sentence.

    Returns:
        Headings do not count.
    """
    claims = {i for i, s in enumerate(split(case.response)) if not s.heading}
    return len(claims - {i for i, d in current.items() if i != WHOLE and d.decision.ruling})


def pace(decisions: Iterable[StoredDecision]) -> float | None:
    """Estimate how long a reviewer takes for a sentence.

    Args:
        decisions: of one reviewer, the oldest first.

    Returns:
        Seconds: the median time from the first decision of a sentence to that of the next one, pauses left out; None with
        too few of them to say.
    """
    first: dict[tuple[str, int], float] = {}
    for d in decisions:
        if d.decision.ruling and d.undoes is None:
            first.setdefault((d.case, d.decision.sentence), datetime.fromisoformat(d.time).timestamp())
    times = sorted(first.values())
    gaps = [b - a for a, b in pairwise(times) if b - a <= PAUSE]
    return median(gaps) if len(gaps) >= _FEWEST else None
