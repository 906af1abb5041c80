"""The overview page: what Groundscope does, shown on a sample."""

import streamlit as st

from components import case_sets, shell
from components.heatmap import view
from components.worker import scoring


def introduction() -> None:
    """One sentence about the tool."""
    shell.heading("Where does this answer stand on its sources?")
    st.html(
        '<p class="gs-lead">Groundscope compares an AI answer with its sources, sentence by sentence: what is not in '
        "them, what each method doubts, and how often that method is right. Nothing leaves this machine unless a button says "
        "so.</p>"
    )


def example() -> None:
    """A sample as the heatmap shows it, scored now by the methods that come with the app: nothing is sent."""
    sample = case_sets.find(case_sets.SHOWCASE[0])
    ready = {m.id: scoring.loaded(m.id) for m in scoring.methods() if not (m.missing or m.on_request)}
    local = [name for name, m in ready.items() if not m.asks and all(r.bundled for r in m.requirements())]
    if sample is None or not local:
        return
    shell.section(sample[1].query)
    view.show(sample[1], local, small=True)
