"""Texts of the training panel: the curve, and what was gained on dev. No streamlit."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from components.charts.training import Evaluations, Losses
from groundscope.text.humanize import plural
from groundscope.training.data import LabelledSplits
from groundscope.training.options import TrainingProgress

_FEW = 1_000
"""Pairs or responses of dev below which the text says how large a chance difference may be: about 1 / sqrt(n), half a 95 %
interval of a share near one half."""
_SAME = 0.0005


def parts_words(splits: LabelledSplits, title: str, split: str = "train") -> str:
    """The number of responses in the split to learn from, in dev, and unused."""
    drawn = "; the set has no splits, so a random tenth of its queries is dev" if splits.drawn else ""
    left = splits.untouched
    alone = f" {plural(left, 'is', 'are')} not used: those in test, and those without a label." if left else ""
    return (
        f"{title}: {len(splits.train):,} responses to learn from ({split}), {len(splits.dev):,} to steer by (dev){drawn}.{alone}"
    )


def points(reports: Sequence[TrainingProgress]) -> tuple[list[tuple[int, float]], list[tuple[int, float, float]]]:
    """Losses and evaluations by step; steps repeated after a pause count once, with their last values."""
    losses: dict[int, float] = {}
    evaluations: dict[int, tuple[float, float]] = {}
    last = 0
    for report in reports:
        if report.step < last:
            losses = {step: v for step, v in losses.items() if step < report.step}
            evaluations = {step: e for step, e in evaluations.items() if step < report.step}
        last = report.step
        if report.loss is not None:
            losses[report.step] = report.loss
        if report.dev_f1 is not None and report.dev_auroc is not None:
            evaluations[report.step] = (report.dev_f1, report.dev_auroc)
    return sorted(losses.items()), [(step, *found) for step, found in sorted(evaluations.items())]


def curve_words(losses: Losses, evaluations: Evaluations) -> str:
    """The figures of the curve in a sentence, also as alt text; empty if there are none."""
    sentences = []
    if losses:
        sentences.append(f"Loss {losses[-1][1]:.3f} at step {losses[-1][0]:,}, {losses[0][1]:.3f} at first")
    if evaluations:
        step, f1, auroc = evaluations[-1]
        best = max(evaluations, key=lambda e: e[1])
        sentences.append(
            f"on dev macro-F1 {f1:.3f} and AUROC {auroc:.3f} at step {step:,}, best macro-F1 {best[1]:.3f} at {best[0]:,}"
        )
    joined = "; ".join(sentences)
    return f"{joined[0].upper()}{joined[1:]}." if joined else ""


def verdict(record: Mapping[str, Any]) -> str:
    """Whether dev improved, in words; empty if the training is unknown."""
    before, after = record.get("dev_before") or {}, record.get("dev_after") or {}
    if "macro_f1" not in before or "macro_f1" not in after:
        return ""
    n = int((record.get("pairs") or {}).get("dev", 0))
    old, now = before["macro_f1"], after["macro_f1"]
    moved = f"rose, from {old:.3f} to" if now - old > _SAME else f"fell, from {old:.3f} to" if old - now > _SAME else "stayed at"
    words = f"On the {n:,} pairs of dev macro-F1 {moved} {now:.3f}."
    responses = record.get("responses")
    beside = (
        [row["macro_f1"] for row in responses.get("beside", ()) if "macro_f1" in row] if isinstance(responses, Mapping) else []
    )
    if len(beside) > 1:
        ours, other = beside[:2]
        than = "better than" if ours - other > _SAME else "worse than" if other - ours > _SAME else "no better than"
        n = min(n, int(record["responses"].get("responses", n)))
        words += f" On whole responses it is {than} cosine, {ours:.3f} against {other:.3f}."
    return words + (f" With so few, a difference below about {1 / math.sqrt(n):.2f} may be chance." if 0 < n < _FEW else "")
