"""The Arguments page: results first; making, writing and loading arguments are one click away."""

from pathlib import Path

import streamlit as st

from components.arguments import making, new, pasting, results, sources
from components.arguments.panel import PANEL

_TABS = ("Results", "Triples", "Write arguments", "Paste or load")
_STYLE = f"<style>{(Path(__file__).parents[1] / 'static' / 'arguments.css').read_text(encoding='utf-8')}</style>"


def show() -> None:
    """The whole page."""
    st.html(_STYLE)
    # Always in the same container: if the tabs moved down the page, the browser would forget which one is open.
    with st.container():
        PANEL.under_way()
    if st.session_state.pop("arguments_go", False):
        st.session_state["arguments_page"] = _TABS[0]
    shown = st.tabs(_TABS, key="arguments_page", on_change="rerun")
    for tab, draw in zip(shown, (_results, making.show, new.show, pasting.show), strict=True):
        if tab.open:
            with tab:
                draw()


def _results() -> None:
    source = sources.choose()
    if source is not None:
        results.show(source)
