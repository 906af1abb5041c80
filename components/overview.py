"""The overview page: what Groundscope does, shown on a sample."""

from html import escape

import streamlit as st

from components import shell, state
from components.heatmap import view
from components.worker import scoring


def introduction() -> None:
    """One sentence about the tool."""
    shell.heading("Where does this answer stand on its sources?")
    st.html(
        '<p class="gs-lead">Groundscope compares an AI answer with its sources, sentence by sentence: what stands nowhere in '
        "them, what each method doubts, and how often that method is right. Everything runs on this machine.</p>"
    )


def example() -> None:
    """A sample as the heatmap shows it, scored now by the methods that are ready."""
    found = state.find(state.SHOWCASE[0])
    ready = [m.id for m in scoring.methods() if not m.missing]
    if found is None or not ready:
        return
    st.html(f'<h2 class="gs-section" dir="auto">{escape(found[1].query)}</h2>')
    view.show(found[1], ready, small=True)
