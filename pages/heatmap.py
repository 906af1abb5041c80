"""Heatmap: one case under all chosen methods, aligned to its context."""

import streamlit as st

from components import shell
from components.heatmap import chooser, editing, view
from components.opened import case_bar, two_answers
from components.review import revealed
from components.scoring.session import this_session

shell.frame("Heatmap")
if not chooser.open_linked():
    st.page_link("app.py", label="Open a sample")
    st.page_link("pages/cases.py", label="Load cases")
    st.stop()
session = this_session()
group, case = session.opened
if two_answers.show(group, case, revealed.listed):
    st.stop()
methods = chooser.toolbar(session)
# Methods that end draw the page once more, and the message must outlive that.
shell.show_said("heatmap", about=case.id)
editing.controls(case, methods)
shown = editing.shown(case)
case_bar.instructions_badge(shown)
place = st.container()
case_bar.note(shown)
view.show(shown, methods)
with place:
    case_bar.question_badge(shown)
