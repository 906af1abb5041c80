"""The two texts of the overview page: what this is, and the state of the methods."""

from html import escape

import streamlit as st

from components import scoring, shell


def introduction() -> None:
    """One sentence, and one example of what the tool shows."""
    shell.heading("Where does this answer stand on its sources?")
    st.html(
        '<p class="gs-lead">Groundscope reads an AI answer beside the sources it was given and shows, sentence by '
        "sentence and method by method, what they support and what they do not: "
        "<i>“the limit is <mark>240 days</mark>”, where the statute says 300.</i> Everything runs on this machine.</p>"
    )


def methods() -> None:
    """Every method: what it measures, and whether it is ready or what it lacks."""
    rows = "".join(
        f"<tr><th scope='row'>{escape(m.about.title)}</th><td>{escape(m.about.measures)}</td><td>{_state(m.missing)}</td></tr>"
        for m in scoring.methods()
    )
    st.html(
        "<table class='gs-methods'><thead><tr><th scope='col'>Method</th><th scope='col'>What it measures</th>"
        f"<th scope='col'>State</th></tr></thead><tbody>{rows}</tbody></table>"
    )


def _state(missing: str) -> str:
    if not missing:
        return "Ready"
    return f"<details><summary>Weights not here</summary>{escape(missing)}</details>"
