"""Gold evidence lost when only the context sentences nearest to a response sentence are read."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from groundscope.cases.dataset import read
from groundscope.cases.gold import gold_sentences
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case
from scorers._embedders import sentences
from scorers._pairs.context_units import units as units_of
from scorers._weights.memory import native


def pruned(path: Path) -> Iterator[str]:
    """The share of gold evidence that the k nearest context sentences keep."""
    cases = [c for c in read(path.name, path.read_bytes()).cases if c.evidence and c.parent is None]
    totals = {k: [0, 0] for k in (3, 5, 10, 20)}
    read_, all_ = dict.fromkeys(totals, 0), 0
    for case in cases:
        _count(case, totals, read_)
        all_ += len(split(case.response)) * len(context_sentences(case.context))
    for k, (hits, total) in totals.items():
        share = f"{100 * hits / total:.1f} % of {total:,} gold sentences kept"
        yield f"{path.name}, prune={k}: {share}, {100 * read_[k] / all_:.0f} % of the pairs read"


def _count(case: Case, totals: dict[int, list[int]], pairs: dict[int, int]) -> None:
    context = context_sentences(case.context)
    claims = [case.response[s.start : s.end] for s in split(case.response)]
    units = units_of(case, context, "sentence", 1)
    # The nearest twenty hold the nearest three, and so on; embedded once.
    vectors = sentences.load(sentences.MINILM, native()).embed([*claims, *(u.text for u in units)]).vectors
    order = np.argsort(-(vectors[: len(claims)] @ vectors[len(claims) :].T), axis=1, kind="stable")
    for k, counts in totals.items():
        pairs[k] += len(claims) * min(k, len(units))
        for near, sentence in zip(order[:, :k], gold_sentences(case), strict=True):
            counts[0] += len(set(near.tolist()) & set(sentence.evidence))
            counts[1] += len(sentence.evidence)
