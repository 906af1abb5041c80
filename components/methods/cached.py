"""Results saved on disk between sessions: the cache of pair supports, its size, and deletion."""

import streamlit as st

from components import shell, state
from components.controls import needs
from groundscope.rag.retrieving import vectors
from groundscope.storage import support_cache
from groundscope.storage.team.roles import Role


def show() -> None:
    """The size of the cache, the switch for pasted text, and the button that deletes it."""
    shell.section("Saved results")
    cache = support_cache.default()
    size = cache.size()
    st.html(
        "<p class='gs-sub gs-measure'>Methods that compare every sentence with every part of the sources take long. "
        "Their results for sample and uploaded cases are saved on this machine, so that a repeated run is instant. Only "
        "supports and fingerprints of the texts (hashes) are saved, never the texts. "
        f"Now: {_words(size)} of at most {_words(support_cache.CAP)}.</p>"
    )
    # Above the button: at the end of the page it would be out of sight.
    shell.show_said("saved_results")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle(
            "Also save results of pasted text and variants in this session", key=state.KEEP_PRIVATE, persist_state="session"
        )
        st.button("Delete all saved results", on_click=_forget, **needs(Role.LEAD, disabled=not size))
    _vectors()


def _forget() -> None:
    cache = support_cache.default()
    if not cache.clear():
        shell.say("saved_results", "bad", "Another program uses the saved results. Try again in a moment.")
        return
    left = f" The empty file still takes {_words(size)}." if (size := cache.size()) else ""
    shell.say("saved_results", "good", f"All saved results are deleted.{left}")


def _words(size: int) -> str:
    """Bytes on disk in words; an empty cache still has files of some kilobytes."""
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size / 1e3:,.0f} kB" if size else "nothing"


def _vectors() -> None:
    """Saved vectors of corpora, and the button that deletes them."""
    size = vectors.size()
    st.html(
        "<p class='gs-sub gs-measure'>Legal RAG experiments save the vectors of a corpus, so that it is embedded only once. The "
        f"texts are not saved. Now: {_words(size)}.</p>"
    )
    shell.show_said("saved_vectors")
    st.button("Delete all saved vectors", key="kept_vectors", on_click=_delete_vectors, **needs(Role.LEAD, disabled=not size))


def _delete_vectors() -> None:
    if vectors.forget():
        shell.say("saved_vectors", "good", "All saved vectors are deleted.")
    else:
        shell.say("saved_vectors", "bad", "Another program uses some vectors. Try again in a moment.")
