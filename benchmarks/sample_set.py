"""Print the figures of the sample set's data card: its checks, and how hard it is for methods that look at words only.

    python -m benchmarks.sample_set [PATH/set.jsonl]

A method's threshold is tuned for whole responses on dev (macro-F1) and read on test, for two ways to join sentences.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import numpy as np

from benchmarks.machine import SAMPLES
from groundscope.cases.dataset import read
from groundscope.cases.validation import validate
from groundscope.methods import Method, registry
from groundscope.statistics.curves import best, curve
from groundscope.statistics.decision import SentenceRule, aggregate
from groundscope.statistics.metrics import called, confusion, scores
from groundscope.types import Case
from scorers.cos_sim import MINILM, CosSim

METHODS = ("overlap", "cos_sim:minilm", "quip")


def sentence_supports(scorer: Method, cases: Sequence[Case]) -> list[tuple[Case, list[float | None]]]:
    """Every labelled dev and test case with the supports of its sentences."""
    labelled = [c for c in cases if c.split in {"dev", "test"} and c.grounded is not None]
    return [(c, [s.support for s in scorer.score(c).sentences]) for c in labelled]


def hardness(judged: Sequence[tuple[Case, list[float | None]]], rule: SentenceRule) -> tuple[float, float, float]:
    """Threshold tuned on dev, macro-F1 on dev, macro-F1 on test."""
    supports: dict[str, list[float]] = {"dev": [], "test": []}
    labels: dict[str, list[bool]] = {"dev": [], "test": []}
    for case, sentences in judged:
        support = aggregate(sentences, rule)
        if support is not None:
            supports[str(case.split)].append(support)
            labels[str(case.split)].append(bool(case.grounded))
    candidates = curve(np.array(supports["dev"]), np.array(labels["dev"]))
    at = best(on_dev := candidates.macro_f1())
    threshold = float(candidates.thresholds[at])
    test = scores(confusion(labels["test"], called(np.array(supports["test"]), threshold)))
    return threshold, float(on_dev[at]), test.macro_f1


def main(path: Path) -> None:
    """Print one line a check, then one a method and rule."""
    cases = read(path.name, path.read_bytes()).cases
    for check in validate(cases, CosSim(weights=MINILM).embed):
        print(f"{check.outcome.upper():15} {check.title}: {check.figure}", flush=True)
        for case, finding in check.findings[:20]:
            print(f"    {case}: {finding}")
    print(f"{'method':16} {'sentences joined by':20} {'threshold':>9} {'dev F1':>7} {'test F1':>8}")
    for name in METHODS:
        judged = sentence_supports(registry.load(name), cases)
        for rule in get_args(SentenceRule):
            value, dev, test = hardness(judged, rule)
            print(f"{name:16} {rule:20} {value:9.3f} {dev:7.3f} {test:8.3f}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES)
