"""Which sentences of a response stand word for word in the context.

A rule of this project's own, in no paper: a sentence that was copied is supported by what it was copied from, whatever a model
makes of the two. Only white space and the shapes of quotation marks and dashes may differ; a figure, a negation, a capital or a
full stop may not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from evaluation.alignment import MATCHES
from evaluation.sentences import Unit, split
from evaluation.types import Case, Match, Matrix, SentenceScore

LEAST = 4
"""Words. What is shorter ("Motion denied.") hangs on its surroundings, which a copy may have left."""

# No primes: 5′ are feet or minutes, and 5″ are others.
_SHAPES = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛", "'"),
        **dict.fromkeys("“”„‟«»", '"'),
        **dict.fromkeys("\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{FIGURE DASH}–—―−", "-"),
    }
)
_BELOW = np.nextafter(np.float32(1.0), np.float32(0.0))


def normalised(text: str) -> str:
    """The text with single spaces and plain quotation marks and dashes; nothing else is changed."""
    return " ".join(text.split()).translate(_SHAPES)


def verbatim(case: Case) -> dict[int, int]:
    """The sentences of a response that are equal to a context sentence.

    Returns:
        Index of the response sentence -> index of the first equal context sentence, as in
        `evaluation.sentences.context_sentences`. Headings, on either side, and sentences of fewer than `LEAST` words are left
        out.
    """
    first: dict[str, int] = {}
    of_passages = ((passage.text, sentence) for passage in case.context for sentence in split(passage.text))
    for j, (text, sentence) in enumerate(of_passages):
        if not sentence.heading:
            first.setdefault(normalised(text[sentence.start : sentence.end]), j)
    found = {}
    for i, sentence in enumerate(split(case.response)):
        said = normalised(case.response[sentence.start : sentence.end])
        if not sentence.heading and said in first and _words(said) >= LEAST:
            found[i] = first[said]
    return found


def _words(text: str) -> int:
    return sum(any(c.isalnum() for c in word) for word in text.split(" "))


def credited(sentences: Sequence[SentenceScore], found: Mapping[int, int], context: Sequence[Unit]) -> tuple[SentenceScore, ...]:
    """The scores of a response's sentences; those found have support 1, and what they equal as their best match.

    Args:
        sentences: one a sentence of the response.
        found: as `verbatim` gives it.
        context: all context sentences.
    """
    return tuple(_credited(s, context[found[i]]) if i in found else s for i, s in enumerate(sentences))


def _credited(score: SentenceScore, unit: Unit) -> SentenceScore:
    others = tuple(m for m in score.matches if (m.passage, m.start, m.end) != unit)
    matches = (Match(unit.passage, unit.start, unit.end, 1.0), *others)[:MATCHES]
    return replace(score, support=1.0, matches=matches, verbatim=((score.start, score.end),))


def credited_matrix(matrix: Matrix, found: Mapping[int, int]) -> Matrix:
    """A copy of a support matrix (n_response, n_context) in which the pairs found have 1, and nothing else of their rows has."""
    made = matrix.copy()
    for i, j in found.items():
        made[i] = np.minimum(made[i], _BELOW)
        made[i, j] = 1.0
    return made


def words(found: Mapping[int, int], sentences: int) -> str:
    """What to tell the user; empty where nothing was found."""
    if not found:
        return ""
    ends = ("s", "s") if len(found) == 1 else ("", "")
    return f"{len(found)} of {sentences} sentences stand{ends[0]} word for word in the context and count{ends[1]} as supported."
