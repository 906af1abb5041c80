"""Measure the thresholds that the methods start with, on labelled sentences of a RAGBench file.

    python -m benchmarks.starting_thresholds PATH/ragbench_expertqa.jsonl.gz

A sentence is unsupported if its key stands among the response's unsupported ones. The threshold is tuned on the
validation split (macro-F1 over sentences) and read on the test split; methods that are not ready are named and left out.
"""

import sys
from pathlib import Path

from groundscope.cases.dataset import read
from groundscope.methods import Method, registry
from groundscope.statistics.decision import tune
from groundscope.types import Case, Status


def labelled_supports(scorer: Method, cases: list[Case]) -> tuple[list[float], list[bool]]:
    """Supports and labels (True = supported) of all sentences that the method can assess."""
    supports, labels = [], []
    for case in cases:
        judgement = scorer.score(case)
        if judgement.status is Status.FAILED:
            raise RuntimeError(judgement.note)
        for s in judgement.sentences:
            if s.support is not None:
                supports.append(s.support)
                labels.append(not any(start < s.end and end > s.start for start, end in case.unsupported))
    return supports, labels


def macro_f1(supports: list[float], labels: list[bool], threshold: float) -> float:
    """Macro-F1 of "supported iff support >= threshold"."""
    scores = []
    for positive in (True, False):
        predicted = [(s >= threshold) is positive for s in supports]
        actual = [label is positive for label in labels]
        hits = sum(p and a for p, a in zip(predicted, actual, strict=True))
        total = sum(predicted) + sum(actual)
        scores.append(2 * hits / total if total else 0.0)
    return sum(scores) / 2


def main(path: str) -> None:
    """Print one line a method."""
    cases = read(Path(path).name, Path(path).read_bytes()).cases
    dev = [c for c in cases if c.split == "dev"]
    test = [c for c in cases if c.split == "test"]
    print(f"{'method':16} {'threshold':>9} {'dev F1':>7} {'test F1':>8} {'dev n':>6} {'test n':>6} {'supported':>9}")
    for name in registry.names():
        about = registry.load(name).about
        try:
            supports, labels = labelled_supports(registry.load(name), dev)
        except RuntimeError as error:
            print(f"{name:16} left out: {error}")
            continue
        best = tune(supports, labels)
        held, truth = labelled_supports(registry.load(name), test)
        share = sum(labels) / len(labels)
        on_test = macro_f1(held, truth, best.value)
        shipped = about.threshold
        shipped_f1 = f", at the shipped {shipped}: {macro_f1(held, truth, shipped):.3f}" if shipped is not None else ""
        figures = f"{best.value:9.3f} {best.macro_f1:7.3f} {on_test:8.3f} {len(labels):6} {len(truth):6} {share:9.2f}"
        print(f"{name:16} {figures}{shipped_f1}")


if __name__ == "__main__":
    main(sys.argv[1])
