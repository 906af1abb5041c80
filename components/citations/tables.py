"""Tables of the citation recall page. Pure: no streamlit."""

import csv
import io
from collections.abc import Sequence
from math import isnan

from groundscope.citations.comparing import MEASURES, Correlation, RankAgreement, SystemMean, SystemRow
from groundscope.drawing.html import Html, cell, region, table, tag, with_small
from groundscope.grounding.export import guarded


def systems_html(rows: Sequence[SystemRow]) -> str:
    """One row per system."""
    body = []
    for r in rows:
        recall = r.means["recall"]
        left = tag("small", f"({recall.left_out} without a score)") if recall.left_out else ""
        texts = Html(f"{recall.of + recall.left_out:,} {left}".rstrip())
        above = "–" if r.above_first is None else _mean(r.above_first, signed=True)
        body.append((cell(r.system, dir="auto"), *(_mean(r.means[m]) for m in MEASURES), texts, above))
    heads = (cell("System", class_="gs-left"), "Recall", "Precision", "F1", "Texts", "Recall above the first")
    return _scrolled("Systems", heads, body)


def _mean(mean: SystemMean, *, signed: bool = False) -> str:
    if isnan(mean.value):
        return "–"
    plus = "+" if signed else ""
    ends = "" if isnan(mean.interval.low) else f"{mean.interval.low:{plus}.2f} to {mean.interval.high:{plus}.2f}, "
    return with_small(f"{mean.value:{plus}.2f}", f"{ends}n = {mean.of:,}")


def agreement_html(found: Sequence[RankAgreement], caption: str) -> str:
    """One row per pair of measures."""
    heads = (cell("Measures", class_="gs-left"), "Spearman’s ρ", "Kendall’s τ", "Compared")
    rows = [(f"{a.first} and {a.second}", _correlation(a.spearman), _correlation(a.kendall), f"{a.of:,}") for a in found]
    return _scrolled(caption, heads, rows)


def _correlation(c: Correlation) -> str:
    if isnan(c.value):
        return "unknown"
    return with_small(f"{c.value:.2f}", "" if isnan(c.interval.low) else f"{c.interval.low:.2f} to {c.interval.high:.2f}")


def _scrolled(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return region(caption, table(heads, rows, caption=caption), css="gs-across gs-tables")


def systems_csv(rows: Sequence[SystemRow]) -> bytes:
    """The same as CSV; a missing figure is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    columns = [f"{m}{end}" for m in (*MEASURES, "above first") for end in ("", " low", " high", " texts")]
    writer.writerow(["system", "texts", "without score", *columns])
    for r in rows:
        recall = r.means["recall"]
        means = [r.means[m] for m in MEASURES]
        values = [v for mean in means for v in _values(mean)] + (
            ["", "", "", ""] if r.above_first is None else _values(r.above_first)
        )
        writer.writerow([guarded(r.system), recall.of + recall.left_out, recall.left_out, *values])
    return out.getvalue().encode("utf-8")


def _values(mean: SystemMean) -> list[str]:
    return ["" if isnan(v) else f"{v:.6f}" for v in (mean.value, mean.interval.low, mean.interval.high)] + [str(mean.of)]
