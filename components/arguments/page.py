"""The Arguments page: results first; making, writing and loading arguments are one click away."""

from pathlib import Path

import streamlit as st

from components.arguments import making, new, pasting, results, sources
from components.controls import tabs

_STYLE = f"<style>{(Path(__file__).parents[1] / 'static' / 'arguments.css').read_text(encoding='utf-8')}</style>"


def show() -> None:
    """The whole page."""
    st.html(_STYLE)
    # Always in the same container: if the tabs moved down the page, the browser would forget which one is open.
    with st.container():
        results.PANEL.under_way()
    if st.session_state.pop("arguments_go", False):
        st.session_state["arguments_page"] = "Results"
    parts = {"Results": _results, "Triples": making.show, "Write arguments": new.show, "Paste or load": pasting.show}
    tabs(parts, "arguments_page")


def _results() -> None:
    source = sources.choose()
    if source is not None:
        results.show(source)
