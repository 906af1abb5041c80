"""The Arguments page: what models make of triples first; what makes, writes or loads them is one click away."""

from pathlib import Path

import streamlit as st

from components.arguments import making, new, pasting, results, sources, under_way

_TABS = ("Results", "Triples", "Write arguments", "Paste or load")
_STYLE = f"<style>{(Path(__file__).parents[1] / 'static' / 'arguments.css').read_text(encoding='utf-8')}</style>"


def show() -> None:
    """The whole page."""
    st.html(_STYLE)
    # In a place of its own, there or not: where the tabs move down the page, the browser forgets which one was turned to.
    with st.container():
        under_way.under_way()
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
