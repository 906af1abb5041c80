"""One generated analysis beside its reference: both texts, the authorities, and the score."""

from html import escape

import streamlit as st

from components import shell
from components.citations import controls, exporting, messages, outcomes, sources, texts
from components.controls import download
from groundscope.citations.batch import Batch


def show(batch: Batch) -> None:
    """The whole tab."""
    entry = sources.entry(batch)
    chosen = controls.settings()
    documents = controls.read_all([entry], chosen)
    if not documents or documents[0] is None:
        return
    generated, reference = documents[0]
    for note in (*messages.notes(reference, "reference"), *messages.notes(generated, "generated")):
        shell.notice("info", note)
    similarity = controls.similarity([(generated, reference)], chosen)
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
    made = exporting.Made(entry.id, entry.system, chosen.metric, similarity.signature, chosen.threshold, chosen.options)
    with st.container(horizontal=True):
        download("Table as CSV", lambda: exporting.as_csv(found), "citations.csv", "cites_csv")
        download("Table as JSON", lambda: exporting.as_json(found, score, made), "citations.json", "cites_json")
