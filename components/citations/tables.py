"""Tables of the citation recall page. Pure: no streamlit."""

import csv
import io
from collections.abc import Sequence
from html import escape
from math import isnan

from evaluation.citations.comparing import MEASURES, Agreement, Correlation, Mean, SystemRow
from evaluation.export import guarded


def systems_html(rows: Sequence[SystemRow]) -> str:
    """A row a system."""
    heads = ("Recall", "Precision", "F1", "Texts", "Recall above the first")
    head = "<th scope='col' class='gs-left'>System</th>" + "".join(f"<th scope='col'>{h}</th>" for h in heads)
    body = ""
    for r in rows:
        cells = "".join(_mean(r.means[m]) for m in MEASURES)
        recall = r.means["recall"]
        left = f" <small>({recall.left_out} without a score)</small>" if recall.left_out else ""
        above = "<td>–</td>" if r.above_first is None else _mean(r.above_first, signed=True)
        texts = f"<td>{recall.of + recall.left_out:,}{left}</td>"
        body += f"<tr><th scope='row' dir='auto'>{escape(r.system)}</th>{cells}{texts}{above}</tr>"
    return _table("Systems", head, body)


def _mean(mean: Mean, *, signed: bool = False) -> str:
    if isnan(mean.value):
        return "<td>–</td>"
    plus = "+" if signed else ""
    ends = "" if isnan(mean.interval.low) else f"{mean.interval.low:{plus}.2f} to {mean.interval.high:{plus}.2f}, "
    return f"<td>{mean.value:{plus}.2f}<br><small>{ends}n = {mean.of:,}</small></td>"


def agreement_html(found: Sequence[Agreement], caption: str) -> str:
    """A row a pair of measures."""
    head = "<th scope='col' class='gs-left'>Measures</th>" + "".join(
        f"<th scope='col'>{h}</th>" for h in ("Spearman’s ρ", "Kendall’s τ", "Compared")
    )
    body = "".join(
        f"<tr><th scope='row'>{escape(a.first)} and {escape(a.second)}</th>{_correlation(a.spearman)}{_correlation(a.kendall)}"
        f"<td>{a.of:,}</td></tr>"
        for a in found
    )
    return _table(caption, head, body)


def _correlation(c: Correlation) -> str:
    if isnan(c.value):
        return "<td>cannot be told</td>"
    ends = "" if isnan(c.interval.low) else f"<br><small>{c.interval.low:.2f} to {c.interval.high:.2f}</small>"
    return f"<td>{c.value:.2f}{ends}</td>"


def _table(caption: str, head: str, body: str) -> str:
    return (
        f"<div class='gs-across gs-tables' tabindex='0' role='region' aria-label='{escape(caption)}'><table class='gs-counts'>"
        f"<caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def systems_csv(rows: Sequence[SystemRow]) -> bytes:
    """The same as CSV; a figure that is not there is an empty cell."""
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


def _values(mean: Mean) -> list[str]:
    return ["" if isnan(v) else f"{v:.6f}" for v in (mean.value, mean.interval.low, mean.interval.high)] + [str(mean.of)]
