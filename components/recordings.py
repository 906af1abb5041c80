"""Kept replies of chat models: how many, taking them along as a recording, bringing one in, and forgetting them."""

from functools import partial
from html import escape

import streamlit as st

from components import asking, shell
from evaluation import reply_store
from evaluation.errors import DataError

_SAID = "recordings_said"
_LARGEST = 200
"""Megabytes of a recording; more than of other uploads, as what is downloaded here must come in elsewhere."""


def show() -> None:
    """What is kept, and what can be done with it."""
    shell.section("Kept replies of chat models")
    store = reply_store.default()
    models = store.models()
    st.html(
        "<p class='gs-sub gs-measure'>What chat models replied about sample and uploaded cases is kept on this machine, so "
        "that a rerun costs nothing; of pasted text and made variants only while the app runs, unless you have them kept, above. "
        "Replies may quote a case. A recording holds replies, no keys and no prompts; with it "
        "and the same cases, “Replay kept replies only” gives the same results on a machine without a key or a network.</p>"
    )
    if said := st.session_state.pop(_SAID, None):
        shell.notice(*said)
    if models:
        items = "".join(
            f"<li>{escape(name)}: {count:,} {'reply' if count == 1 else 'replies'}</li>" for name, count in models.items()
        )
        st.html(f"<ul class='gs-offer'>{items}</ul>")
    else:
        st.html("<p>No reply is kept yet.</p>")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Download the recording",
            partial(_recording, store),
            file_name="groundscope-replies.jsonl",
            mime="application/jsonl",
            disabled=not models,
            on_click="ignore",
            key="recording_download",
        )
        with st.popover("Bring in a recording"), st.form("recording", border=False, clear_on_submit=True):
            file = st.file_uploader(
                "A recording, as downloaded here", type="jsonl", key="recording_file", max_upload_size=_LARGEST
            )
            if st.form_submit_button("Bring it in"):
                if file is None:
                    st.session_state[_SAID] = ("bad", "Choose the file of a recording first, then bring it in.")
                else:
                    _bring_in(file.name, file.getvalue())
                st.rerun()
        with st.popover("Forget all kept replies", disabled=not models):
            st.html("<p>They were paid for: asking for them again costs again. A recording of them can be downloaded first.</p>")
            st.button("Forget them", key="recordings_forget", type="primary", on_click=_forget)


def _recording(store: reply_store.ReplyStore) -> str:
    return "".join(store.recorded())


def _bring_in(name: str, content: bytes) -> None:
    try:
        came = reply_store.default().take_in(content.decode("utf-8-sig").split("\n"), name)
    except UnicodeDecodeError:
        st.session_state[_SAID] = ("bad", f"{name} is no text in UTF-8; bring in a recording as downloaded here.")
    except DataError as error:
        st.session_state[_SAID] = ("bad", str(error))
    else:
        if came:
            replies = "1 reply" if came == 1 else f"{came:,} replies"
            st.session_state[_SAID] = ("good", f"{replies} came in; what was here already stayed as it was.")
        else:
            st.session_state[_SAID] = ("info", f"{name} holds no reply that is not here already.")


def _forget() -> None:
    gone = reply_store.default().clear()
    # The process that asks holds replies that may not be on disk.
    asking.worker().ask("forget", keep=False, allowance=asking.allowance())
    said = (
        ("good", "All kept replies are forgotten.") if gone else ("bad", "The replies are in use by another program; try again.")
    )
    st.session_state[_SAID] = said
