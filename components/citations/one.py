"""One generated analysis beside its reference: both texts, the authorities, and the score."""

from html import escape

import streamlit as st

from components import shell
from components.citations import controls, exporting, measures, messages, outcomes, sources, texts
from groundscope.citations.batch import AnalysisEntry, Batch
from groundscope.citations.fresco import FrescoScore
from groundscope.citations.similarity import Similarity


def show(batch: Batch) -> None:
    """The whole tab."""
    entry = sources.entry(batch)
    chosen = controls.settings()
    generated = controls.read(entry.generated, chosen.reach, chosen.subsections)
    reference = controls.read(entry.reference, chosen.reach, chosen.subsections)
    for note in (*messages.notes(reference, "reference"), *messages.notes(generated, "generated")):
        shell.notice("info", note)
    if large := controls.too_large([(generated, reference)], chosen):
        shell.notice("info", large)
        return
    similarity = measures.similarity(chosen.measure, controls.wanted([(generated, reference)], chosen))
    if similarity is None:
        return
    score = controls.score(generated, reference, similarity, chosen)
    st.html(
        f"<p class='gs-lead gs-measure'>{escape(messages.lead(outcomes.states(generated, reference, score)[1]))}</p>"
        f"<p class='gs-note'>{escape(messages.figures(score, controls.METRICS[chosen.metric], similarity, chosen.threshold))}</p>"
    )
    st.html(f"{texts.side_by_side(generated, reference, score)}<p class='gs-note'>{escape(messages.MARKS)}</p>")
    found = outcomes.rows(generated, reference, score)
    if found:
        st.html(texts.rows_html(found))
    _downloads(found, score, entry, similarity, chosen)


def _downloads(
    found: list[outcomes.AuthorityRow],
    score: FrescoScore,
    entry: AnalysisEntry,
    similarity: Similarity,
    chosen: controls.MetricSettings,
) -> None:
    made = exporting.Made(entry.id, entry.system, chosen.metric, similarity.signature, chosen.threshold, chosen.options)
    with st.container(horizontal=True):
        st.download_button(
            "Table as CSV", lambda: exporting.as_csv(found), "citations.csv", "text/csv", key="cites_csv", on_click="ignore"
        )
        st.download_button(
            "Table as JSON",
            lambda: exporting.as_json(found, score, made),
            "citations.json",
            "application/json",
            key="cites_json",
            on_click="ignore",
        )
