"""What is kept on disk between sessions: the cache of pair supports, its size, and how to forget it."""

import streamlit as st

from components import shell, state
from evaluation import pair_cache


def show() -> None:
    """The cache's size, the switch for pasted text, and the button that empties it."""
    shell.section("Kept results")
    cache = pair_cache.default()
    st.html(
        "<p class='gs-sub'>Cross-encoders take long, so their supports of sample and uploaded cases are kept on this machine and "
        f"a repeated run is instant. Kept are numbers and hashes, no text. Now: {cache.size() / 1e6:,.1f} MB of at most "
        f"{pair_cache.CAP / 1e6:,.0f} MB.</p>"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle(
            "Keep those of pasted text and made variants too, in this session",
            key=state.KEEP_PRIVATE,
            persist_state="session",
        )
        if st.button("Forget all kept results", disabled=not cache.size()):
            cache.clear()
            st.rerun()
