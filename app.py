"""Overview: what Groundscope is, three samples to open, a way to paste, and which methods are ready."""

import streamlit as st

from components import cases, overview, shell

shell.frame("Overview")
overview.introduction()
shell.section("See it on a real question")
cases.showcase()
with st.container(horizontal=True):
    if st.button("Paste your own question, sources and answer", key="go_paste"):
        st.switch_page("pages/cases.py")
    if st.button("Upload a file of cases", key="go_upload"):
        st.switch_page("pages/cases.py", query_params={"from": "upload"})
shell.section("Methods")
overview.methods()
st.page_link("pages/compare.py", label="How they compare on the samples, in F1 and in seconds")
st.page_link("pages/methods.py", label="More about the methods, and how to get the others")
