"""Vary the evidence of claims: sentences about something else beside it, other orders, other lengths.

A method chooses its evidence itself, so what it reads holds sentences that do not matter, in an order of its own. The answer to a
claim is the same in every view: no sentence is added that says much of what the claim says.
"""

import random
from collections.abc import Sequence
from functools import lru_cache

from groundscope.text.sentences import context_sentences
from groundscope.types import Passage
from models.lora import Claims
from models.rewording import words_of

LONGEST = 1_400
"""Characters of evidence with what is added to it: some 350 tokens."""
_COUNTS = (0, 0, 0, 1, 2, 3, 4, 6)
"""How many sentences are added, each as likely."""
_TURNED = 0.5
"""Share of the evidence whose sentences come in another order."""
_POOL = 40
"""A sentence that is near in words is the nearest of so many; half of those that are added are near, half any."""
_SHARED = 0.5
"""A sentence with more than this share of a claim's words might answer it."""


def varied(rows: Sequence[Claims], seed: int) -> list[Claims]:
    """One view of each row; a sentence that is added comes from another row."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    return [Claims(_view(row, rows, draw), row.claims) for row in rows]


def _view(row: Claims, rows: Sequence[Claims], draw: random.Random) -> str:
    sentences = list(sentences_of(row.evidence))
    if draw.random() < _TURNED:
        draw.shuffle(sentences)
    claims = [_words(claim) for claim, _ in row.claims]
    for _ in range(draw.choice(_COUNTS)):
        count = _POOL if draw.random() < 0.5 else 1
        pool = [draw.choice(sentences_of(other.evidence) or ("",)) for other in draw.choices(rows, k=count)]
        nearest = max(pool, key=lambda text: len(_words(text) & _words(row.evidence)) / (1 + len(_words(text))))
        fits = sum(map(len, sentences)) + len(nearest) <= LONGEST
        if fits and nearest and all(len(words & _words(nearest)) <= _SHARED * len(words) for words in claims):
            sentences.insert(draw.randrange(len(sentences) + 1), nearest)
    return " ".join(sentences)


@lru_cache(maxsize=200_000)
def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of an evidence."""
    return tuple(text[unit.start : unit.end] for unit in context_sentences((Passage("", text),)))


@lru_cache(maxsize=200_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(words_of(text))
