"""The overview page: what Groundscope does, and the state of the methods."""

import streamlit as st

from components import shell
from components.html import table, tag
from components.worker import scoring


def introduction() -> None:
    """One sentence about the tool, and one example."""
    shell.heading("Where does this answer stand on its sources?")
    st.html(
        '<p class="gs-lead">Groundscope compares an AI answer with its sources and shows, sentence by '
        "sentence and method by method, what the sources support and what they do not: "
        "<i>“the limit is <mark>240 days</mark>”, where the statute says 300.</i> Everything runs on this machine.</p>"
    )


def methods() -> None:
    """Every method: what it measures, and whether it is ready or what is missing."""
    rows = ((m.about.title, m.about.measures, _state(m.missing)) for m in scoring.methods())
    st.html(table(("Method", "What it measures", "State"), rows, css="gs-methods"))


def _state(missing: str) -> str:
    return tag("details", tag("summary", "Not installed"), missing) if missing else "Ready"
