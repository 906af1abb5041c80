"""Recall and mean average precision of alignments, worked out by hand."""

import numpy as np
import pytest

from benchmarks.alignment import AlignmentQuality, alignment_quality
from groundscope.text.sentences import split
from groundscope.types import Case, EvidenceSpan, Judgement, Match, Passage, SentenceScore, Status
from tests.loops import each

CONTEXT = tuple(Passage(f"p{i}", f"Fact {name} is so.") for i, name in enumerate(("one", "two", "three", "four")))
LENGTHS = [len(p.text) for p in CONTEXT]
RESPONSE = "First it holds. Second it binds."


def case(*gold: tuple[int, int]) -> Case:
    """Pairs of a response sentence and the passage that is gold evidence for it; each passage is one sentence."""
    sentences = split(RESPONSE)
    evidence = tuple(EvidenceSpan(sentences[i].start, sentences[i].end, j, 0, LENGTHS[j]) for i, j in gold)
    return Case("c", "q", CONTEXT, RESPONSE, evidence=evidence)


def judged(*rows: list[float] | None, matrix: bool = True) -> Judgement:
    """A row of supports a response sentence, None where the method gave none; with the matrix or with matches alone."""
    scores = []
    for sentence, row in zip(split(RESPONSE), rows, strict=True):
        order = sorted(range(4), key=lambda j: -row[j]) if row else []
        matches = tuple(Match(j, 0, LENGTHS[j], row[j]) for j in order if row and row[j])
        scores.append(SentenceScore(sentence.start, sentence.end, max(row) if row else None, matches))
    table = np.array([row or [0.0] * 4 for row in rows], dtype=np.float32) if matrix else None
    return Judgement(Status.SCORED, support=0.5, sentences=tuple(scores), matrix=table)


def measured(of: Case, *rows: list[float] | None, matrix: bool = True) -> AlignmentQuality:
    found = alignment_quality([(of, judged(*rows, matrix=matrix))])
    assert found is not None
    return found


def figures(found: AlignmentQuality) -> tuple[float, float, float]:
    return found.recall_at_1, found.recall_at_3, found.mean_average_precision


REST = [0.0, 0.0, 0.0, 0.0]


@each("matrix", [True, False])
@each(
    ("gold", "row", "expected"),
    [
        # The one gold sentence comes third, and fourth: precision 1/3, 1/4.
        ([2], [0.9, 0.8, 0.5, 0.3], (0, 1, 1 / 3)),
        ([2], [0.9, 0.8, 0.5, 0.6], (0, 0, 1 / 4)),
        # The method does not name it.
        ([2], [0.9, 0.8, 0.0, 0.0], (0, 0, 0)),
        # Two gold sentences, at ranks 1 and 4: the best one is half of them; precisions 1/1 and 2/4.
        ([1, 3], [0.5, 0.9, 0.4, 0.1], (1 / 2, 1 / 2, (1 + 1 / 2) / 2)),
        # One at rank 1, the other not named: precision 1/1, and 0.
        ([1, 3], [0.5, 0.9, 0.0, 0.0], (1 / 2, 1 / 2, 1 / 2)),
        # All four are gold: the best three are three quarters of them.
        ([0, 1, 2, 3], [0.5, 0.9, 0.4, 0.1], (1 / 4, 3 / 4, 1)),
        # Of equals the first in reading order leads: 0, 1, 3 and then 2.
        ([3], [0.5, 0.5, 0.1, 0.5], (0, 1, 1 / 3)),
        ([0], [0.5, 0.5, 0.1, 0.5], (1, 1, 1)),
    ],
)
def test_a_ranking_has_the_figures_of_retrieval(
    gold: list[int], row: list[float], expected: tuple[float, float, float], matrix: bool
) -> None:
    found = measured(case(*((0, j) for j in gold)), row, [1.0, 1.0, 1.0, 1.0], matrix=matrix)
    assert figures(found) == pytest.approx(expected)
    # The second sentence has no gold evidence and is not measured.
    assert (found.sentences, found.unassessed) == (1, 0)


def test_sentences_are_averaged_not_cases() -> None:
    two = (case((0, 0), (1, 1)), judged([0.9, 0.1, 0.0, 0.0], [0.9, 0.1, 0.0, 0.0]))
    one = (case((0, 3)), judged([0.9, 0.1, 0.0, 0.0], REST))
    found = alignment_quality([two, one])
    assert found is not None
    # Recall at 1: 1, 0, 0; at 3: 1, 1, 0; precision: 1, 1/2, 0.
    assert figures(found) == pytest.approx((1 / 3, 2 / 3, 1 / 2))
    assert (found.sentences, found.unassessed) == (3, 0)


def test_a_sentence_without_support_is_counted_as_unassessed_alone_and_only_where_it_has_gold() -> None:
    found = measured(case((0, 0), (1, 1)), None, [0.1, 0.9, 0.0, 0.0])
    assert figures(found) == (1, 1, 1)
    assert (found.sentences, found.unassessed) == (1, 1)
    assert measured(case((1, 1)), None, [0.1, 0.9, 0.0, 0.0]).unassessed == 0


def test_runs_in_one_context_sentence_add_up_to_its_rank() -> None:
    first, second = split(RESPONSE)
    # Two runs of 0.3 in the second passage outrank one of 0.5 in the first.
    matches = (Match(0, 0, 5, 0.5), Match(1, 0, 4, 0.3), Match(1, 5, 8, 0.3))
    scores = (SentenceScore(first.start, first.end, 0.5, matches), SentenceScore(second.start, second.end, 0.0))
    found = alignment_quality([(case((0, 1)), Judgement(Status.SCORED, support=0.5, sentences=scores))])
    assert found is not None
    assert figures(found) == (1, 1, 1)


@each(
    "pairs",
    [
        [],
        [(case(), judged([0.9, 0.1, 0.0, 0.0], REST))],
        [(case((0, 0)), Judgement(Status.FAILED, note="n"))],
        [(case((0, 0)), judged(None, REST))],
    ],
)
def test_without_a_measured_sentence_there_are_no_figures(pairs: list[tuple[Case, Judgement]]) -> None:
    assert alignment_quality(pairs) is None
