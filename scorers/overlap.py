"""Overlap: share of a sentence's content bigrams found in the context; not in the paper, the baseline to beat.

Two neighbouring content words (stop words dropped, case folded) of a response sentence count as found if some context
sentence has the same two in the same order. Repetitions count each time. A sentence with a single content word is
scored on that word; one without any is not assessable.
"""

import time
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from groundscope.methods import About, Method, starting
from groundscope.statistics.decision import SentenceRule
from groundscope.text.alignment import judge, not_assessable, nothing_to_assess, score_sentences
from groundscope.text.evidence import content_words
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case, Judgement, Matrix

Gram = tuple[str, ...]


@dataclass(frozen=True)
class Overlap(Method):
    """Content-bigram recall of each response sentence."""

    aggregation: SentenceRule = "min"

    about: ClassVar[About] = About(
        title="Overlap",
        plain="Word overlap",
        measures="Share of a sentence's neighbouring word pairs that also occur in the sources.",
        **starting("overlap"),
    )

    @property
    def signature(self) -> str:
        """Method and every parameter."""
        return f"overlap|bigrams|aggregation={self.aggregation}"

    def score(self, case: Case) -> Judgement:
        """Judge one case; the matrix holds each context sentence's own share of the bigrams."""
        started = time.perf_counter()
        if note := nothing_to_assess(case):
            return not_assessable(note)
        response, context = split(case.response), context_sentences(case.context)
        texts = [case.context[u.passage].text[u.start : u.end] for u in context]
        pairs, words = _postings(texts)
        matrix = np.zeros((len(response), len(context)), dtype=np.float32)
        shares = np.full(len(response), np.nan)
        for i, sentence in enumerate(response):
            content = content_words(case.response[sentence.start : sentence.end])
            grams: list[Gram] = list(pairwise(content)) if len(content) > 1 else [(w,) for w in content]
            shares[i] = _fill(matrix, i, grams, pairs if len(content) > 1 else words)
        sentences = score_sentences(response, context, matrix, shares)
        return judge(sentences, self.aggregation, seconds=time.perf_counter() - started, matrix=matrix)


def _postings(texts: list[str]) -> tuple[dict[Gram, list[int]], dict[Gram, list[int]]]:
    """Where each content bigram, and each content word, stands."""
    pairs: dict[Gram, list[int]] = defaultdict(list)
    words: dict[Gram, list[int]] = defaultdict(list)
    for j, text in enumerate(texts):
        content = content_words(text)
        for gram in set(pairwise(content)):
            pairs[gram].append(j)
        for word in set(content):
            words[(word,)].append(j)
    return pairs, words


def _fill(matrix: Matrix, i: int, grams: list[Gram], postings: dict[Gram, list[int]]) -> float:
    """Fill one row with each context sentence's share; return the share found anywhere, NaN without grams."""
    if not grams:
        return float("nan")
    shared = 0
    for gram in grams:
        places = postings.get(gram, ())
        shared += bool(places)
        matrix[i, list(places)] += 1
    matrix[i] /= len(grams)
    return shared / len(grams)
