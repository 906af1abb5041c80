"""The sample of arguments that a person reads: some of every model and test, in an order that does not say which."""

import hashlib
from collections import deque
from collections.abc import Sequence
from random import Random

from groundscope.arguments.summary import Judged, grouped


def argument_key(one: Judged) -> str:
    """Name an argument by what a reader sees: the same text about the same triple has one key in every run and file."""
    text = "\0".join((*one.argument.plies, *(",".join(sorted(case)) for case in one.scenario.keys)))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def draw(found: Sequence[Judged], number: int, seed: int = 0) -> list[Judged]:
    """Draw arguments to read, as evenly as possible from every model and test."""
    if number < 1:
        raise ValueError(f"a sample needs at least 1 argument, got {number}")
    rng = Random(seed)  # noqa: S311 - no secret
    distinct = {argument_key(j): j for j in reversed(found) if not j.argument.empty}
    strata = grouped(reversed(distinct.values()), lambda j: (j.arguer, j.wording, j.scenario.test))
    waiting = deque(rng.sample(stratum, len(stratum)) for stratum in strata.values())
    chosen: list[Judged] = []
    while waiting and len(chosen) < number:
        stratum = waiting.popleft()
        chosen.append(stratum.pop())
        if stratum:
            waiting.append(stratum)
    rng.shuffle(chosen)
    return chosen
