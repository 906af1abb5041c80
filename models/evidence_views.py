"""Vary claims and their evidence: sentences about something else beside it, other orders, other lengths, two facts in a claim.

A method chooses its evidence itself, so what it reads holds sentences that do not matter, in an order of its own. The answer to a
claim is the same in every view: no sentence is added that says much of what the claim says. Beside the view there may be two more
rows: evidence without the sentence that answers, and the claims of two rows in one.
"""

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache

from groundscope.text.sentences import context_sentences
from groundscope.types import Passage
from models.lora import MAYBE, NO, NOT_YES, YES, Claims
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
_OMITTED, _JOINED = 0.15, 0.2
"""Share of rows with a second row of either kind."""
_BETWEEN = ("; ", ". ", ", and ")
_LONGEST_CLAIM = 500
"""Characters of two claims in one."""


def varied(rows: Sequence[Claims], seed: int) -> list[Claims]:
    """One view of each row, and the further rows; a sentence that is added comes from another row."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    views = []
    for row in rows:
        views.append(Claims(_view(row, rows, draw), row.claims))
        if draw.random() < _OMITTED:
            views += _without_the_answer(row)
        if draw.random() < _JOINED:
            views += _joined(row, draw.choice(rows), draw)
    return views


def _without_the_answer(row: Claims) -> Iterator[Claims]:
    """A claim that follows from its evidence, beside the evidence without what is most like it: the rest does not say it."""
    claim = next((claim for claim, answer in row.claims if answer == YES), "")
    words, sentences = _words(claim), sentences_of(row.evidence)
    rest = [s for s in sentences if len(words & _words(s)) <= _SHARED / 2 * len(words)]
    if claim and rest and len(words & frozenset().union(*map(_words, rest))) <= _SHARED * len(words):
        yield Claims(" ".join(rest), ((claim, MAYBE),))


def _joined(row: Claims, other: Claims, draw: random.Random) -> Iterator[Claims]:
    """Two claims in one, beside the evidence of both: right if both are."""
    evidence = [*sentences_of(row.evidence), *sentences_of(other.evidence)]
    if row is other or sum(map(len, evidence)) > LONGEST:
        return
    draw.shuffle(evidence)
    claims = []
    for _ in range(2):
        (first, a), (second, b) = draw.choice(row.claims), draw.choice(other.claims)
        if len(first) + len(second) <= _LONGEST_CLAIM:
            claims.append((first.rstrip(" .;") + draw.choice(_BETWEEN) + second, _both(a, b)))
    if claims:
        yield Claims(" ".join(evidence), tuple(dict.fromkeys(claims)))


def _both(a: int, b: int) -> int:
    answers = {a, b}
    if answers == {YES}:
        return YES
    if NO in answers:
        return NO
    return MAYBE if answers <= {YES, MAYBE} else NOT_YES


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
