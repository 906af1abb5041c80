"""Heatmap: one case under all chosen methods, aligned to its context."""

import streamlit as st

from components import cases, heatmap, scoring, shell

shell.frame("Heatmap")
chosen = cases.choose()
if chosen is None:
    st.page_link("app.py", label="Open a sample")
    st.page_link("pages/cases.py", label="Load cases")
    st.stop()
group, case = chosen
shell.heading(case.query or "(no question)", cases.subtitle(group, case))
available = scoring.methods()
names = cases.methods_chooser([(m.id, m.about.title) for m in available], [m.id for m in available if not m.missing])
heatmap.show(case, names)
