"""Saved replies of chat models: their number, download and upload as a recording, and deletion."""

import streamlit as st

from components import shell
from components.chat import methods
from components.controls import download, needs
from groundscope.chat import replies as reply_store
from groundscope.drawing.html import listed
from groundscope.errors import DataError
from groundscope.storage.team.roles import Role
from groundscope.text.humanize import plural

_SAID = "recordings"
_LARGEST = 200
"""Most megabytes of a recording; more than for other uploads, because a download from here must load elsewhere."""


def show() -> None:
    """The saved replies, and the actions on them."""
    shell.section("Saved replies of chat models")
    store = reply_store.default()
    models = store.models()
    st.html(
        "<p class='gs-sub gs-measure'>Replies of chat models about sample and uploaded cases are saved on this machine, so "
        "that a rerun costs nothing. Replies about pasted text and variants are lost when the app ends, unless you save them "
        "(see above). Replies may quote a case. A recording holds replies, no keys and no prompts; with it "
        "and the same cases, “Use saved replies only” gives the same results on a machine without a key or a network.</p>"
    )
    shell.show_said(_SAID)
    if models:
        st.html(listed((f"{name}: {plural(count, 'reply', 'replies')}" for name, count in models.items()), "gs-offer"))
    else:
        st.html("<p>No replies are saved yet.</p>")
    with st.container(horizontal=True, vertical_alignment="center"):
        replies = "groundscope-replies.jsonl"
        download("Download recording", lambda: "".join(store.recorded()), replies, "recording_download", disabled=not models)
        with st.popover("Upload a recording"), st.form("recording", border=False, clear_on_submit=True):
            file = st.file_uploader("Recording, as downloaded here", type="jsonl", key="recording_file", max_upload_size=_LARGEST)
            if st.form_submit_button("Add replies", **needs(Role.REVIEWER)):
                if file is None:
                    shell.say(_SAID, "bad", "Choose the file of a recording first, then upload it.")
                else:
                    _bring_in(file.name, file.getvalue())
                st.rerun()
        with st.popover("Delete all saved replies", disabled=not models):
            st.html("<p>You paid for these replies; asking again costs again. You can download a recording first.</p>")
            st.button("Delete replies", key="recordings_forget", type="primary", on_click=_forget, **needs(Role.LEAD))


def _bring_in(name: str, content: bytes) -> None:
    try:
        came = reply_store.default().take_in(content.decode("utf-8-sig").split("\n"), name)
    except UnicodeDecodeError:
        shell.say(_SAID, "bad", f"{name} is not UTF-8 text. Upload a recording as downloaded here.")
    except DataError as error:
        shell.say(_SAID, "bad", str(error))
    else:
        if came:
            shell.say(_SAID, "good", f"{plural(came, 'reply', 'replies')} added; replies already saved are unchanged.")
        else:
            shell.say(_SAID, "info", f"{name} has no new replies.")


def _forget() -> None:
    gone = reply_store.default().clear()
    # The asking process may hold replies that are not on disk.
    methods.ask("forget", sends=False)
    if gone:
        shell.say(_SAID, "good", "All saved replies are deleted.")
    else:
        shell.say(_SAID, "bad", "Another program uses the replies; try again.")
