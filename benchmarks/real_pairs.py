"""Real pairs of sentences to run cross-encoders on, and runs that take turns."""

import random
import statistics
import time
from collections.abc import Callable

from benchmarks.machine import SAMPLES
from groundscope.cases.dataset import read
from groundscope.text.sentences import context_sentences, split
from scorers._pairs.encoders import TextPair

ROUNDS = 3


def real_pairs(count: int) -> list[TextPair]:
    """Response sentences of the sample set beside context sentences of their own case, drawn at random; all different."""
    rng = random.Random(0)  # noqa: S311 - a draw of texts, not secrets
    distinct: dict[TextPair, None] = {}
    for case in read(SAMPLES.name, SAMPLES.read_bytes()).cases:
        units = context_sentences(case.context)
        for s in split(case.response):
            for u in rng.sample(units, min(3, len(units))):
                distinct[TextPair(case.response[s.start : s.end], case.context[u.passage].text[u.start : u.end])] = None
    pairs = list(distinct)
    rng.shuffle(pairs)
    return pairs[:count]


def interleaved(runs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Median seconds of each, taken in turns after a round that is not counted, so that a drifting machine favours none."""
    taken: dict[str, list[float]] = {name: [] for name in runs}
    for round_ in range(ROUNDS + 1):
        for name, run in runs.items():
            started = time.perf_counter()
            run()
            if round_:
                taken[name].append(time.perf_counter() - started)
    return {name: statistics.median(seconds) for name, seconds in taken.items()}
