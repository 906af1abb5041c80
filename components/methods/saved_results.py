"""What is saved on disk between sessions, how much it is, and the buttons that delete it: supports, vectors, replies."""

import streamlit as st

from components import shell, state
from components.controls import action
from components.scoring import asking
from groundscope.chat import replies
from groundscope.drawing.html import listed
from groundscope.rag.retrieving import vectors
from groundscope.storage import support_cache
from groundscope.storage.team import Role, use_case
from groundscope.text.humanize import plural


def show() -> None:
    """The size of the cache, the switch for pasted text, and the button that deletes it; then vectors and replies."""
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
        action("Delete all saved results", "saved_results_delete", _delete_results, disabled=not size)
    _vectors()
    _replies()


def _say(what: str, deleted: bool) -> None:
    if deleted:
        shell.say(f"saved_{what}", "good", f"All saved {what} are deleted.")
    else:
        shell.say(f"saved_{what}", "bad", f"Another program uses the saved {what}. Try again in a moment.")


def _words(size: int) -> str:
    """Bytes on disk in words; an empty cache still has files of some kilobytes."""
    return f"{size / 1e6:,.0f} MB" if size >= 1e6 else f"{size / 1e3:,.0f} kB" if size else "nothing"


def _vectors() -> None:
    size = vectors.size()
    st.html(
        "<p class='gs-sub gs-measure'>Legal RAG experiments save the vectors of a corpus, so that it is embedded only once. The "
        f"texts are not saved. Now: {_words(size)}.</p>"
    )
    shell.show_said("saved_vectors")
    action("Delete all saved vectors", "kept_vectors", _delete_vectors, disabled=not size)


def _replies() -> None:
    models = replies.default().models()
    st.html(
        "<p class='gs-sub gs-measure'>Replies of chat models about sample and uploaded cases are saved, so that a rerun costs "
        "nothing and, with “Use saved replies only”, needs no key. Replies about pasted text and variants are lost when the app "
        "ends, unless you save them (see above). Replies may quote a case; prompts and keys are not saved.</p>"
    )
    shell.show_said("saved_replies")
    if models:
        st.html(listed((f"{name}: {plural(count, 'reply', 'replies')}" for name, count in models.items()), "gs-offer"))
    with st.popover("Delete all saved replies", disabled=not models):
        st.html("<p>You paid for these replies; asking again costs again.</p>")
        action("Delete replies", "replies_forget", _delete_replies, type="primary")


@use_case(Role.LEAD)
def _delete_results() -> None:
    _say("results", support_cache.default().clear())


@use_case(Role.LEAD)
def _delete_vectors() -> None:
    _say("vectors", vectors.forget())


@use_case(Role.LEAD)
def _delete_replies() -> None:
    _say("replies", replies.default().clear())
    # The asking process may hold replies that are not on disk.
    asking.worker().forget()
