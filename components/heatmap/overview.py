"""The overview page: what Groundscope does, shown on a sample."""

import streamlit as st

from components import case_sets, shell
from components.heatmap import view
from components.scoring.methods import session_methods


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
    unasked = [m for m in session_methods().ready if not (m.method.on_request or m.method.asks)]
    local = [m for m in unasked if all(r.bundled for r in m.method.requirements())]
    if sample is None or not local:
        return
    shell.section(sample[1].query)
    view.show(sample[1], local, small=True)
