"""Divide a set as it is loaded: into splits by query, and down to a sample. Both are seeded: a seed gives the same set again."""

import math
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from groundscope.types import Case

SHARES: Mapping[str, float] = {"train": 0.7, "dev": 0.1, "test": 0.2}
"""Shares of the queries, those of the paper (section 4.3)."""


def with_splits(cases: Sequence[Case], shares: Mapping[str, float] = SHARES, seed: int = 0) -> tuple[Case, ...]:
    """Divide cases among splits so that all responses to one query share a split.

    Queries whose responses have the same labels are divided among themselves, so that each split has its share of each kind.

    Args:
        cases: what splits they have is replaced; a query is the `group`, else the question, else the case itself.
        shares: of the queries by split; positive, in any unit.
        seed: of the order in which queries are drawn.

    Returns:
        The cases in the order given, each with a split.

    Raises:
        ValueError: a share is not positive, or there is none.
    """
    if not shares or not all(math.isfinite(share) and share > 0 for share in shares.values()):
        raise ValueError("Each share must be a number above 0.")
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(query_of(case), []).append(case)
    kinds: dict[tuple[str, ...], list[str]] = {}
    for name, found in groups.items():
        kinds.setdefault(tuple(sorted({str(case.grounded) for case in found})), []).append(name)
    drawn = random.Random(seed)  # noqa: S311 - no secret
    whole, given = sum(shares.values()), dict.fromkeys(shares, 0)
    split: dict[str, str] = {}
    for kind in sorted(kinds):
        drawn.shuffle(kinds[kind])
        for name in kinds[kind]:
            # The split that is furthest behind its share, over all kinds together.
            behind = {part: share / whole * (len(split) + 1) - given[part] for part, share in shares.items()}
            split[name] = max(behind, key=behind.__getitem__)
            given[split[name]] += 1
    return tuple(replace(case, split=split[query_of(case)]) for case in cases)


def query_of(case: Case) -> str:
    """Name what must stay in one split.

    Args:
        case: any case.

    Returns:
        Its group, else its question, else its id.
    """
    return case.group or case.query or case.id


def sampled(cases: Sequence[Case], count: int, seed: int = 0) -> tuple[Case, ...]:
    """Draw a sample in which each split and label keeps its share.

    Args:
        cases: all of them.
        count: how many; with as many or more the cases stay as they are.
        seed: of the draw.

    Returns:
        The drawn cases in the order given.

    Raises:
        ValueError: the count is below 1.
    """
    if count < 1:
        raise ValueError("A sample has at least 1 case.")
    if count >= len(cases):
        return tuple(cases)
    strata: dict[tuple[str, str], list[int]] = {}
    for place, case in enumerate(cases):
        strata.setdefault((case.split or "", str(case.grounded)), []).append(place)
    exact = {name: count * len(places) / len(cases) for name, places in strata.items()}
    wanted = {name: math.floor(share) for name, share in exact.items()}
    largest = sorted(exact, key=lambda name: (wanted[name] - exact[name], name))
    for name in largest[: count - sum(wanted.values())]:
        wanted[name] += 1
    drawn = random.Random(seed)  # noqa: S311 - no secret
    chosen = sorted(place for name in sorted(strata) for place in drawn.sample(strata[name], wanted[name]))
    return tuple(cases[place] for place in chosen)


_TUNED_ON = ("evaluation", "eval")
"""Other names of dev; a set that has both uses this one for something else, so that each row cannot know it."""


def tuned_on_dev(cases: Collection[Case]) -> tuple[Case, ...]:
    """Call the split that thresholds are tuned on `dev`, where a set has none of that name.

    Args:
        cases: the whole set.

    Returns:
        The cases in the order given.
    """
    there = {case.split for case in cases}
    old = next((name for name in _TUNED_ON if name in there), None)
    if old is None or "dev" in there:
        return tuple(cases)
    return tuple(replace(case, split="dev") if case.split == old else case for case in cases)
