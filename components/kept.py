"""What is kept on disk between sessions: the cache of pair supports, its size, and how to forget it."""

import streamlit as st

from components import shell, state
from evaluation import pair_cache
from evaluation.rag import vectors

_FORGOTTEN, _VECTORS = "kept_forgotten", "kept_vectors_forgotten"


def show() -> None:
    """The cache's size, the switch for pasted text, and the button that empties it."""
    shell.section("Kept results")
    cache = pair_cache.default()
    size = cache.size()
    st.html(
        "<p class='gs-sub gs-measure'>Methods that read every sentence together with every part of the context take long. "
        "What they found for sample and uploaded cases is kept on this machine, so that a repeated run is instant. Kept are "
        "supports and fingerprints of the texts (hashes), never the texts. "
        f"Now: {_words(size)} of at most {_words(pair_cache.CAP)}.</p>"
    )
    # Over the button: at the end of the page it would be out of sight.
    forgotten = st.session_state.pop(_FORGOTTEN, None)
    if forgotten:
        left = f"The empty file still takes {_words(size)}." if size else ""
        shell.notice("good", f"All kept results are forgotten. {left}".strip())
    elif forgotten is False:
        shell.notice("bad", "The kept results are in use by another program; try again in a moment.")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle(
            "Keep those of pasted text and made variants too, in this session",
            key=state.KEEP_PRIVATE,
            persist_state="session",
        )
        st.button("Forget all kept results", disabled=not size, on_click=_forget)
    _vectors()


def _forget() -> None:
    st.session_state[_FORGOTTEN] = pair_cache.default().clear()


def _words(size: int) -> str:
    """Bytes on disk, for people; an empty cache still has files of some kilobytes."""
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size / 1e3:,.0f} kB" if size else "nothing"


def _vectors() -> None:
    """Vectors of corpora, and the button that deletes them."""
    size = vectors.size()
    st.html(
        "<p class='gs-sub gs-measure'>Experiments of Legal RAG keep the vectors of a corpus, so that it is embedded once; the "
        f"texts are not among them. Now: {_words(size)}.</p>"
    )
    forgotten = st.session_state.pop(_VECTORS, None)
    if forgotten is not None:
        good = "All kept vectors are deleted.", "Some vectors are in use by another program; try again in a moment."
        shell.notice("good" if forgotten else "bad", good[0] if forgotten else good[1])
    st.button("Delete all kept vectors", key="kept_vectors", disabled=not size, on_click=_delete_vectors)


def _delete_vectors() -> None:
    st.session_state[_VECTORS] = vectors.forget()
