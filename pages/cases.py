"""Cases: paste, upload, browse."""

import streamlit as st

from components import shell
from components.cases import browse, matters, page, paste

shell.frame(
    "Cases",
    "Paste one answer, keep a matter with its documents, load a file of many, or browse what is here. Nothing leaves this "
    "machine unless a button says so.",
)
pasted, folders, upload, sets = st.tabs(page.TABS, default=page.opening_tab(), key=page.TAB, on_change="rerun")
with pasted:
    paste.form()
    paste.pasted_before()
# Documents and sets may be long: they are read while someone looks at them.
with folders:
    if folders.open:
        matters.show()
with upload:
    page.upload()
with sets:
    if sets.open:
        browse.show()
