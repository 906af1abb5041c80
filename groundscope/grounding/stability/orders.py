"""The same passages, or the same sentences of a response, in another order; labels move along."""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from groundscope.text.sentences import Sentence, split
from groundscope.types import Case

_DRAWN = 30
"""Draws for each order that is wanted, before those found are all."""


def _orders(size: int, dice: random.Random) -> Iterator[tuple[int, ...]]:
    """Orders other than the one that is, each once; may end before all were drawn."""
    seen = {tuple(range(size))}
    order, idle = list(range(size)), 0
    while size > 1 and idle < _DRAWN:
        dice.shuffle(order)
        idle += 1
        if tuple(order) not in seen:
            seen.add(tuple(order))
            idle = 0
            yield tuple(order)


def other_passages(case: Case, number: int, dice: random.Random) -> Iterator[Case]:
    """A case with its passages in other orders, at most `number` of them."""
    for order in islice(_orders(len(case.context), dice), number):
        evidence = tuple(replace(e, passage=order.index(e.passage)) for e in case.evidence)
        yield replace(case, context=tuple(case.context[i] for i in order), evidence=evidence)


def other_sentences(case: Case, number: int, dice: random.Random) -> Iterator[Case]:
    """A case with the sentences of its response in other orders, at most `number` of them; headings stay where they are."""
    sentences = split(case.response)
    free = [s for s in sentences if not s.heading]
    tried = islice(_orders(len(free), dice), number + _DRAWN)
    copies = (_reordered(case, sentences, [free[i] for i in order]) for order in tried)
    yield from islice((copy for copy in copies if copy is not None), number)


def _reordered(case: Case, sentences: Sequence[Sentence], order: Sequence[Sentence]) -> Case | None:
    """A case with its sentences in an order; None where they would be read as others."""
    parts, moved, at, size = [], {}, 0, 0
    coming = iter(order)
    for place in sentences:
        sentence = place if place.heading else next(coming)
        parts += [case.response[at : place.start], case.response[sentence.start : sentence.end]]
        size += len(parts[-2])
        moved[sentence] = size - sentence.start
        size += len(parts[-1])
        at = place.end
    text = "".join([*parts, case.response[at:]])
    if [text[s.start : s.end] for s in split(text)] != parts[1::2]:
        return None

    def shift(start: int, end: int) -> int | None:
        """How far a span moves; None where it lies in more than one sentence."""
        return next((by for s, by in moved.items() if s.start <= start and end <= s.end), None)

    return replace(
        case,
        response=text,
        errors=tuple(
            replace(e, start=e.start + by, end=e.end + by) for e in case.errors if (by := shift(e.start, e.end)) is not None
        ),
        evidence=tuple(
            replace(e, response_start=e.response_start + by, response_end=e.response_end + by)
            for e in case.evidence
            if (by := shift(e.response_start, e.response_end)) is not None
        ),
        unsupported=tuple((a + by, b + by) for a, b in case.unsupported if (by := shift(a, b)) is not None),
    )


def places_of(before: str, after: str) -> tuple[int, ...]:
    """Find the sentences of a response in a copy of it."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, s in enumerate(split(before)):
        numbers[before[s.start : s.end]].append(number)
    texts = [after[s.start : s.end] for s in split(after)]
    return tuple(numbers[text].pop(0) if numbers[text] else -1 for text in texts)
