"""The Legal RAG page: results first, the app's own where there are no others; what makes some is one click away."""

import streamlit as st

from components import shell
from components.controls import tabs
from components.rag import new, results, sources, state

_EMPTY = (
    "There are no results yet. Begin an experiment with the sample set, which needs no key and takes some minutes, or load "
    "results that were made elsewhere."
)


def show() -> None:
    """The whole page."""
    # In a place of its own, there or not: where the tabs move down the page, the browser forgets which one was turned to.
    with st.container():
        results.PANEL.under_way()
    state.turn()
    tabs({state.RESULTS: _results, "New experiment": new.show, "Load results": sources.load}, "rag_page")


def _results() -> None:
    source = sources.choose()
    if source is None:
        shell.notice("info", _EMPTY)
        return
    results.show(source)
