"""Cases: paste, upload, browse."""

import streamlit as st

from components import shell
from components.cases import browse, page, paste, pasted_before

shell.frame("Cases")
shell.heading(
    "Cases", "Paste one answer, load a file of many, or browse what is here. Nothing leaves this machine unless a button says so."
)
pasted, upload, sets = st.tabs(page.TABS, default=page.opening_tab(), key=page.TAB, on_change="rerun")
with pasted:
    paste.form()
    pasted_before.show()
with upload:
    page.upload()
with sets:
    browse.show()
