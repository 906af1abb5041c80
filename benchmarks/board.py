"""The board: how good every method is that runs here offline, on labelled sets that nothing learned from.

    python -m benchmarks.board [PATH/contractnli_dev.jsonl.gz PATH/grounding_pairs.jsonl.gz PATH/ragbench_expertqa.jsonl.gz]
        [PATH/cases.jsonl ...] [--most N] [--methods A,B] [--write]

Prints of each set: AUROC by answer (by the method's own support, and by the mean of its sentences) and by sentence, with 95 %
intervals by query or document; precision and recall of its flags at the starting threshold, and at the one with 5 % false alarms
on that set; then the ranks, and the error types of the samples. `benchmarks.labelled_sets` says how it is held that nothing
learned from a set. A starting threshold is the median, over the sets that decide, of the one at which 5 % of the sound answers
are flagged, in hundredths; 0.01 where a method gives 0 to more of them.

`--write` writes `groundscope/methods/board.json`, which the app recommends, shows and starts by, and the tables in README.md and
benchmarks/README.md; other case files are printed and not written. Methods that did not run keep their rows while the sets are
the same. A method made of others, such as a cascade, has their starting thresholds in its signature: with `--write` it is
measured by a second command, which reads them from the file; without, by those of the file as it is.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median, median_low
from typing import Any

import numpy as np

from benchmarks.labelled_sets import LabelledRows, labelled_sets
from benchmarks.machine import describe
from groundscope.cases.gold import sentence_labels
from groundscope.methods import Method, registry
from groundscope.methods.board import ALARMS, FILE, Board, BoardSet, from_data
from groundscope.paths import ROOT
from groundscope.runtime.retention import remembering
from groundscope.statistics.chance import auroc_with_interval
from groundscope.text.sentences import context_sentences
from groundscope.types import Judgement

SAMPLES = "Samples"
_STEP = 0.01
"""Starting thresholds are whole steps of a slider, which track records count."""
_BLOCK = re.compile(r"(?<=<!-- board -->\n).*?(?=<!-- /board -->)", re.DOTALL)
_LIST, _DICT = re.compile(r"\[[^][{}]*\]"), re.compile(r"\{[^{}]*\}")

Row = dict[str, Any]


def described(rows: LabelledRows) -> Row:
    """A set as the board states it."""
    wrong = sum(not c.grounded for c in rows.cases)
    length = median(len(context_sentences(c.context)) for c in rows.cases)
    ids = hashlib.sha256("\n".join(sorted(c.id for c in rows.cases)).encode()).hexdigest()[:12]
    facts = {"name": rows.name, "labelled": rows.labelled, "held": rows.held, "decides": rows.decides, "length": length}
    return {**facts, "rows": len(rows.cases), "wrong": wrong, "groups": len(set(rows.groups)), "ids": ids}


def measured(method: Method, sets: Sequence[LabelledRows]) -> tuple[Row, dict[str, list[Judgement]]]:
    """A method's row on the board, and its judgements by set."""
    method.prepare()
    judged: dict[str, list[Judgement]] = {}
    for rows in sets:
        with remembering():
            judged[rows.name] = [method.score(case) for case in rows.cases]
        print(f"{method.id}: {rows.name}, {len(rows.cases)} answers", file=sys.stderr, flush=True)
    deciding = [rows for rows in sets if rows.decides] or list(sets)
    threshold, alarms = starting_threshold([sound_supports(rows, judged[rows.name]) for rows in deciding])
    sentences = [s.support for rows in deciding for j in judged[rows.name] for s in j.sentences if s.support is not None]
    by_set = {rows.name: figures(rows, judged[rows.name], threshold) for rows in sets}
    row = {
        "title": method.about.title,
        "signature": method.signature,
        "threshold": threshold,
        "alarms": alarms,
        "seconds": round(median(f["seconds"] for f in by_set.values()), 4),
        "shares": np.quantile(sentences, np.linspace(0, 1, 101), method="lower").round(3).tolist() if sentences else [],
        "sets": by_set,
    }
    return row, judged


def sound_supports(rows: LabelledRows, judged: Sequence[Judgement]) -> list[float]:
    """Supports of the sound answers; one that cannot be assessed is not flagged."""
    return [1.0 if j.support is None else j.support for c, j in zip(rows.cases, judged, strict=True) if c.grounded]


def flagging(sound: Sequence[float]) -> float:
    """The highest threshold at which at most 5 % of sound answers are flagged: have a lower support."""
    return sorted(sound)[int(ALARMS * len(sound))] if sound else 0.0


def starting_threshold(sound: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The median over sets of the thresholds with 5 % false alarms.

    Args:
        sound: by set, the supports of its sound answers, 0..1.

    Returns:
        A threshold in hundredths, 0.01 at least, and the share of the sound answers below it on the median set.
    """
    threshold = max(_STEP, int(median_low(map(flagging, sound)) / _STEP + 1e-9) * _STEP)
    shares = [float(np.mean(np.array(supports) < threshold)) for supports in sound]
    return round(threshold, 2), round(median_low(shares), 3)


def figures(rows: LabelledRows, judged: Sequence[Judgement], threshold: float) -> Row:
    """What a method is worth on a set: AUROC with the ends of its interval, and flags as [wrong, sound] answers below."""
    gold = np.array([bool(c.grounded) for c in rows.cases])
    supports = np.array([np.nan if j.support is None else j.support for j in judged])
    means = [fmean(some) if (some := [s.support for s in j.sentences if s.support is not None]) else np.nan for j in judged]
    strict = flagging(sound_supports(rows, judged))
    labels, by_sentence, groups = sentences_of(rows, judged)
    at: dict[str, list[int]] = {
        name: [int((supports < t)[~gold].sum()), int((supports < t)[gold].sum())]
        for name, t in (("flags", threshold), ("strict", strict))
    }
    return {
        "answers": ranking(gold, supports, rows.groups),
        "mean": ranking(gold, means, rows.groups),
        **({"sentences": [*ranking(labels, by_sentence, groups), len(labels)]} if labels else {}),
        **at,
        "strict_threshold": round(strict, 4),
        "unscored": int(np.isnan(supports).sum()),
        "seconds": round(median([j.seconds for j in judged if not j.cached] or [np.nan]), 4),
    }


def ranking(gold: Sequence[bool] | Any, supports: Sequence[float] | Any, groups: Sequence[str]) -> list[float | None]:
    """AUROC and the ends of its interval; None where there is none."""
    estimate = auroc_with_interval(np.array(gold, dtype=int), supports, groups)
    values = (estimate.auroc, estimate.interval.low, estimate.interval.high)
    return [None if np.isnan(v) else round(float(v), 3) for v in values]


def sentences_of(rows: LabelledRows, judged: Sequence[Judgement]) -> tuple[list[bool], list[float], list[str]]:
    """Label, support and group of every labelled sentence, where answers have labelled sentences at all."""
    labels, supports, groups = [], [], []
    for case, judgement, group in zip(rows.cases, judged, rows.groups, strict=True):
        gold = sentence_labels(case)
        if gold is None or len(gold) != len(judgement.sentences):
            continue
        labels += gold
        supports += [np.nan if s.support is None else s.support for s in judgement.sentences]
        groups += [group] * len(gold)
    return (labels, supports, groups) if not all(labels) else ([], [], [])


def by_type(rows: LabelledRows, judged: Sequence[Judgement]) -> dict[str, tuple[float, int]]:
    """AUROC of the sentences with errors of a type against the sound ones, and how many there are."""
    sound: list[float] = []
    wrong: dict[str, list[float]] = {}
    for case, judgement in zip(rows.cases, judged, strict=True):
        for label, s in zip(sentence_labels(case) or (), judgement.sentences, strict=False):
            if s.support is None:
                continue
            if label:
                sound.append(s.support)
            for kind in {e.type.value for e in case.errors if e.start < s.end and e.end > s.start}:
                wrong.setdefault(kind, []).append(s.support)
    against = np.array(sound)
    above = {k: [(against > x).mean() + (against == x).mean() / 2 for x in supports] for k, supports in sorted(wrong.items())}
    return {kind: (float(np.mean(shares)), len(shares)) for kind, shares in above.items()}


def set_table(s: Row, methods: Mapping[str, Row]) -> Iterator[str]:
    """A set in Markdown: a row a method, the best first."""
    yield f"\n### {s['name']}: {s['rows']} answers, {s['wrong']} wrong, labelled by {s['labelled']}\n"
    yield f"Held: {s['held']}.\n"
    yield "| method | AUROC | mean of sentences | by sentence | flags: precision, recall, share | at 5 % false alarms | seconds |"
    yield "|---" * 7 + "|"
    shown = {m: r["sets"][s["name"]] for m, r in methods.items() if s["name"] in r["sets"]}
    for m, f in sorted(shown.items(), key=lambda item: -(item[1]["answers"][0] or 0)):
        threshold = methods[m]["threshold"]
        ends = [interval(f[name]) if name in f else "" for name in ("answers", "mean", "sentences")]
        flags, strict = flag_words(f["flags"], s, threshold), flag_words(f["strict"], s, f["strict_threshold"])
        yield f"| `{m}` | {' | '.join(ends)} | {flags} | {strict} | {f['seconds']:.3f} |"


def interval(figures: Sequence[float | None]) -> str:
    """An AUROC with its interval."""
    auroc, low, high = (float("nan") if f is None else f for f in figures[:3])
    return f"{auroc:.3f} ({low:.3f} to {high:.3f})"


def flag_words(flags: Sequence[int], s: Row, threshold: float) -> str:
    """Precision, recall and share of what is flagged below a threshold."""
    right, false = flags
    precision = f"{right / (right + false):.2f}" if right + false else "–"
    return f"{precision}, {right / max(1, s['wrong']):.2f}, {(right + false) / max(1, s['rows']):.2f} below {threshold:g}"


def ranks(on: Board) -> str:
    """The table for readers: AUROC by answer on every set, worst, mean and ranks over those that decide, seconds, threshold."""
    order = sorted(on.methods, key=lambda m: on.methods[m].worth, reverse=True)
    means = sorted(on.methods, key=lambda m: -on.methods[m].mean)
    heads = ["AUROC by answer", "wrong", *(f"`{m}`" for m in order)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for s in on.sets:
        cells = (interval({**on.methods[m].deciding, **on.methods[m].others}[s.name]) for m in order)
        lines.append(f"| {s.name}{_star(s)} | {s.wrong} of {s.rows} | {' | '.join(cells)} |")
    for head, cell in (
        ("worst*", lambda m: f"{on.methods[m].deciding[on.methods[m].worst].auroc:.3f}"),
        ("mean*", lambda m: f"{on.methods[m].mean:.3f}"),
        ("rank by worst, by mean", lambda m: f"{order.index(m) + 1}, {means.index(m) + 1}"),
        ("seconds an answer", lambda m: f"{on.methods[m].seconds:.3f}"),
        ("starting threshold", lambda m: f"{on.methods[m].threshold:g}"),
        ("false alarms with it, median set*", lambda m: f"{100 * on.methods[m].alarms:.0f} %"),
        ("wrong answers flagged with it, median set*", lambda m: f"{100 * on.methods[m].errors_flagged:.0f} %"),
    ):
        lines.append(f"| {head} | | {' | '.join(map(cell, order))} |")
    labels = "; ".join(f"{s.name} by {s.labelled}" for s in on.sets if not s.decides)
    by_words = {words: ", ".join(s.name for s in on.sets if s.held == words) for words in dict.fromkeys(s.held for s in on.sets)}
    held = "; ".join(f"{names}: {words}" for words, names in by_words.items())
    foot = f"\\* Sets that decide, labelled by people. Labels of others: {labels}. How nothing learned from these rows: {held}."
    return "\n".join([*lines, "", foot, ""])


def _star(s: BoardSet) -> str:
    return "*" if s.decides else ""


def lead(on: Board) -> str:
    """The recommended method in one line, for the first page: the best of those that run unasked, as everywhere."""
    best = max((m for m in on.methods if not registry.find(m).on_request), key=lambda m: on.methods[m].worth)
    row = on.methods[best]
    return f"`{best}` is recommended. {row.why} Mean AUROC there {row.mean:.2f}; {row.seconds:.2g} s an answer.\n"


PAGES = {ROOT / "README.md": lead, ROOT / "benchmarks" / "README.md": ranks}
"""What `--write` puts between the marks of a page."""


def write(sets: Sequence[Row], methods: Mapping[str, Row], command: str) -> None:
    """Write the file, with the rows of other methods on the same sets, and the pages."""
    before = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {"sets": [], "methods": {}}
    same = [(s["name"], s["ids"]) for s in before["sets"]] == [(s["name"], s["ids"]) for s in sets]
    rows = {**(before["methods"] if same else {}), **methods}
    when = f"{datetime.now(UTC):%Y-%m-%d}"
    data = {"command": command, "measured": when, "machine": describe(), "sets": sets, "methods": dict(sorted(rows.items()))}
    text = json.dumps(data, indent=1, ensure_ascii=False)
    for innermost in (_LIST, _DICT):
        text = innermost.sub(lambda part: " ".join(part[0].split()), text)
    FILE.write_text(f"{text}\n", encoding="utf-8")
    for page, words in PAGES.items():
        shown = words(from_data(data))
        page.write_text(_BLOCK.sub(lambda _: shown, page.read_text(encoding="utf-8")), encoding="utf-8")  # noqa: B023


def main(args: argparse.Namespace) -> None:
    """Measure, print, and write."""
    print(describe())
    names = args.methods.split(",") if args.methods else [m for m in registry.names() if not registry.load(m).asks]
    ready = registry.ready(names)
    for name in names:
        if name not in ready:
            print(f"`{name}` does not run here: {registry.load(name).unavailable()}")
    if args.write and not args.paths:
        raise SystemExit("Name the files of labelled cases that the board is made of; benchmarks/README.md has them.")
    combined = [m for m in ready if registry.load(m).methods and len(ready) > 1 and args.write]
    sets = list(labelled_sets([Path(p) for p in args.paths], args.most))
    on_board, methods = [described(rows) for rows in sets], {}
    shipped = [s for s, rows in zip(on_board, sets, strict=True) if rows.ships]
    command = f"python -m benchmarks.board --most {args.most} {' '.join(Path(p).name for p in args.paths)}"
    kinds: dict[str, dict[str, tuple[float, int]]] = {}
    for name in ready:
        if name in combined:
            continue
        methods[name], judged = measured(registry.load(name), sets)
        kinds[name] = by_type(next(rows for rows in sets if rows.name == SAMPLES), judged[SAMPLES])
        if args.write:
            by_set = {s["name"]: methods[name]["sets"][s["name"]] for s in shipped}
            write(shipped, {name: {**methods[name], "sets": by_set}}, command)
    for s in on_board:
        print(*set_table(s, methods), sep="\n")
    if any(s["decides"] for s in on_board):
        print("", ranks(from_data({"sets": on_board, "methods": methods, "measured": "", "command": ""})), sep="\n")
    print("", *type_table(kinds), sep="\n")
    if combined:
        again = [sys.executable, "-m", "benchmarks.board", *args.paths, "--most", str(args.most), "--write", "--methods"]
        for name in combined:
            subprocess.run([*again, name], check=True)  # noqa: S603 - this module itself


def type_table(kinds: Mapping[str, Mapping[str, tuple[float, int]]]) -> Iterator[str]:
    """What each method is worth by error type."""
    heads = sorted({k for types in kinds.values() for k in types})
    yield f"| AUROC by error type, sentences of the samples | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}"
    for m, types in kinds.items():
        cells = (f"{types[k][0]:.2f} ({types[k][1]})" if k in types else "" for k in heads)
        yield f"| `{m}` | {' | '.join(cells)} |"


if __name__ == "__main__":
    words = argparse.ArgumentParser("python -m benchmarks.board")
    words.add_argument("paths", nargs="*", help="files of labelled cases, beside the samples")
    words.add_argument("--methods", default="", help="ids, with commas; none = all that run here offline")
    words.add_argument("--most", type=int, default=300, help="rows of a set; 0 = all")
    words.add_argument("--write", action="store_true", help="write the board that comes with the app")
    main(words.parse_args())
