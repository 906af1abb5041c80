"""Measure how well every method's matches find gold evidence.

    python -m benchmarks.alignment [PATH/contractnli_dev.jsonl.gz] [PATH/ragbench_expertqa.jsonl.gz] ...

The sample set comes first, then the files named. Of the sample set only the grounded responses count: a variant repeats
its parent's sentences.

Recall at 1 and 3, and mean average precision. The paper shows alignments without measuring them; the measures are those of
retrieval (Manning, Raghavan and Schütze 2008, sections 8.3 and 8.4) with a response sentence as the query and the context
sentences as the documents.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.machine import SAMPLES
from groundscope.cases.dataset import read
from groundscope.cases.gold import gold_units
from groundscope.methods import Method, registry
from groundscope.text.alignment import UnitFinder
from groundscope.text.sentences import context_sentences
from groundscope.types import Case, Judgement, SentenceScore, Status


@dataclass(frozen=True, slots=True)
class AlignmentQuality:
    """Means over response sentences, 0..1, higher = better.

    Attributes:
        recall_at_1: share of a sentence's gold context sentences that the best match is; below 1 where there are several.
        recall_at_3: share of them among the best three.
        mean_average_precision: over the whole ranking; a gold sentence that the method does not name counts 0.
        sentences: how many response sentences were measured: those with gold evidence that the method assessed.
        unassessed: sentences with gold evidence that the method gave no support; not in the means.
    """

    recall_at_1: float
    recall_at_3: float
    mean_average_precision: float
    sentences: int
    unassessed: int


def alignment_quality(judged: Iterable[tuple[Case, Judgement]]) -> AlignmentQuality | None:
    """Measure one method's judgements against the gold evidence of their cases.

    Args:
        judged: cases and what the method said of them, in any order; a judgement without sentences adds nothing.

    Returns:
        Means over the response sentences that have gold evidence and a support; None if there is no such sentence.
    """
    figures: list[tuple[float, float, float]] = []
    unassessed = 0
    for case, judgement in judged:
        units = context_sentences(case.context)
        finder = UnitFinder(units)
        for i, sentence in enumerate(judgement.sentences):
            gold = set(gold_units(case, units, finder, sentence.start, sentence.end))
            if not gold:
                continue
            if sentence.support is None:
                unassessed += 1
                continue
            figures.append(_figures(_ranking(judgement, i, sentence, finder), gold))
    if not figures:
        return None
    precision_at_1, three, precision = np.array(figures).mean(axis=0)
    return AlignmentQuality(float(precision_at_1), float(three), float(precision), len(figures), unassessed)


def _ranking(judgement: Judgement, i: int, sentence: SentenceScore, finder: UnitFinder) -> list[int]:
    """All context sentences with some support, best first; of equals the first in reading order leads."""
    if judgement.matrix is None:
        return [j for j, _ in finder.ranked(sentence)]
    row = judgement.matrix[i]
    return [int(j) for j in np.argsort(-row, kind="stable") if row[j] > 0]


def _figures(ranking: Sequence[int], gold: set[int]) -> tuple[float, float, float]:
    hits = [j in gold for j in ranking]
    return sum(hits[:1]) / len(gold), sum(hits[:3]) / len(gold), sum(_precisions(hits)) / len(gold)


def _precisions(hits: Sequence[bool]) -> Iterator[float]:
    """Precision at the rank of each hit."""
    hits_so_far = 0
    for rank, hit in enumerate(hits, 1):
        if hit:
            hits_so_far += 1
            yield hits_so_far / rank


def measure(scorer: Method, cases: Sequence[Case]) -> AlignmentQuality | None:
    """One method on one set.

    Raises:
        RuntimeError: the method cannot run; the message is its note.
    """
    judged = []
    for case in cases:
        judgement = scorer.score(case)
        if judgement.status is Status.FAILED:
            raise RuntimeError(judgement.note)
        judged.append((case, judgement))
    return alignment_quality(judged)


def with_evidence(path: Path) -> list[Case]:
    """The cases of a file that carry gold evidence, without variants."""
    return [c for c in read(path.name, path.read_bytes()).cases if c.evidence and c.parent is None]


def main(paths: Sequence[str]) -> None:
    """Print one line a method and set."""
    for path in (SAMPLES, *map(Path, paths)):
        cases = with_evidence(path)
        print(f"{path.name}: {len(cases)} cases with gold evidence", flush=True)
        print(f"{'method':16} {'recall@1':>9} {'recall@3':>9} {'MAP':>6} {'sentences':>10} {'unassessed':>11}")
        for name in registry.names():
            try:
                quality = measure(registry.load(name), cases)
            except RuntimeError as error:
                print(f"{name:16} left out: {error}", flush=True)
                continue
            if quality:
                figures = f"{quality.recall_at_1:9.3f} {quality.recall_at_3:9.3f} {quality.mean_average_precision:6.3f}"
                print(f"{name:16} {figures} {quality.sentences:10,} {quality.unassessed:11,}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
