"""Every judge that can run here, on the same labelled rows: AUROC with its interval by group, seconds, memory; and by error type.

    python -m benchmarks.judges [--methods A,B] [--most N] [PATH/contractnli_dev.jsonl.gz] [PATH/grounding_pairs.jsonl.gz] ...

Each method runs in a process of its own, so that its memory is its own. Intervals are 95 %, by the bootstrap over queries or
documents. Of the sample set the test part counts, of SummEdits the documents that `models.parts` keeps for tests. `--most` takes
so many rows of each set, drawn by the hash of their ids. What cannot run here is named, with what it lacks.
"""

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.grounding import sets
from benchmarks.machine import describe
from groundscope.cases.dataset import read
from groundscope.cases.gold import sentence_labels
from groundscope.methods import registry
from groundscope.statistics.chance import auroc_with_interval
from groundscope.types import Case, Judgement

SAMPLES = "sample set"
_ARGUMENT = "--one"


class LabelledRows(NamedTuple):
    """A set, with the group of each row: the query or document that keeps its rows together."""

    name: str
    cases: tuple[Case, ...]
    groups: tuple[str, ...]


def labelled_sets(paths: Sequence[Path], most: int) -> Iterator[LabelledRows]:
    """The sets of `benchmarks.grounding`, and whole answers of RAGBench files."""
    answers = [p for p in paths if "expertqa" in p.name]
    for rows in sets([p for p in paths if p not in answers]):
        yield _some(rows.name, rows.test, most)
    for path in answers:
        yield _some("RAGBench ExpertQA", [c for c in read(path.name, path.read_bytes()).cases if c.grounded is not None], most)


def _some(name: str, cases: Sequence[Case], most: int) -> LabelledRows:
    drawn = sorted(cases, key=lambda c: hashlib.sha256(c.id.encode()).hexdigest())[: most or None]
    return LabelledRows(name, tuple(drawn), tuple(c.group or _document(c) for c in drawn))


def _document(case: Case) -> str:
    """Rows about the same texts belong together."""
    return hashlib.sha256("".join(sorted(p.text for p in case.context)).encode()).hexdigest()[:16]


def one(method: str, paths: Sequence[Path], most: int) -> Iterator[dict[str, Any]]:
    """Figures of one method on every set, and its memory."""
    scorer = registry.load(method)
    scorer.prepare()
    for rows in labelled_sets(paths, most):
        began = time.perf_counter()
        judged = [scorer.score(case) for case in rows.cases]
        seconds = time.perf_counter() - began
        yield {"set": rows.name, "rows": len(rows.cases), "seconds": seconds / max(1, len(rows.cases)), **_answers(rows, judged)}
        if rows.name == SAMPLES:
            yield {"set": f"{SAMPLES}, sentences", **_sentences(rows, judged)}
            yield {"types": _by_type(rows, judged)}
    yield {"megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def _answers(rows: LabelledRows, judged: Sequence[Judgement]) -> dict[str, Any]:
    supports = [np.nan if j.support is None else j.support for j in judged]
    return _figures([int(bool(c.grounded)) for c in rows.cases], supports, rows.groups)


def _sentences(rows: LabelledRows, judged: Sequence[Judgement]) -> dict[str, Any]:
    gold, supports, groups = [], [], []
    for case, judgement, group in zip(rows.cases, judged, rows.groups, strict=True):
        labels = sentence_labels(case)
        if labels is None or len(labels) != len(judgement.sentences):
            continue
        for label, sentence in zip(labels, judgement.sentences, strict=True):
            gold.append(int(label))
            supports.append(np.nan if sentence.support is None else sentence.support)
            groups.append(group)
    return {"rows": len(gold), **_figures(gold, supports, groups)}


def _figures(gold: Sequence[int], supports: Sequence[float], groups: Sequence[str]) -> dict[str, Any]:
    found = auroc_with_interval(gold, supports, groups)
    unscored = int(np.isnan(np.array(supports)).sum())
    return {"auroc": found.auroc, "low": found.interval.low, "high": found.interval.high, "unscored": unscored}


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
    found = {}
    for kind, supports in sorted(wrong.items()):
        below = np.array(supports)[:, None] < np.array(sound)
        same = np.array(supports)[:, None] == np.array(sound)
        found[kind] = [float(below.mean() + same.mean() / 2), len(supports)]
    return found


def measured(method: str, paths: Sequence[str], most: int) -> list[dict[str, Any]]:
    """`one` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.judges", _ARGUMENT, method, "--most", str(most), *paths]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603 - this module itself
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def main(given: argparse.Namespace) -> None:
    """Print Markdown tables."""
    print(describe())
    names = [m for m in (given.methods.split(",") if given.methods else registry.names()) if not registry.load(m).asks]
    found = {m: measured(m, given.paths, given.most) for m in registry.ready(names)}
    for name in dict.fromkeys(r["set"] for rows in found.values() for r in rows if "set" in r):
        some = {m: next(r for r in rows if r.get("set") == name) for m, rows in found.items()}
        print(f"\n### {name}: {next(iter(some.values()))['rows']:,} rows\n")
        print("| method | AUROC | 95 % interval | s a row | not scored |\n|---|---|---|---|---|")
        for m, r in sorted(some.items(), key=lambda item: -item[1]["auroc"]):
            seconds = f"{r['seconds']:.2f}" if "seconds" in r else ""
            print(f"| `{m}` | {r['auroc']:.3f} | {r['low']:.3f} to {r['high']:.3f} | {seconds} | {r['unscored']} |")
    kinds = {m: next((r["types"] for r in rows if "types" in r), {}) for m, rows in found.items()}
    heads = sorted({k for types in kinds.values() for k in types})
    print(f"\n| AUROC by error type, sentences of the sample set | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
    for m, types in kinds.items():
        print(f"| `{m}` | " + " | ".join(f"{types[k][0]:.2f} ({types[k][1]})" if k in types else "" for k in heads) + " |")
    print("\n| method | memory at most, MB |\n|---|---|")
    for m, rows in found.items():
        print(f"| `{m}` | {rows[-1]['megabytes']:,.0f} |")
    for m in names:
        if m not in found:
            print(f"\n`{m}` did not run: {registry.load(m).unavailable()}")


if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m benchmarks.judges")
    words.add_argument("paths", nargs="*")
    words.add_argument("--methods", default="")
    words.add_argument("--most", type=int, default=0)
    words.add_argument(_ARGUMENT, dest="one", default="")
    given = words.parse_args()
    if given.one:
        for row in one(given.one, [Path(p) for p in given.paths], given.most):
            print(json.dumps(row))
    else:
        main(given)
