"""Systems compared over a batch, with intervals, and the agreement of B-SIMs with each other and with human ratings."""

from dataclasses import replace
from html import escape

import streamlit as st

from components import shell
from components.citations import bart, controls, measures, messages, state, tables
from components.controls import download, several_of
from components.worker.reading import read_once
from groundscope.citations.batch import Batch
from groundscope.citations.claims import CitingDocument
from groundscope.citations.comparing import agreements, compare
from groundscope.citations.whole_texts import WholeTextScore, beside_ratings, whole_texts, with_bart
from groundscope.files.apart import CITING, apart

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
    found = compare(scores)
    st.html(f"<p class='gs-lead gs-measure' dir='auto'>{escape(messages.systems_lead(scores))}</p>")
    st.html(tables.systems_html(found))
    st.html(
        "<p class='gs-note'>Means over texts, with 95 % intervals below (bootstrap over texts). The last column is the "
        "difference in recall to the first system on the texts that both have. n: number of texts in the mean. A text that "
        "cites nothing has recall and F1 0 but no precision; if the reference cites nothing, there is no score.</p>"
    )
    download("Table as CSV", lambda: tables.systems_csv(found), "systems.csv", "cites_systems_csv")
    shell.section("Do measures agree?")
    _agreement(batch, documents, chosen)


def _agreement(batch: Batch, documents: Documents, chosen: controls.MetricSettings) -> None:
    titles = measures.titles()
    default = [m for m in (measures.ROUGE, measures.COSINE) if m in titles]
    hint = "Choose two, or one if the texts have human ratings"
    picked = several_of(st, "B-SIMs to compare", titles, "cites_agree", default=default, placeholder=hint)
    rated = [e.rating for e in batch.entries]
    with_ratings = sum(r is not None for r in rated) >= 3
    wanted = controls.wanted(list(documents.values()), chosen)
    by_pair: dict[str, list[float]] = {}
    by_text: dict[str, list[float]] = {}
    for measure in picked:
        own = chosen._replace(measure=measure, threshold=measures.threshold_of(measure))
        similarity = measures.similarity(measure, wanted)
        if similarity is None:
            return
        by_pair[titles[measure]] = similarity.of(wanted)
        by_text[titles[measure]] = [controls.score(*documents[e.id, e.system], similarity, own).recall for e in batch.entries]
    if len(by_pair) > 1 and wanted:
        groups = _groups(wanted, batch, documents)
        st.html(tables.agreement_html(agreements(by_pair, groups), "Similarity of claims that cite the same authority"))
    if with_ratings and by_text:
        both = [documents[e.id, e.system] for e in batch.entries]
        whole = _whole(both, chosen)
        if whole and (scored := bart.scores([(g.text, r.text) for g, r in both])):
            whole = with_bart(whole, scored)
        named = {f"{controls.METRICS[chosen.metric]} by {title}": recalls for title, recalls in by_text.items()}
        pairs = beside_ratings(named, whole, rated, [e.id for e in batch.entries])
        st.html(tables.agreement_html(pairs, "Each measure of a text beside its human rating; each B-SIM at its own threshold"))
        st.html(
            "<p class='gs-note'>Citation recall and precision count authorities, whatever they are cited for. ROUGE-L and "
            "BARTScore compare the whole texts; BARTScore’s precision is how likely the generated text is to be written from its "
            "reference, recall the reverse, F their mean.</p>"
        )
    elif not with_ratings:
        st.html("<p class='gs-note'>The texts have no human ratings (column <code>rating</code>).</p>")


def _whole(both: list[tuple[CitingDocument, CitingDocument]], chosen: controls.MetricSettings) -> list[WholeTextScore]:
    """The measures beside recall, kept for the session; none where they were not computed, with why on the page."""
    key = (chosen.reach, chosen.subsections, tuple((g.text, r.text) for g, r in both))
    found = state.whole().get(key) or read_once(("whole", key), lambda: apart(CITING, whole_texts, both)) or []
    if found:
        state.whole()[key] = found
    return found


def _groups(wanted: list[tuple[str, str]], batch: Batch, documents: Documents) -> list[str]:
    """The analysis of each reference claim."""
    of = {c.text: e.id for e in batch.entries for c in documents[e.id, e.system][1].claims}
    return [of.get(reference, "") for _, reference in wanted]
