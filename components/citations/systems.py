"""Systems compared over a batch, with intervals, and the agreement of B-SIMs with each other and with human ratings."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from math import isnan

import pandas as pd
import streamlit as st

from components import shell, state
from components.citations import controls, measures, messages
from components.controls import download, several_of
from components.worker.reading import read_once
from groundscope.citations.batch import Batch
from groundscope.citations.claims import CitingDocument
from groundscope.citations.comparing import MEASURES, Correlation, RankAgreement, SystemMean, SystemRow, agreements, compare
from groundscope.citations.whole_texts import WholeTextScore, beside_ratings, whole_texts
from groundscope.drawing.html import Html, cell, region, table, tag, with_small
from groundscope.files.sandbox import CITING, sandboxed
from groundscope.grounding.tables import frame_csv

Documents = dict[tuple[str, str], tuple[CitingDocument, CitingDocument]]
"""The generated and the reference text by id and system."""


def show(batch: Batch) -> None:
    """The whole tab."""
    chosen = controls.settings()
    read = controls.read_all(batch.entries, chosen)
    if not any(read):
        return
    documents = {(e.id, e.system): both for e, both in zip(batch.entries, read, strict=True) if both is not None}
    batch = replace(batch, entries=tuple(e for e in batch.entries if (e.id, e.system) in documents))
    similarity = controls.similarity(list(documents.values()), chosen)
    if similarity is None:
        return
    scores = {
        system: {e.id: controls.score(*documents[e.id, system], similarity, chosen) for e in batch.entries if e.system == system}
        for system in batch.systems
    }
    compared = compare(scores)
    st.html(f"<p class='gs-lead gs-measure' dir='auto'>{escape(messages.systems_lead(scores))}</p>")
    st.html(systems_html(compared))
    st.html(
        "<p class='gs-note'>Means over texts, with 95 % intervals below (bootstrap over texts). The last column is the "
        "difference in recall to the first system on the texts that both have. n: number of texts in the mean. A text that "
        "cites nothing has recall and F1 0 but no precision; if the reference cites nothing, there is no score.</p>"
    )
    download("Table as CSV", lambda: systems_csv(compared), "systems.csv", "cites_systems_csv")
    shell.section("Do measures agree?")
    _agreement(batch, documents, chosen)


def _agreement(batch: Batch, documents: Documents, chosen: controls.MetricSettings) -> None:
    titles = measures.titles()
    default = [m for m in (measures.ROUGE, measures.COSINE) if m in titles]
    hint = "Choose two, or one if the texts have human ratings"
    picked = several_of(st, "B-SIMs to compare", titles, "cites_agree", default=default, placeholder=hint)
    rated = [e.rating for e in batch.entries]
    with_ratings = sum(r is not None for r in rated) >= 3
    claims = controls.compared_claims(list(documents.values()), chosen)
    by_pair: dict[str, list[float]] = {}
    by_text: dict[str, list[float]] = {}
    for measure in picked:
        settings = chosen._replace(measure=measure, threshold=measures.threshold_of(measure))
        similarity = measures.similarity(measure, claims)
        if similarity is None:
            return
        by_pair[titles[measure]] = similarity.of(claims)
        by_text[titles[measure]] = [
            controls.score(*documents[e.id, e.system], similarity, settings).recall for e in batch.entries
        ]
    if len(by_pair) > 1 and claims:
        groups = _groups(claims, batch, documents)
        st.html(agreement_html(agreements(by_pair, groups), "Similarity of claims that cite the same authority"))
    if with_ratings and by_text:
        both = [documents[e.id, e.system] for e in batch.entries]
        named = {f"{controls.METRICS[chosen.metric]} by {title}": recalls for title, recalls in by_text.items()}
        pairs = beside_ratings(named, _whole(both, chosen), rated, [e.id for e in batch.entries])
        st.html(agreement_html(pairs, "Each measure of a text beside its human rating; each B-SIM at its own threshold"))
        st.html(
            "<p class='gs-note'>Citation recall and precision count authorities, whatever they are cited for. ROUGE-L "
            "compares the whole texts; <code>python -m groundscope citations</code> also gives BARTScore.</p>"
        )
    elif not with_ratings:
        st.html("<p class='gs-note'>The texts have no human ratings (column <code>rating</code>).</p>")


def _whole(both: list[tuple[CitingDocument, CitingDocument]], chosen: controls.MetricSettings) -> list[WholeTextScore]:
    """The measures beside recall, kept for the session; none where they were not computed, with why on the page."""
    key = (chosen.reach, chosen.subsections, tuple((g.text, r.text) for g, r in both))
    cache: dict[object, list[WholeTextScore]] = state.last_few(state.own("cites_whole", {}))
    scores = cache.get(key) or read_once(("whole", key), lambda: sandboxed(CITING, whole_texts, both)) or []
    if scores:
        cache[key] = scores
    return scores


def _groups(claims: list[tuple[str, str]], batch: Batch, documents: Documents) -> list[str]:
    """The analysis of each reference claim."""
    of = {c.text: e.id for e in batch.entries for c in documents[e.id, e.system][1].claims}
    return [of.get(reference, "") for _, reference in claims]


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


def agreement_html(correlations: Sequence[RankAgreement], caption: str) -> str:
    """One row per pair of measures."""
    heads = (cell("Measures", class_="gs-left"), "Spearman’s ρ", "Kendall’s τ", "Compared")
    rows = [(f"{a.first} and {a.second}", _correlation(a.spearman), _correlation(a.kendall), f"{a.of:,}") for a in correlations]
    return _scrolled(caption, heads, rows)


def _correlation(c: Correlation) -> str:
    if isnan(c.value):
        return "unknown"
    return with_small(f"{c.value:.2f}", "" if isnan(c.interval.low) else f"{c.interval.low:.2f} to {c.interval.high:.2f}")


def _scrolled(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return region(caption, table(heads, rows, caption=caption), css="gs-across gs-tables")


def systems_csv(rows: Sequence[SystemRow]) -> bytes:
    """The same as CSV; a missing figure is an empty cell."""
    lines = []
    for r in rows:
        recall = r.means["recall"]
        line: dict[str, object] = {"system": r.system, "texts": recall.of + recall.left_out, "without score": recall.left_out}
        for name, mean in (*((m, r.means[m]) for m in MEASURES), ("above first", r.above_first)):
            ends = (mean.value, mean.interval.low, mean.interval.high) if mean else (None, None, None)
            line |= dict(zip((name, f"{name} low", f"{name} high"), ends, strict=True)) | {f"{name} texts": mean and mean.of}
        lines.append(line)
    return frame_csv(pd.DataFrame(lines, dtype=object))
