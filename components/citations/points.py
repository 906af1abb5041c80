"""Generalised FRESCO on the page: key points against elaborations, for texts without legal citations."""

from html import escape

import streamlit as st

from components import shell
from components.citations import measures, messages, sources, texts
from components.controls import select_one
from components.worker.reading import read_once
from groundscope.citations.batch import Batch
from groundscope.citations.points import Points, general_fresco, key_points
from groundscope.files.apart import apart
from groundscope.runtime.kept import keep

_MOST = 200
"""Most points of a text that are compared."""
_QUICK = 1_000_000
"""Bytes of a text whose points are found in 0.2 s; those of a longer one are found beside the server."""


def show(batch: Batch) -> None:
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
    both = read_once(("points", entry.generated, entry.reference), lambda: _read(entry.generated, entry.reference))
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
    collecting = measures.Wanted(says, {})
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
def _read(generated: str, reference: str) -> tuple[Points, Points]:
    return apart(_QUICK, key_points, generated), apart(_QUICK, key_points, reference)
