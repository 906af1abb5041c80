"""Write the record that the recommendation of a method stands on: `groundscope/methods/record.json`.

    python -m benchmarks.judges.record [--most N] PATH/contractnli_dev.jsonl.gz PATH/grounding_pairs.jsonl.gz

Every method that runs here offline judges the same rows, drawn by the hash of their ids. Only sets labelled by people decide;
the samples were written with their errors and stand beside them. SummEdits counts with the documents that `models.public`
keeps for tests; from the other sets no method here learned. Left out are CUAD, whose claims the adapter learned, and RAGBench,
labelled by a model.
"""

import argparse
import json
import re
import statistics
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.grounding import json_lines, pair_case
from benchmarks.judges.__main__ import SAMPLES, LabelledRows, by_sentence, chosen_rows, labelled_sets
from benchmarks.machine import describe
from groundscope.methods import Method, registry
from groundscope.methods.recommendation import FILE
from groundscope.runtime.retention import remembering
from groundscope.statistics.chance import auroc_with_interval

_WRITTEN = "written with their errors"
_NAMES = {"ContractNLI": "ContractNLI", "SummEdits": "SummEdits", SAMPLES: "Samples"}
"""Sets of `labelled_sets` that count, by how their names begin."""
_PAIRS = ("WiCE", "ExpertQA", "BEGIN")
"""Sources of the pairs that people labelled and no method here learned from."""


def counted_sets(paths: Sequence[Path], most: int) -> Iterator[LabelledRows]:
    """The sets of the record, those labelled by people first."""
    pairs = [r for path in paths if "grounding_pairs" in path.name for r in json_lines(path)]
    for source in _PAIRS:
        of_source = [r for r in pairs if r["source"].startswith(source)]
        groups = {r["id"]: r["group"] for r in of_source}
        cases = [pair_case({}, r["id"], r["context"], r["claim"], bool(r["grounded"])) for r in of_source]
        rows = chosen_rows(source, cases, most)
        yield rows._replace(groups=tuple(groups[c.id] for c in rows.cases))
    for rows in sorted(labelled_sets(paths, most), key=lambda r: r.name == SAMPLES):
        if name := next((name for start, name in _NAMES.items() if rows.name.startswith(start)), None):
            yield rows._replace(name=name)


def measured(scorers: dict[str, Method], rows: LabelledRows) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """What a set holds, and the figures of every method on it."""
    figures, size = {}, {}
    sentences = rows.name == _NAMES[SAMPLES]
    with remembering():
        judged = {name: [scorer.score(case) for case in rows.cases] for name, scorer in scorers.items()}
    for name, judgements in judged.items():
        if sentences:
            gold, supports, groups = by_sentence(rows, judgements)
        else:
            gold, groups = [int(bool(c.grounded)) for c in rows.cases], list(rows.groups)
            supports = [np.nan if j.support is None else j.support for j in judgements]
        labels, values = np.array(gold), np.array(supports)
        flagged = values < (scorers[name].about.threshold or 0.0)
        estimate = auroc_with_interval(labels, values, groups)
        size = {"rows": len(labels), "wrong": int((labels == 0).sum()), "groups": len(set(groups))}
        figures[name] = {
            "auroc": round(estimate.auroc, 3),
            "low": round(estimate.interval.low, 3),
            "high": round(estimate.interval.high, 3),
            "caught": int((flagged & (labels == 0)).sum()),
            "alarms": int((flagged & (labels == 1)).sum()),
            "unscored": int(np.isnan(values).sum()),
            "seconds": statistics.median(j.seconds for j in judgements),
        }
    by = _WRITTEN if sentences else "people"
    return {"name": rows.name, "of": "sentences" if sentences else "claims", "labelled": by, **size}, figures


def main(args: argparse.Namespace) -> None:
    """Measure, and write the file."""
    paths = [Path(p) for p in args.paths]
    scorers = {m: registry.load(m) for m in registry.ready(m for m in registry.names() if not registry.load(m).asks)}
    for scorer in scorers.values():
        scorer.prepare()
    command = f"python -m benchmarks.judges.record --most {args.most} {' '.join(p.name for p in paths)}"
    sets: list[dict[str, Any]] = []
    methods: dict[str, dict[str, Any]] = {m: {"signature": s.signature, "seconds": [], "sets": {}} for m, s in scorers.items()}
    for rows in counted_sets(paths, args.most):
        held, figures = measured(scorers, rows)
        sets.append(held)
        print(held, flush=True)
        for m, values in figures.items():
            print(f"    {m:24} {values}", flush=True)
            methods[m]["seconds"].append(values.pop("seconds"))
            methods[m]["sets"][rows.name] = values
        # After every set, so that what was measured is not lost.
        rounded = {m: {**r, "seconds": round(statistics.fmean(r["seconds"]), 4)} for m, r in methods.items()}
        when = f"{datetime.now(UTC):%Y-%m-%d}"
        record = {"command": command, "measured": when, "machine": describe(), "sets": sets, "methods": rounded}
        text = json.dumps(record, indent=1, ensure_ascii=False)
        one_line = re.sub(r"\{[^{}]*\}", lambda figures: " ".join(figures[0].split()), text)
        FILE.write_text(f"{one_line}\n", encoding="utf-8")


if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m benchmarks.judges.record")
    words.add_argument("paths", nargs="+")
    words.add_argument("--most", type=int, default=300, help="rows of a set; 0 = all")
    main(words.parse_args())
