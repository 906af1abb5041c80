"""Which kinds of legal edits each offline method notices, on the sample set and on sets of others, and how long that takes.

    python -m benchmarks.judges.sensitivity [--methods A,B] [--most N] [PATH/ragbench_expertqa.jsonl.gz] ... [--sets NAME ...]

Each set's pairs are judged by `python -m groundscope sensitivity`, a run like any user's; the seconds are those of the whole
command. Thresholds are those that methods start with.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from math import isnan
from pathlib import Path
from typing import NamedTuple

from benchmarks.labelled_sets import labelled_sets, pair_cases
from benchmarks.machine import SAMPLES, describe
from groundscope.cases.dataset import read, to_jsonl
from groundscope.grounding.runs import listing
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.sensitivity.matrix import BoundedShare, Matrix, measured, title
from groundscope.grounding.tuning import starting_rules, verdicts
from groundscope.types import Case

METHODS = "overlap,quip,cos_sim:minilm,grounding_classifier"
_DATA = "GROUNDSCOPE_DATA"


class JudgedPairs(NamedTuple):
    """A run over the pairs of a set, with its matrix and the seconds that the command took."""

    run: RunData
    matrix: Matrix
    seconds: float


def judged(name: str, cases: Sequence[Case], methods: str, most: int) -> JudgedPairs:
    """Make the pairs of a set and judge them as a user would."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.jsonl"
        file.write_text(to_jsonl(cases), encoding="utf-8")
        command = [sys.executable, "-m", "groundscope", "sensitivity", "--cases", str(file), "--methods", methods]
        began = time.perf_counter()
        subprocess.run(  # noqa: S603 - the project's own command
            [*command, "--most", str(most), "--yes", "--quiet"],
            check=True,
            env={**os.environ, _DATA: folder},
            stdout=subprocess.DEVNULL,
        )
        seconds = time.perf_counter() - began
        before = os.environ.get(_DATA)
        os.environ[_DATA] = folder
        try:
            (entry,) = [e for e in listing.entries()[0] if not e.comes_with_app]
            run = listing.read(entry)
            matrix = measured(run, verdicts(run, starting_rules(run)))
        finally:
            os.environ.pop(_DATA) if before is None else os.environ.update({_DATA: before})
    if matrix is None:
        raise SystemExit(f"The command made no pairs of {name}.")
    return JudgedPairs(run, matrix, seconds)


def lines(name: str, judged_pairs: JudgedPairs) -> Iterator[str]:
    """A Markdown table: a line an edit, a column a method."""
    run, matrix = judged_pairs.run, judged_pairs.matrix
    titles = {m.id: m.title for m in run.methods}
    pairs = sum(len(some) for line, some in matrix.pairs.items() if title(line).startswith("All "))
    yield f"\n### {name}: {pairs:,} pairs, {len(run.ids):,} judged texts, {judged_pairs.seconds:,.0f} s\n"
    yield f"| edit | pairs | {' | '.join(titles[m] for m in matrix.methods)} |"
    yield f"|{'---|' * (len(matrix.methods) + 2)}"
    for line in matrix.lines:
        cells = [matrix.cells[line, m] for m in matrix.methods]
        yield f"| {title(line)} | {len(matrix.pairs[line]):,} | {' | '.join(_share(c.noticed) for c in cells)} |"
    apart = (_share(matrix.apart[m]) if m in matrix.apart else "" for m in matrix.methods)
    yield f"| edits less changes of form | | {' | '.join(apart)} |"
    flags = [matrix.cells[matrix.lines[0], m] for m in matrix.methods]
    both = (f"{_percent(c.flagged)} / {_percent(c.false_alarms)}" for c in flags)
    yield f"| of all edits flagged / of their sentences | | {' | '.join(both)} |"


def _share(share: BoundedShare) -> str:
    low, high = share.interval.low, share.interval.high
    return _percent(share) if isnan(low) else f"{_percent(share)} ({100 * low:.0f} to {100 * high:.0f})"


def _percent(share: BoundedShare) -> str:
    return "–" if isnan(share.value) else f"{share.value:.0%}"


def main(args: argparse.Namespace) -> None:
    """Print the tables as they come."""
    print(describe())
    sets = [("sample set", read(SAMPLES.name, SAMPLES.read_bytes()).cases)]
    paths = [Path(p) for p in args.paths]
    mixed = [p for p in paths if "grounding_pairs" in p.name]
    sets += [(rows.name, rows.cases) for rows in labelled_sets([p for p in paths if p not in mixed]) if rows.name != "Samples"]
    sets += [("grounding_pairs, all sources", tuple(case for _, case in pair_cases(p))) for p in mixed]
    sets = [(name, cases) for name, cases in sets if not args.sets or name in args.sets]
    for name, cases in sets:
        for line in lines(name, judged(name, cases, args.methods, args.most)):
            print(line, flush=True)


if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m benchmarks.judges.sensitivity")
    words.add_argument("paths", nargs="*")
    words.add_argument("--methods", default=METHODS)
    words.add_argument("--most", type=int, default=2_000)
    words.add_argument("--sets", nargs="*", default=())
    main(words.parse_args())
