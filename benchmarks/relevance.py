"""How far likeness of query and response shows that a response answers another query.

    python -m benchmarks.relevance [PATH/set.jsonl ...]     prints a line a set and kind of other query
    python -m benchmarks.relevance --write                  also writes what the app says of a low likeness

Each response stands beside its own query and beside another one: one drawn at random, and the one most like its own. AUROC:
how often the own query is the more alike. What is low comes from the train and dev splits of the samples, its record from test.
No set here has labels of responses that stay with the subject and leave the question open, so this says nothing of those.
"""

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.machine import SAMPLES
from groundscope.cases.dataset import read
from groundscope.cases.relevance import RECORD, LowLikeness, assessable, by_likeness
from groundscope.models import embedders
from groundscope.statistics.chance import auroc_with_interval
from groundscope.types import Case, Matrix

_ALARMS = 0.05


def embed(texts: list[str]) -> Matrix:
    """Embed as the app does."""
    return embedders.embedder("minilm").passages(texts, lambda *_: None)


def beside_others(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """The same responses with other queries: of each one at random, and the one most like its own."""
    queries = list(dict.fromkeys(c.query for c in cases))
    at = {query: i for i, query in enumerate(queries)}
    vectors = embed(queries)
    alike = vectors @ vectors.T
    np.fill_diagonal(alike, -1.0)
    rng = np.random.default_rng(0)
    drawn = [(at[c.query] + int(rng.integers(1, len(queries)))) % len(queries) for c in cases]
    nearest = [int(alike[at[c.query]].argmax()) for c in cases]
    chosen = {"drawn at random": drawn, "the most alike": nearest}
    return {name: [replace(c, query=queries[i]) for c, i in zip(cases, places, strict=True)] for name, places in chosen.items()}


def _values(cases: Sequence[Case]) -> NDArray[np.float64]:
    return np.array([r.value for r in by_likeness(cases, embed)])


def measured() -> LowLikeness:
    """What is low: the value with two decimals under which at most 5 % of train and dev lie, and its record on test."""
    cases = [c for c in read(SAMPLES.name, SAMPLES.read_bytes()).cases if assessable(c)]
    below = math.floor(100 * float(np.quantile(_values([c for c in cases if c.split != "test"]), _ALARMS))) / 100
    test = [c for c in cases if c.split == "test"]
    counts = [int((_values(some) < below).sum()) for some in (test, *beside_others(test).values())]
    return LowLikeness(below, len(test), *counts)


def main(paths: Sequence[Path]) -> None:
    """Print what is low with its record, then one line a set and kind of other query."""
    low = measured()
    print(low)
    for path in paths:
        cases = [c for c in read(path.name, path.read_bytes()).cases if assessable(c)]
        own, groups = _values(cases), [c.group or c.query for c in cases]
        for name, others in beside_others(cases).items():
            other = _values(others)
            area, ends = auroc_with_interval(np.repeat([1, 0], len(cases)), np.concatenate([own, other]), groups * 2)
            print(
                f"{path.name:32} {len(cases):5,} responses, other query {name:16} AUROC {area:.3f} ({ends.low:.3f} to "
                f"{ends.high:.3f}); below {low.below:.2f}: {(own < low.below).mean():.1%} with their own query, "
                f"{(other < low.below).mean():.1%} with the other"
            )


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        RECORD.write_text(json.dumps(measured()._asdict(), indent=1) + "\n", encoding="utf-8")
    else:
        main([Path(p) for p in sys.argv[1:]] or [SAMPLES])
