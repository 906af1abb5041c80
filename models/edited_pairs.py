"""Fours of pairs, made of a supported pair by one small edit, though evidence and statement share few words.

A supported pair (e, s) and an edit s' of its statement. Where what is edited stands in the evidence too, the same edit makes
evidence e' for s'; else s' in other words (`reworded`) is its evidence:

    e  against s  supported        e' against s' supported
    e  against s' not              e' against s  not

So every statement stands as often under one label as under the other, and neither text alone shows anything: what is learned is
the comparison (Gardner et al. 2020, *Evaluating Models' Local Decision Boundaries via Contrast Sets*).
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from groundscope.training.pairs import Pair
from models.changes import Change, changes, chosen
from models.rewording import reworded, words_of

LONGEST = 600
"""Characters of a statement that is edited."""


def edited_pairs(pairs: Sequence[Pair], *, seed: int = 0) -> list[Pair]:
    """Make a four of every supported pair whose statement can be edited."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    counts: Counter[str] = Counter()
    others: dict[str, str] = {}
    for pair in pairs:
        others[pair.group] = f"{others.get(pair.group, '')} {pair.sentence}"[-LONGEST:]
    fours: list[Pair] = []
    for pair in pairs:
        if pair.label < 0.5 or len(pair.sentence) > LONGEST:
            continue
        possible = changes(pair.sentence, f"{pair.evidence} {pair.sentence}", others[pair.group], draw)
        if change := chosen(list(possible), counts, draw):
            fours += _four(pair, change, draw)
    return fours


def _four(pair: Pair, change: Change, draw: random.Random) -> Iterator[Pair]:
    statement, old = pair.sentence, pair.sentence[change.start : change.end]
    there, new = (change.start, change.end), (change.start, change.start + len(change.new))
    edited = statement[: change.start] + change.new + statement[change.end :]
    in_evidence = list(re.finditer(rf"(?<!\w){re.escape(old)}(?!\w)", pair.evidence)) if old.strip() else []
    if len(in_evidence) == 1:
        start, end = in_evidence[0].span()
        evidence = pair.evidence[:start] + change.new + pair.evidence[end:]
    else:
        evidence = reworded(edited, draw, words_of(f"{old} {change.new}"))
    yield Pair(pair.evidence, statement, 1.0, pair.group, "contrast")
    yield Pair(pair.evidence, edited, 0.0, pair.group, "contrast", new)
    yield Pair(evidence, edited, 1.0, pair.group, "contrast")
    yield Pair(evidence, statement, 0.0, pair.group, "contrast", there)
