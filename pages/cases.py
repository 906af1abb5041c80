"""Cases: paste, upload, browse."""

import streamlit as st

from components import browse, cases, shell

shell.frame("Cases")
shell.heading("Cases", "Paste one answer, load a file of many, or browse what is here. Nothing leaves this machine.")
paste, upload, sets = st.tabs(
    ["Paste", "Upload", "Samples and loaded cases"], default="Upload" if st.query_params.get("from") == "upload" else "Paste"
)
with paste:
    cases.paste()
with upload:
    cases.upload()
with sets:
    browse.show()
