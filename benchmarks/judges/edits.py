"""How long an edit of a sentence takes to score again, by each offline method, as on the heatmap.

    python -m benchmarks.judges.edits [--methods A,B]

Answers of the sample set are judged, then judged again after one word of a sentence was changed, twice; the supports of the other
sentences are held in memory, as the heatmap does. The models are loaded before.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from benchmarks.machine import SAMPLES, describe
from groundscope.cases.dataset import read
from groundscope.methods import Method, registry
from groundscope.runtime.retention import remembering, revising
from groundscope.types import Case

_EVERY = 20
"""Of so many answers of the set, one is edited."""
_WORDS = ((" the ", " a "), (" is ", " was "))


def edited(case: Case, old: str, new: str) -> Case:
    """A copy without labels in which a word is another one, or a sentence more where the word is not there."""
    text = case.response.replace(old, new, 1) if old in case.response else f"{case.response} It is so."
    return replace(case, id="edited", response=text, grounded=None, errors=(), evidence=(), unsupported=())


def seconds(methods: Sequence[Method], case: Case, *, again: bool) -> list[float]:
    """Seconds that each method takes for a case."""
    taken = []
    with revising(again), remembering():
        for method in methods:
            began = time.perf_counter()
            method.score(case)
            taken.append(time.perf_counter() - began)
    return taken


def main(names: Sequence[str]) -> None:
    """Print a line a method, and one for all of them, of which the slowest answer counts."""
    print(describe())
    methods = [registry.load(name) for name in names]
    cases = read(SAMPLES.name, SAMPLES.read_bytes()).cases
    for method in methods:
        method.score(cases[0])
    rows = []
    for case in cases[5::_EVERY]:
        first = seconds(methods, case, again=False)
        rows.append((first, *(seconds(methods, edited(case, *words), again=True) for words in _WORDS)))
    print(f"\n| {len(rows)} answers, seconds: median, most | before an edit | first edit | second edit |\n|---|---|---|---|")
    for m, method in enumerate(methods):
        _line(f"`{method.id}`", [[row[k][m] for row in rows] for k in range(3)])
    _line("all together", [[sum(row[k]) for row in rows] for k in range(3)])


def _line(name: str, columns: Sequence[Sequence[float]]) -> None:
    print(f"| {name} | {' | '.join(f'{median(column):.3f}, {max(column):.3f}' for column in columns)} |", flush=True)


if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m benchmarks.judges.edits")
    words.add_argument("--methods", default="")
    args = words.parse_args().methods.split(",")
    main(args if args[0] else [m for m in registry.ready(registry.names()) if not registry.load(m).asks])
