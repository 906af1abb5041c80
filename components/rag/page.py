"""The Legal RAG page: results first; what begins or loads some is one click away, and open where there is nothing yet."""

import streamlit as st

from components import shell
from components.rag import new, results, sources, under_way

_TABS = ("Results", "New experiment", "Load results")
_EMPTY = (
    "There are no results yet. Begin an experiment with the sample set, which needs no key and takes some minutes, or load "
    "results that were made elsewhere."
)


def show() -> None:
    """The whole page."""
    under_way.under_way()
    shown = st.tabs(_TABS, key="rag_page", on_change="rerun")
    for tab, draw in zip(shown, (_results, new.show, sources.load), strict=True):
        if tab.open:
            with tab:
                draw()


def _results() -> None:
    source = sources.choose()
    if source is None:
        shell.notice("info", _EMPTY)
        return
    results.show(source)
