"""Response sentences copied word for word from the context.

This project's own rule, in no paper: a copied sentence is supported by its source, whatever a model says of the two. Of two
plain views only white space may differ; a figure, a negation, a capital or a full stop may not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from groundscope.text.alignment import MATCHES
from groundscope.text.humanize import one_line, plural
from groundscope.text.sentences import Unit, split
from groundscope.types import Case, Match, Matrix, SentenceScore

LEAST = 4
"""Fewest words of a sentence: a shorter one ("Motion denied.") depends on its surroundings, which a copy may lack."""

_BELOW = np.nextafter(np.float32(1.0), np.float32(0.0))


def verbatim(case: Case) -> dict[int, int]:
    """Find the sentences of a plain response that equal a context sentence: by its index, that of the first which it equals."""
    first: dict[str, int] = {}
    of_passages = ((passage.text, sentence) for passage in case.context for sentence in split(passage.text, source=True))
    for j, (text, sentence) in enumerate(of_passages):
        if not sentence.heading:
            first.setdefault(one_line(text[sentence.start : sentence.end]), j)
    copies = {}
    for i, sentence in enumerate(split(case.response)):
        words = one_line(case.response[sentence.start : sentence.end])
        if not sentence.heading and words in first and sum(any(map(str.isalnum, word)) for word in words.split()) >= LEAST:
            copies[i] = first[words]
    return copies


def credited(sentences: Sequence[SentenceScore], copies: Mapping[int, int], context: Sequence[Unit]) -> tuple[SentenceScore, ...]:
    """Set the support of copied sentences to 1, with their source as the best match."""
    return tuple(_credited(s, context[copies[i]]) if i in copies else s for i, s in enumerate(sentences))


def _credited(score: SentenceScore, unit: Unit) -> SentenceScore:
    others = tuple(m for m in score.matches if (m.passage, m.start, m.end) != unit)
    matches = (Match(unit.passage, unit.start, unit.end, 1.0), *others)[:MATCHES]
    return replace(score, support=1.0, matches=matches, verbatim=((score.start, score.end),), contradiction=None)


def credited_matrix(matrix: Matrix, copies: Mapping[int, int]) -> Matrix:
    """Set the support of copied pairs to 1, and hold every other support of their rows below 1, in a copy of the matrix."""
    credited = matrix.copy()
    for i, j in copies.items():
        credited[i] = np.minimum(credited[i], _BELOW)
        credited[i, j] = 1.0
    return credited


def words(copies: Mapping[int, int], sentences: int) -> str:
    """Describe copied sentences for the user."""
    if not copies:
        return ""
    where = "word for word in the sources and"
    singular = f"of {sentences:,} sentences stands {where} gets support 1."
    return plural(len(copies), singular, f"of {sentences:,} sentences stand {where} get support 1.")
