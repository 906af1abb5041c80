"""Every judge that can run here, on the same labelled rows: AUROC with its interval by group, seconds, memory; and by error type.

    python -m benchmarks.judges [--methods A,B] [--most N] [PATH/contractnli_dev.jsonl.gz] [PATH/grounding_pairs.jsonl.gz] ...

All methods judge a row one after another, and share its vectors. What each costs is measured in a process of its own, on a few
rows of each set that share nothing. Intervals are 95 %, by the bootstrap over queries or documents. Of the sample set the test
part counts, of SummEdits the documents that `models.public` keeps for tests. `--most` takes so many rows of each set, drawn by
the hash of their ids. What cannot run here is named, with what it lacks.
"""

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.grounding import sets
from benchmarks.machine import describe
from groundscope.cases.dataset import read
from groundscope.cases.gold import sentence_labels
from groundscope.methods import registry
from groundscope.runtime.retention import remembering
from groundscope.statistics.chance import auroc_with_interval
from groundscope.types import Case, Judgement

SAMPLES = "sample set"
_ARGUMENT = "--one"
_TIMED = 24
"""Rows of a set whose seconds count."""


class LabelledRows(NamedTuple):
    """A set, with the group of each row: the query or document that keeps its rows together."""

    name: str
    cases: tuple[Case, ...]
    groups: tuple[str, ...]


def labelled_sets(paths: Sequence[Path], most: int) -> Iterator[LabelledRows]:
    """The sets of `benchmarks.grounding`, and whole answers of RAGBench files."""
    answers = [p for p in paths if "expertqa" in p.name]
    for rows in sets([p for p in paths if p not in answers]):
        yield chosen_rows(rows.name, rows.test, most)
    for path in answers:
        yield chosen_rows(
            "RAGBench ExpertQA", [c for c in read(path.name, path.read_bytes()).cases if c.grounded is not None], most
        )


def chosen_rows(name: str, cases: Sequence[Case], most: int) -> LabelledRows:
    """So many rows, drawn by the hash of their ids; 0 = all."""
    drawn = sorted(cases, key=lambda c: hashlib.sha256(c.id.encode()).hexdigest())[: most or None]
    drawn.sort(key=_document)
    return LabelledRows(name, tuple(drawn), tuple(c.group or _document(c) for c in drawn))


def _document(case: Case) -> str:
    """Rows about the same texts belong together."""
    return hashlib.sha256("".join(sorted(p.text for p in case.context)).encode()).hexdigest()[:16]


def judged(methods: Sequence[str], paths: Sequence[Path], most: int) -> Iterator[tuple[LabelledRows, dict[str, list[Judgement]]]]:
    """Every set with the judgements of all methods on its rows, in order."""
    scorers = {m: registry.load(m) for m in methods}
    for scorer in scorers.values():
        scorer.prepare()
    for rows in labelled_sets(paths, most):
        judgements: dict[str, list[Judgement]] = {m: [] for m in methods}
        with remembering():
            for case in rows.cases:
                for m, scorer in scorers.items():
                    judgements[m].append(scorer.score(case))
        yield rows, judgements


def cost(method: str, paths: Sequence[Path], most: int) -> dict[str, float]:
    """Seconds a row on each set, and the memory of this process at most, in MB."""
    scorer = registry.load(method)
    scorer.prepare()
    seconds = {}
    for rows in labelled_sets(paths, most):
        drawn = rows.cases[:: max(1, len(rows.cases) // _TIMED)]
        began = time.perf_counter()
        for case in drawn:
            scorer.score(case)
        seconds[rows.name] = (time.perf_counter() - began) / max(1, len(drawn))
    return {**seconds, "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def _answers(rows: LabelledRows, judged: Sequence[Judgement]) -> dict[str, Any]:
    supports = [np.nan if j.support is None else j.support for j in judged]
    return _figures([int(bool(c.grounded)) for c in rows.cases], supports, rows.groups)


def by_sentence(rows: LabelledRows, judged: Sequence[Judgement]) -> tuple[list[int], list[float], list[str]]:
    """Label, support and group of every labelled sentence."""
    gold, supports, groups = [], [], []
    for case, judgement, group in zip(rows.cases, judged, rows.groups, strict=True):
        labels = sentence_labels(case)
        if labels is None or len(labels) != len(judgement.sentences):
            continue
        for label, sentence in zip(labels, judgement.sentences, strict=True):
            gold.append(int(label))
            supports.append(np.nan if sentence.support is None else sentence.support)
            groups.append(group)
    return gold, supports, groups


def _sentences(rows: LabelledRows, judged: Sequence[Judgement]) -> dict[str, Any]:
    gold, supports, groups = by_sentence(rows, judged)
    return {"rows": len(gold), **_figures(gold, supports, groups)}


def _figures(gold: Sequence[int], supports: Sequence[float], groups: Sequence[str]) -> dict[str, Any]:
    estimate = auroc_with_interval(gold, supports, groups)
    unscored = int(np.isnan(np.array(supports)).sum())
    return {"auroc": estimate.auroc, "low": estimate.interval.low, "high": estimate.interval.high, "unscored": unscored}


def _by_type(rows: LabelledRows, judged: Sequence[Judgement]) -> dict[str, list[float]]:
    """AUROC of the sentences with errors of a type against the sound ones, and how many there are."""
    sound, wrong = [], {}  # type: ignore[var-annotated]
    for case, judgement in zip(rows.cases, judged, strict=True):
        labels = sentence_labels(case)
        for i, sentence in enumerate(judgement.sentences):
            if sentence.support is None or labels is None:
                continue
            types = {e.type.value for e in case.errors if e.start < sentence.end and e.end > sentence.start}
            if labels[i]:
                sound.append(sentence.support)
            for kind in types:
                wrong.setdefault(kind, []).append(sentence.support)
    by_type = {}
    for kind, supports in sorted(wrong.items()):
        below = np.array(supports)[:, None] < np.array(sound)
        same = np.array(supports)[:, None] == np.array(sound)
        by_type[kind] = [float(below.mean() + same.mean() / 2), len(supports)]
    return by_type


def measured(method: str, paths: Sequence[str], most: int) -> dict[str, float]:
    """`cost` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.judges", _ARGUMENT, method, "--most", str(most), *paths]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - this module itself
    figures: dict[str, float] = json.loads(out.splitlines()[-1])
    return figures


def table(rows: LabelledRows, figures: Mapping[str, Mapping[str, Any]], seconds: Mapping[str, float], count: int) -> None:
    """Print the methods on one set, the best first."""
    print(f"\n### {rows.name}: {count:,} rows\n")
    print("| method | AUROC | 95 % interval | s a row | not scored |\n|---|---|---|---|---|")
    for m, r in sorted(figures.items(), key=lambda item: -item[1]["auroc"]):
        took = f"{seconds[m]:.2f}" if m in seconds else ""
        print(f"| `{m}` | {r['auroc']:.3f} | {r['low']:.3f} to {r['high']:.3f} | {took} | {r['unscored']} |", flush=True)


def main(args: argparse.Namespace) -> None:
    """Print Markdown tables."""
    print(describe())
    names = [m for m in (args.methods.split(",") if args.methods else registry.names()) if not registry.load(m).asks]
    ready, paths = registry.ready(names), [Path(p) for p in args.paths]
    costs = {m: measured(m, args.paths, args.most) for m in ready}
    for rows, judgements in judged(ready, paths, args.most):
        seconds = {m: costs[m][rows.name] for m in ready}
        table(rows, {m: _answers(rows, js) for m, js in judgements.items()}, seconds, len(rows.cases))
        if rows.name == SAMPLES:
            by = {m: _sentences(rows, js) for m, js in judgements.items()}
            table(rows._replace(name=f"{SAMPLES}, sentences"), by, {}, by[ready[0]]["rows"])
            kinds = {m: _by_type(rows, js) for m, js in judgements.items()}
            heads = sorted({k for types in kinds.values() for k in types})
            print(f"\n| AUROC by error type, sentences of the sample set | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
            for m, types in kinds.items():
                cells = (f"{types[k][0]:.2f} ({types[k][1]})" if k in types else "" for k in heads)
                print(f"| `{m}` | {' | '.join(cells)} |")
    print("\n| method | memory at most, MB |\n|---|---|")
    for m in ready:
        print(f"| `{m}` | {costs[m]['megabytes']:,.0f} |")
    for m in names:
        if m not in ready:
            print(f"\n`{m}` did not run: {registry.load(m).unavailable()}")


if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m benchmarks.judges")
    words.add_argument("paths", nargs="*")
    words.add_argument("--methods", default="")
    words.add_argument("--most", type=int, default=0)
    words.add_argument(_ARGUMENT, dest="one", default="")
    args = words.parse_args()
    if args.one:
        print(json.dumps(cost(args.one, [Path(p) for p in args.paths], args.most)))
    else:
        main(args)
