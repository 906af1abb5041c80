"""Cases: paste, upload, browse."""

import streamlit as st

from components import browse, cases, shell

shell.frame("Cases")
shell.heading(
    "Cases",
    "Paste one answer, load a file of many, or browse what is here. Nothing leaves this machine but where a button says so.",
)
paste, upload, sets = st.tabs(cases.TABS, default=cases.opening_tab(), key=cases.TAB, on_change="rerun")
with paste:
    cases.paste()
with upload:
    cases.upload()
with sets:
    browse.show()
