"""From a support matrix over sentences to a judgement, shared by all alignment methods."""

import math
from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from groundscope.statistics.decision import SentenceRule, aggregate
from groundscope.text.sentences import Sentence, Unit, context_sentences, split
from groundscope.types import Case, Judgement, Match, Matrix, SentenceScore, Status

MATCHES = 10
"""Context sentences that a judgement names per response sentence; the matrix has all."""
_CONTRADICTED = 0.5


def nothing_to_assess(case: Case) -> str:
    """State why no method can assess a case, in one sentence for the user; empty if a method can."""
    if not case.response.strip():
        return "The response is empty, so there is nothing to assess."
    if not any(p.text.strip() for p in case.context):
        return "There are no sources, so nothing can support the response."
    if not split(case.response):
        return "The response holds no words to assess."
    if all(s.heading for s in split(case.response)):
        return "The response holds headings only, and a heading claims nothing."
    if not context_sentences(case.context):
        return "The sources hold no words to support the response."
    return ""


def not_assessable(note: str) -> Judgement:
    """Make the judgement of a case that cannot be assessed, for a reason in one sentence; no context of it was read."""
    return Judgement(Status.NOT_ASSESSABLE, note=note, context_seen=0.0)


def score_sentences(
    response: Sequence[Sentence],
    context: Sequence[Unit],
    matrix: Matrix,
    supports: NDArray[np.float64] | None = None,
    contradictions: NDArray[np.float64] | None = None,
) -> tuple[SentenceScore, ...]:
    """Give every response sentence its support and its best context sentences; a heading claims nothing and gets None.

    `matrix`: (n_response, n_context) supports in 0..1, NaN where a pair was not read. `supports`: (n_response,) where they are
    not the maximum of their row, NaN for a sentence that cannot be assessed. `contradictions`: (n_response,) how likely the
    context says otherwise, NaN where that is not known; None where the method does not distinguish it from silence.
    """
    best = matrix.max(axis=1) if supports is None else supports
    against = np.full(len(response), np.nan) if contradictions is None else contradictions
    rows = zip(response, matrix, best, against, strict=True)
    return tuple(_score(s, context, row, float(b), float(c)) for s, row, b, c in rows)


def _score(sentence: Sentence, context: Sequence[Unit], row: Matrix, support: float, against: float) -> SentenceScore:
    if sentence.heading or math.isnan(support):
        return SentenceScore(sentence.start, sentence.end, None)
    # Stable: of equally good context sentences the first in reading order leads, on every machine.
    order = np.argsort(-row, kind="stable")[:MATCHES]
    best = [(context[j], float(row[j])) for j in order if row[j] > 0]
    matches = tuple(Match(u.passage, u.start, u.end, s) for u, s in best)
    contradiction = None if math.isnan(against) else against
    return SentenceScore(sentence.start, sentence.end, support, matches, contradiction=contradiction)


def judge(
    sentences: tuple[SentenceScore, ...],
    aggregation: SentenceRule,
    *,
    seconds: float,
    matrix: Matrix | None = None,
    context_seen: float = 1.0,
    cached: float = 0.0,
    note: str = "",
) -> Judgement:
    """Make the judgement of a response from its sentence scores by a rule; sentences without a support are left out.

    The status is `NOT_ASSESSABLE`, without the matrix, if no sentence has a support.
    """
    support = aggregate([s.support for s in sentences], aggregation)
    scored = support is not None
    return Judgement(
        Status.SCORED if scored else Status.NOT_ASSESSABLE,
        support=support,
        sentences=sentences,
        matrix=matrix if scored else None,
        seconds=seconds,
        context_seen=context_seen,
        cached=cached,
        note=note or ("" if scored else "No sentence of the response is long enough for this method."),
    )


def aligned(case: Case, judgement: Judgement) -> list[SentenceScore]:
    """Give every sentence of a response its score, in order; without support for those that the method cut differently."""
    scores = {(s.start, s.end): s for s in judgement.sentences}
    return [scores.get((s.start, s.end)) or SentenceScore(s.start, s.end, None) for s in split(case.response)]


def says_otherwise(sentence: SentenceScore) -> bool | None:
    """Read whether the context contradicts a sentence, from one half on; None where the method does not say."""
    return None if sentence.contradiction is None else sentence.contradiction >= _CONTRADICTED


class UnitFinder:
    """Maps places in the context to context sentences; a quotation or a gold span may cover several."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._starts = [(u.passage, u.start) for u in units]

    def overlapping(self, passage: int, start: int, end: int) -> list[int]:
        """Find the context sentences that overlap `context[passage].text[start:end]`, by their indices in reading order."""
        first = max(0, bisect_right(self._starts, (passage, start)) - 1)
        last = bisect_right(self._starts, (passage, end - 1))
        units = self._units
        return [j for j in range(first, last) if units[j].passage == passage and units[j].end > start and units[j].start < end]

    def ranked(self, sentence: SentenceScore) -> list[tuple[int, float]]:
        """Rank the context sentences that hold a sentence's matches, best first, ties in their order, with supports of at most 1.

        Several matches in one sentence add up; one that crosses sentences gives each the share of its characters that lies in it.
        """
        sums: dict[int, float] = {}
        for match in sentence.matches:
            for j in self.overlapping(match.passage, match.start, match.end):
                unit = self._units[j]
                share = (min(unit.end, match.end) - max(unit.start, match.start)) / (match.end - match.start)
                sums[j] = min(1.0, sums.get(j, 0.0) + match.support * share)
        return sorted(sums.items(), key=lambda item: -item[1])
