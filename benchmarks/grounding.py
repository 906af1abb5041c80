"""Measure methods on everything that the shipped classifier's card reports, each on the same rows in the same run.

    python -m benchmarks.grounding [--methods A,B] [PATH/contractnli_dev.jsonl.gz] [PATH/grounding_pairs.jsonl.gz]

Thresholds are tuned on each set's dev part for macro-F1 and read on its test part; a set without a dev part takes the last
threshold before it. Of `grounding_pairs` only SummEdits counts, of it only documents that `models.public` keeps for tests.
`--failures N` prints of the first method the N responses of each kind that lie furthest on the wrong side.
"""

import argparse
import gzip
import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.alignment import alignment_quality
from benchmarks.machine import describe
from groundscope.cases.dataset import read
from groundscope.methods import Method, registry
from groundscope.statistics.calibration import ece
from groundscope.statistics.curves import best, curve
from groundscope.types import Case, Judgement, Passage
from models.data import SAMPLES
from models.public import part_of

METHODS = "grounding_classifier,overlap,quip,cos_sim:minilm"


@dataclass(frozen=True)
class Rows:
    """A set: the cases to tune on, which may be none, and those to read."""

    name: str
    dev: tuple[Case, ...]
    test: tuple[Case, ...]


def sets(paths: Sequence[Path]) -> Iterator[Rows]:
    """The sets that come with the project, then those of the files."""
    samples = SAMPLES / "legal_qa.jsonl"
    yield _split("sample set", read(samples.name, samples.read_bytes()).cases)
    texts = json_lines(SAMPLES / "legal_nli.jsonl")
    yield _split(
        "legal entailment", [pair_case(r, r["id"], [r["evidence"]], r["statement"], r["label"] == "supported") for r in texts]
    )
    for path in paths:
        if "contractnli" in path.name:
            rows = [pair_case({}, str(r["id"]), r["context"], r["claim"], r["label"] == "Entailment") for r in json_lines(path)]
            yield Rows("ContractNLI dev, entailed against the rest", (), tuple(rows))
        else:
            rows = [
                pair_case({"split": part_of(r["group"])}, r["id"], r["context"], r["claim"], bool(r["grounded"]))
                for r in json_lines(path)
                if r["source"].startswith("SummEdits")
            ]
            yield _split("SummEdits, documents left out", rows)


def _split(name: str, cases: Sequence[Case]) -> Rows:
    return Rows(name, *(tuple(c for c in cases if c.split == part and c.grounded is not None) for part in ("dev", "test")))


def json_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines, packed by gzip where its name says so."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in data.decode("utf-8").splitlines()]


def pair_case(row: dict[str, Any], name: str, context: Sequence[str], claim: str, grounded: bool) -> Case:
    """A claim beside its context as a case without a question; `row` may have the split."""
    passages = tuple(Passage(str(i), text) for i, text in enumerate(context))
    return Case(name, "", passages, claim, grounded=grounded, split=row.get("split"))


def judged(scorer: Method, cases: Sequence[Case]) -> list[tuple[Case, Judgement]]:
    """Every case with its judgement.

    Raises:
        RuntimeError: one has no support; the message is its note.
    """
    judgements = [(case, scorer.score(case)) for case in cases]
    if failed := next((j for _, j in judgements if j.support is None), None):
        raise RuntimeError(failed.note)
    return judgements


def figures(judgements: Sequence[tuple[Case, Judgement]], threshold: float) -> dict[str, float]:
    """AUROC, macro-F1 and recall of ungrounded at a threshold, ECE and Brier, and pairs of sentence and evidence a second."""
    supports = np.array([j.support for _, j in judgements])
    gold = np.array([bool(c.grounded) for c, _ in judgements])
    wrong = supports < threshold
    f1 = [_f1(wrong, ~gold), _f1(~wrong, gold)]
    return {
        "auroc": float(roc_auc_score(gold, supports)),
        "macro_f1": float(np.mean(f1)),
        "recall_ungrounded": float(wrong[~gold].mean()),
        "ece": ece(gold, supports, [c.group or c.id for c, _ in judgements], count=2).value,
        "brier": float(np.mean((supports - gold) ** 2)),
        "pairs_a_second": sum(len(j.sentences) for _, j in judgements) / max(1e-9, sum(j.seconds for _, j in judgements)),
    }


def _f1(flagged: "np.ndarray[Any, np.dtype[np.bool_]]", gold: "np.ndarray[Any, np.dtype[np.bool_]]") -> float:
    bottom = int(flagged.sum() + gold.sum())
    return 2 * int((flagged & gold).sum()) / bottom if bottom else 0.0


def by_type(judgements: Sequence[tuple[Case, Judgement]], threshold: float) -> dict[str, tuple[int, int]]:
    """Of the ungrounded responses with each error type: how many were caught, of how many."""
    counts: dict[str, tuple[int, int]] = {}
    for case, judgement in judgements:
        for kind in {e.type.value for e in case.errors}:
            caught, all_ = counts.get(kind, (0, 0))
            counts[kind] = (caught + int((judgement.support or 0.0) < threshold), all_ + 1)
    return counts


def tuned(judgements: Sequence[tuple[Case, Judgement]]) -> float:
    """The threshold of the best macro-F1."""
    points = curve(
        np.array([j.support for _, j in judgements], dtype=np.float64), np.array([bool(c.grounded) for c, _ in judgements])
    )
    return float(points.thresholds[best(points.macro_f1())])


def measure(scorer: Method, rows: Rows, threshold: float) -> tuple[dict[str, float], list[tuple[Case, Judgement]], float]:
    """One method on one set, with the judgements and the threshold that was used."""
    if rows.dev:
        threshold = tuned(judged(scorer, rows.dev))
    judgements = judged(scorer, rows.test)
    return {**figures(judgements, threshold), "threshold": threshold, "n": len(judgements)}, judgements, threshold


def failures(name: str, judgements: Sequence[tuple[Case, Judgement]], threshold: float, most: int) -> str:
    """The responses furthest on the wrong side, grounded and ungrounded ones: the sentence that decided and its best match."""
    lines = [f"\n### {name}: furthest on the wrong side of {threshold:.3f}"]
    for grounded in (True, False):
        wrong = [(c, j) for c, j in judgements if c.grounded is grounded and ((j.support or 0.0) >= threshold) is not grounded]
        wrong.sort(key=lambda row: row[1].support or 0.0, reverse=not grounded)
        lines.append(f"\n{'Grounded' if grounded else 'Ungrounded'} and judged otherwise: {len(wrong)}")
        lines += [_told(*row) for row in wrong[:most]]
    return "\n".join(lines)


def _told(case: Case, judgement: Judgement) -> str:
    lowest = min(judgement.sentences, key=lambda s: 1.0 if s.support is None else s.support)
    kinds = ", ".join(sorted({e.type.value for e in case.errors}))
    match = next(iter(lowest.matches), None)
    evidence = case.context[match.passage].text[match.start : match.end] if match else ""
    sentence = case.response[lowest.start : lowest.end]
    wrong = "; ".join(case.response[e.start : e.end] for e in case.errors)
    return f"- {case.id} {kinds} {wrong!r} ({judgement.support or 0.0:.3f}): {sentence!r} against {evidence!r}"


def speed(scorer: Method) -> float:
    """Seconds for 8 sentences against 100 context sentences, the second time."""
    cases = read("legal_qa.jsonl", (SAMPLES / "legal_qa.jsonl").read_bytes()).cases
    texts = list(dict.fromkeys(s for c in cases for p in c.context for s in p.text.split(". ") if len(s) > 60))
    case = Case("speed", "", (Passage("p", ". ".join(texts[:100]) + "."),), ". ".join(texts[200:208]) + ".")
    scorer.score(case)
    again = Case("speed2", "", (Passage("p", ". ".join(texts[300:400]) + "."),), ". ".join(texts[500:508]) + ".")
    began = time.perf_counter()
    scorer.score(again)
    return time.perf_counter() - began


def main(args: argparse.Namespace, out: Callable[[str], None] = print) -> None:
    """Print Markdown tables."""
    out(describe())
    names = [m.strip() for m in args.methods.split(",") if m.strip()]
    thresholds = dict.fromkeys(names, 0.5)
    shown: list[str] = []
    for rows in sets([Path(p) for p in args.paths]):
        out(f"\n## {rows.name}: {len(rows.dev):,} to tune on, {len(rows.test):,} to read\n")
        out("| method | AUROC | macro-F1 | threshold | recall of ungrounded | ECE | Brier | sentences/s |")
        out("|---" * 8 + "|")
        types: dict[str, dict[str, tuple[int, int]]] = {}
        aligned = {}
        for name in names:
            metrics, all_, thresholds[name] = measure(registry.load(name), rows, thresholds[name])
            cells = (metrics[k] for k in ("auroc", "macro_f1", "threshold", "recall_ungrounded", "ece", "brier"))
            out(f"| `{name}` | " + " | ".join(f"{c:.3f}" for c in cells) + f" | {metrics['pairs_a_second']:.0f} |")
            if name == names[0] and args.failures:
                shown.append(failures(rows.name, all_, thresholds[name], args.failures))
            if rows.name == "sample set":
                types[name] = by_type(all_, thresholds[name])
                aligned[name] = alignment_quality([(c, j) for c, j in all_ if c.evidence and c.parent is None])
        if types:
            kinds = sorted({k for t in types.values() for k in t})
            out("\n| ungrounded found, by error type | " + " | ".join(kinds) + " |\n|---|" + "---|" * len(kinds))
            for name, counts in types.items():
                out(f"| `{name}` | " + " | ".join(f"{counts[k][0]} of {counts[k][1]}" for k in kinds) + " |")
            out("\n| evidence of grounded answers | recall@1 | recall@3 | MAP |\n|---|---|---|---|")
            for name, q in aligned.items():
                if q:
                    out(f"| `{name}` | {q.recall_at_1:.3f} | {q.recall_at_3:.3f} | {q.mean_average_precision:.3f} |")
    out("\n| 8 sentences against 100 | seconds |\n|---|---|")
    for name in names:
        out(f"| `{name}` | {speed(registry.load(name)):.2f} |")
    for text in shown:
        out(text)


if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m benchmarks.grounding")
    words.add_argument("paths", nargs="*", help="contractnli_dev.jsonl.gz, grounding_pairs.jsonl.gz")
    words.add_argument("--methods", default=METHODS)
    words.add_argument("--failures", type=int, default=0)
    main(words.parse_args())
