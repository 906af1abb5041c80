"""The citation recall page: two analyses beside each other, systems over a batch, key points, and what is loaded."""

import streamlit as st

from components.citations import one, points, sources, systems

_TABS = ("Citations", "Systems", "Key points", "Load texts")


def show() -> None:
    """The whole page."""
    batch = sources.choose()
    sources.notes(batch)
    shown = st.tabs(_TABS, key="cites_page", on_change="rerun")
    for tab, draw in zip(shown, (one.show, systems.show, points.show, None), strict=True):
        if tab.open:
            with tab:
                if draw is None:
                    sources.load()
                else:
                    draw(batch)
