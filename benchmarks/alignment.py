"""Measure how well every method's matches find gold evidence.

    python -m benchmarks.alignment [PATH/contractnli_dev.jsonl.gz] [PATH/ragbench_expertqa.jsonl.gz] ...

The sample set comes first, then the files named. Of the sample set only the grounded responses count: a variant repeats
its parent's sentences.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.machine import SAMPLES
from groundscope.cases.dataset import read
from groundscope.grounding.alignment_quality import AlignmentQuality, alignment_quality
from groundscope.methods import Method, registry
from groundscope.types import Case, Status


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
