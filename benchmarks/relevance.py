"""How far likeness of query and response shows that a response answers another query.

    python -m benchmarks.relevance [PATH/set.jsonl ...]

Each response stands beside its own query and beside another one: one drawn at random, and the one most like its own. AUROC:
how often the own query is the more alike. No set here has labels of responses that stay with the subject and leave the
question open, so this says nothing of those.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.machine import SAMPLES
from groundscope.cases.dataset import read
from groundscope.cases.relevance import assessable, by_likeness
from groundscope.methods import registry
from groundscope.statistics.chance import auroc_with_interval
from groundscope.text.embedding import Embedder
from groundscope.types import Case


def beside_others(cases: Sequence[Case], embedder: Embedder) -> dict[str, list[Case]]:
    """The same responses with other queries: of each one at random, and the one most like its own."""
    queries = list(dict.fromkeys(c.query for c in cases))
    at = {query: i for i, query in enumerate(queries)}
    vectors = embedder.questions(queries, lambda *_: None)
    alike = vectors @ vectors.T
    np.fill_diagonal(alike, -1.0)
    rng = np.random.default_rng(0)
    drawn = [(at[c.query] + int(rng.integers(1, len(queries)))) % len(queries) for c in cases]
    nearest = [int(alike[at[c.query]].argmax()) for c in cases]
    chosen = {"drawn at random": drawn, "the most alike": nearest}
    return {name: [replace(c, query=queries[i]) for c, i in zip(cases, places, strict=True)] for name, places in chosen.items()}


def main(paths: Sequence[Path]) -> None:
    """Print one line a set and kind of other query."""
    embedder = registry.embedder("minilm")
    for path in paths:
        cases = [c for c in read(path.name, path.read_bytes()).cases if assessable(c)]
        own = [r.value for r in by_likeness(cases, embedder)]
        groups = [c.group or c.query for c in cases]
        for name, others in beside_others(cases, embedder).items():
            values = np.array(own + [r.value for r in by_likeness(others, embedder)])
            labels = np.repeat([1, 0], len(cases))
            area, ends = auroc_with_interval(labels, values, groups * 2)
            low = np.quantile(values[: len(cases)], 0.05)
            share = float((values[len(cases) :] < low).mean())
            print(
                f"{path.name:32} {len(cases):5,} responses, other query {name:16} AUROC {area:.3f} "
                f"({ends.low:.3f} to {ends.high:.3f}); below {low:.2f}: 5 % with their own query, {share:.0%} with the other"
            )


if __name__ == "__main__":
    main([Path(p) for p in sys.argv[1:]] or [SAMPLES])
