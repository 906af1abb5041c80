"""The citation recall page: two analyses beside each other, systems over a batch, key points, and what is loaded."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from math import isnan
from typing import NamedTuple

import pandas as pd
import streamlit as st

from components import shell
from components.citations import controls, measures, messages, outcomes, sources, systems, texts
from components.citations.outcomes import WORDS, AuthorityRow
from components.controls import download, select_one, tabs
from components.worker.reading import read_once
from groundscope.citations.batch import Batch
from groundscope.citations.fresco import FrescoScore
from groundscope.citations.points import Points, general_fresco, key_points
from groundscope.files.sandbox import sandboxed
from groundscope.grounding.tables import frame_csv
from groundscope.runtime.byte_cache import keep

_MOST = 200
"""Most points of a text that are compared."""
_QUICK = 1_000_000
"""Bytes of a text whose points are found in 0.2 s; those of a longer one are found beside the server."""
COLUMNS = ("number", "result", "authority", "reference_claim", "generated_claim", "similarity")


class CitationSettings(NamedTuple):
    """The texts and settings of a score: scores with equal settings can be compared."""

    id: str
    system: str
    metric: str
    similarity: str
    threshold: float
    options: Mapping[str, object]


def as_csv(rows: Sequence[AuthorityRow]) -> bytes:
    """One row per authority; a missing or unknown similarity is an empty cell."""
    alike = ["" if r.alike is None or isnan(r.alike) else f"{r.alike:.4f}" for r in rows]
    cells = [(str(r.number), WORDS[r.state], r.authority, r.reference, r.generated, a) for r, a in zip(rows, alike, strict=True)]
    return frame_csv(pd.DataFrame(cells, columns=COLUMNS))


def as_json(rows: Sequence[AuthorityRow], score: FrescoScore, settings: CitationSettings) -> str:
    """The same with the figures, the number of reference claims left out, and the settings."""
    document = {
        **settings._asdict(),
        **score.figures(),
        "authorities": [
            dict(zip(COLUMNS, (r.number, WORDS[r.state], r.authority, r.reference, r.generated, _none(r.alike)), strict=True))
            for r in rows
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)


def _none(value: float | None) -> float | None:
    return None if value is None or isnan(value) else value


def _one(batch: Batch) -> None:
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
        f"<details class='gs-note'><summary>Figures</summary>"
        f"{escape(messages.figures(score, controls.METRICS[chosen.metric], similarity, chosen.threshold))}</details>"
    )
    st.html(f"{texts.side_by_side(generated, reference, score)}<p class='gs-note'>{escape(messages.MARKS)}</p>")
    authorities = outcomes.rows(generated, reference, score)
    if authorities:
        st.html(texts.rows_html(authorities))
    settings = CitationSettings(entry.id, entry.system, chosen.metric, similarity.signature, chosen.threshold, chosen.options)
    with st.container(horizontal=True):
        download("Table as CSV", lambda: as_csv(authorities), "citations.csv", "cites_csv")
        download("Table as JSON", lambda: as_json(authorities, score, settings), "citations.json", "cites_json")


def _points(batch: Batch) -> None:
    """The whole tab."""
    st.html(
        "<p class='gs-note gs-measure'>Each paragraph or list item is a point. Its heading, bold lead or first sentence is "
        "its topic; the rest is its content. Points are matched by topic (C-SIM); then their contents are "
        "compared (B-SIM).</p>"
    )
    entry = sources.entry(sources.for_points(batch), "points")
    titles = measures.titles()
    left, right = st.columns(2)
    about = select_one(left, "Match topics by (C-SIM)", titles, "cites_about")
    says = select_one(right, "Compare contents by (B-SIM)", titles, "cites_says")
    floor = left.slider("No match below (floor)", 0.0, 1.0, 0.3, 0.05, key=f"cites_points_floor_{about}", persist_state="session")
    start = round(measures.threshold_of(says), 2)
    threshold = right.slider(
        "Contents match from", 0.0, 1.0, start, 0.01, key=f"cites_points_from_{says}", persist_state="session"
    )
    both = read_once(("points", entry.generated, entry.reference), lambda: _read_points(entry.generated, entry.reference))
    if both is None:
        return
    generated, reference = both
    if max(len(generated.points), len(reference.points)) > _MOST:
        shell.notice(
            "info",
            f"One of the texts has more than {_MOST} points. For larger texts run "
            "`python -m groundscope citations FILE --metric points`.",
        )
        return
    keys = [(generated.key(i), reference.key(j)) for i in range(len(generated.points)) for j in range(len(reference.points))]
    c_sim = measures.similarity(about, keys)
    if c_sim is None:
        return
    collecting = measures.PairCollector()
    general_fresco(generated, reference, c_sim, collecting, threshold, floor)
    b_sim = measures.similarity(says, list(collecting.missing))
    if b_sim is None:
        return
    score = general_fresco(generated, reference, c_sim, b_sim, threshold, floor)
    lead = messages.points_lead(score)
    st.html(
        f"<p class='gs-lead gs-measure'>{escape(lead)}</p>"
        f"<p class='gs-note'>{escape(messages.figures(score, 'Generalised FRESCO', b_sim, threshold))}</p>"
    )
    st.html(texts.points_html(generated, reference, score))


@keep(megabytes=16)
def _read_points(generated: str, reference: str) -> tuple[Points, Points]:
    return sandboxed(_QUICK, key_points, generated), sandboxed(_QUICK, key_points, reference)


def show() -> None:
    """The whole page."""
    batch = sources.choose()
    sources.notes(batch)
    # Before the tabs: what is finished is taken over for all of them.
    for panel in (measures.COMPARISONS, controls.SPLITTINGS):
        panel.show()
    parts = {"Citations": _one, "Systems": systems.show, "Key points": _points}
    tabs({title: partial(draw, batch) for title, draw in parts.items()} | {"Load texts": sources.load}, "cites_page")
