"""Alignment of two answers to one question, sentence by sentence: what both say, what only one says, and differences."""

import re
from difflib import SequenceMatcher
from typing import NamedTuple

import numpy as np

from groundscope.review.decisions import claims
from groundscope.text.differences import Difference, differences
from groundscope.text.sentences import split
from groundscope.types import Matrix

ALIKE = 0.5
"""Cosine of two sentences' embeddings (MiniLM) from which they are paired.

Of the samples' 299 sentences that were changed to make them wrong, 99.3 % are so like what they were made from. Answers in quite
other words are harder: of 35 pairs of sound answers with as many sentences, taking the sentences of one place to correspond, 43 %
of the sentences are paired so, and 67 % of the pairs are such."""
_FAR = 0.1
"""What a pair of the first and the last sentence loses of its cosine; it chooses between pairs that are as alike."""
_WORD = re.compile(r"\w(?:[\w'’.,-]*\w)?|[^\w\s]")
Spans = tuple[tuple[int, int], ...]


class AnswerRow(NamedTuple):
    """Sentences side by side, by index, None where one answer is silent; offsets are in each sentence.

    `words`: where `differs` names nothing, the runs of words that only one of the two has, of each.
    """

    first: int | None
    second: int | None
    differs: tuple[Difference, ...] = ()
    words: tuple[Spans, Spans] = ((), ())


def side_by_side(first: str, second: str, similarity: Matrix) -> tuple[AnswerRow, ...]:
    """Align two answers by (n, m) cosines of their `claims`, in the order of the first.

    What the second says alone stands behind what it says before. Pairs are those with the highest sum of similarities, near
    places preferred, none of them below `ALIKE`.
    """
    from scipy.optimize import linear_sum_assignment

    ours, theirs = claims(first), claims(second)
    if similarity.shape != (len(ours), len(theirs)):
        raise ValueError(f"need similarities of {len(ours)} by {len(theirs)} sentences, got {similarity.shape}")
    places = [np.linspace(0, 1, max(count, 2))[:count] for count in similarity.shape]
    # What is below the limit is worth nothing, so that it takes no sentence from a pair above it.
    worth = np.where(similarity >= ALIKE, similarity - _FAR * np.abs(places[0][:, None] - places[1]), 0.0)
    pairs = {int(i): int(j) for i, j in zip(*linear_sum_assignment(worth, maximize=True), strict=True) if worth[i, j] > 0}
    rows = [_row(first, second, i, pairs.get(n), theirs) for n, i in enumerate(ours)]
    taken = set(pairs.values())
    for j in (j for j in range(len(theirs)) if j not in taken):
        before = [n for n, row in enumerate(rows) if row.second is not None and row.second < theirs[j]]
        rows.insert(before[-1] + 1 if before else 0, AnswerRow(None, theirs[j]))
    return tuple(rows)


def _row(first: str, second: str, i: int, j: int | None, theirs: list[int]) -> AnswerRow:
    if j is None:
        return AnswerRow(i, None)
    a, b = split(first)[i], split(second)[theirs[j]]
    ours, other = first[a.start : a.end], second[b.start : b.end]
    differs = differences(ours, other)
    return AnswerRow(i, theirs[j], differs, ((), ()) if differs else _other_words(ours, other))


def _other_words(ours: str, theirs: str) -> tuple[Spans, Spans]:
    """The runs of words that only one of two sentences has; a capital makes no other word."""
    sides = [list(_WORD.finditer(text)) for text in (ours, theirs)]
    a, b = ([m.group().casefold() for m in side] for side in sides)
    runs = [r for r in SequenceMatcher(None, a, b, autojunk=False).get_opcodes() if r[0] != "equal"]
    first = tuple((sides[0][i].start(), sides[0][k - 1].end()) for _, i, k, _, _ in runs if k > i)
    return first, tuple((sides[1][i].start(), sides[1][k - 1].end()) for _, _, _, i, k in runs if k > i)
