"""One generated analysis beside its reference: both texts, the authorities, and the score."""

import csv
import io
import json
from html import escape

import streamlit as st

from components import shell
from components.citations import controls, measures, outcomes, sources, texts, words
from evaluation.citations.batch import Batch
from evaluation.export import guarded


def show(batch: Batch) -> None:
    """The whole tab."""
    entry = sources.entry(batch)
    chosen = controls.settings()
    generated = controls.read(entry.generated, chosen.reach, chosen.subsections)
    reference = controls.read(entry.reference, chosen.reach, chosen.subsections)
    for note in (*words.notes(reference, "reference"), *words.notes(generated, "generated")):
        shell.notice("info", note)
    if large := controls.too_large([(generated, reference)], chosen):
        shell.notice("info", large)
        return
    similarity = measures.similarity(chosen.measure, controls.wanted([(generated, reference)], chosen))
    if similarity is None:
        return
    score = controls.score(generated, reference, similarity, chosen)
    st.html(
        f"<p class='gs-lead gs-measure'>{escape(words.lead(outcomes.states(generated, reference, score)[1]))}</p>"
        f"<p class='gs-note'>{escape(words.figures(score, controls.METRICS[chosen.metric], similarity, chosen.threshold))}</p>"
    )
    st.html(f"{texts.side_by_side(generated, reference, score)}<p class='gs-note'>{escape(words.MARKS)}</p>")
    found = outcomes.rows(generated, reference, score)
    if found:
        st.html(texts.rows_html(found))
    _downloads(found, score, entry.id, entry.system)


def _downloads(found: list[outcomes.Row], score: object, id_: str, system: str) -> None:
    def as_csv() -> bytes:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\r\n")
        writer.writerow(("number", "result", "authority", "reference_claim", "generated_claim", "similarity"))
        for r in found:
            alike = "" if r.alike is None else f"{r.alike:.4f}"
            cells = (str(r.number), outcomes.WORDS[r.state], r.authority, r.reference, r.generated, alike)
            writer.writerow([guarded(c) for c in cells])
        return out.getvalue().encode("utf-8")

    def as_json() -> str:
        rows = [
            {
                "number": r.number,
                "result": outcomes.WORDS[r.state],
                "authority": r.authority,
                "reference_claim": r.reference,
                "generated_claim": r.generated,
                "similarity": r.alike if r.alike == r.alike else None,
            }
            for r in found
        ]
        figures = {n: v if (v := getattr(score, n)) == v else None for n in ("recall", "precision", "f1")}
        return json.dumps({"id": id_, "system": system, **figures, "authorities": rows}, ensure_ascii=False, indent=1)

    with st.container(horizontal=True):
        st.download_button("Table as CSV", as_csv, "citations.csv", "text/csv", key="cites_csv", on_click="ignore")
        st.download_button("Table as JSON", as_json, "citations.json", "application/json", key="cites_json", on_click="ignore")
