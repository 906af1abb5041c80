"""Choose the context sentences that are evidence of a sentence: the most alike in meaning and words, in an order of their own."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Grid = NDArray[np.float64]

_WORDS = 0.25
"""What all words of a sentence count beside a cosine of 1."""
_LEAST = 0.6
"""Of the likeness of the best context sentence; what is less alike would only distract a model."""
_TELLING = 2
"""A figure or a name counts as so many other words."""
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_FIGURE_OR_CAPITAL = re.compile(r"\d|[^\W\d_a-z]")
_STOP_WORDS = frozenset(
    "a about after all also an and any are as at be because been before being but by can could did do does for from "
    "had has have he her him his how i if in into is it its may more most no nor not of on or other our out over own "
    "s same she should so some such than that the their them then there these they this those through to too under "
    "until up upon us very was we were what when where which while who whom whose why will with would you your".split()
)


def content_words(text: str) -> list[str]:
    """The words of a text without stop words, case folded, in order."""
    return [w for w in _WORD.findall(text.casefold().replace("’", "'")) if w not in _STOP_WORDS]


def likeness(cosines: Grid, claims: Sequence[str], texts: Sequence[str]) -> Grid:
    """How alike texts are to claims in meaning and words: (n_claims, n_texts), 0 to 1.25, higher = more alike.

    It is the cosine, where negative ones count as 0, and a quarter of the share of the claim's content words that the text
    holds, figures and names twice. It does not depend on the other claims.
    """
    grid = np.clip(cosines, 0.0, 1.0)
    held = [set(content_words(text)) for text in texts]
    for row, claim in zip(grid, claims, strict=True):
        # Before the case is folded, which makes names look like other words.
        telling = {w for m in _WORD.finditer(claim) if _FIGURE_OR_CAPITAL.search(m[0]) for w in content_words(m[0])}
        weights = {w: _TELLING if w in telling else 1 for w in content_words(claim)}
        if total := sum(weights.values()):
            row += [_WORDS * sum(weights[w] for w in weights.keys() & words) / total for words in held]
    return grid


def evidence_of(row: Grid, texts: Sequence[str], count: int) -> list[int]:
    """Choose the evidence of one sentence by its (n_texts,) likeness: indices of texts, at most so many, the most alike last.

    Of equal texts one is taken; those that are much less alike than the best one are left out.
    """
    first: dict[str, int] = {}
    for j, text in enumerate(texts):
        first.setdefault(" ".join(text.split()), j)
    ordered = sorted(first.items(), key=lambda item: (-row[item[1]], item[0]))[:count]
    return [j for _, j in reversed(ordered) if row[j] >= _LEAST * row[ordered[0][1]]]
