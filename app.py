"""Overview: what Groundscope does, three samples, a link to paste a case, and which methods are ready."""

import streamlit as st

from components import overview, shell
from components.cases import page

shell.frame("Overview")
overview.introduction()
shell.section("Try a real question")
page.showcase()
with st.container(horizontal=True):
    if st.button("Paste your own question, sources and answer", key="go_paste"):
        st.switch_page("pages/cases.py")
    if st.button("Upload a file of cases", key="go_upload"):
        st.switch_page("pages/cases.py", query_params={"from": "upload"})
shell.section("Methods")
overview.methods()
st.page_link("pages/compare.py", label="Compare the methods on the samples: F1 and seconds")
st.page_link("pages/methods.py", label="About the methods, and how to install the others")
