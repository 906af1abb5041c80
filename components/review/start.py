"""The start of Review: what waits to be read, and what to do where nothing is there yet."""

from collections.abc import Sequence

import streamlit as st

from components import case_sets, shell
from components.controls import errors_shown
from components.review import queue
from groundscope.drawing.html import tag
from groundscope.storage.team.acting import current_person
from groundscope.text.humanize import plural

_SAID = "review_start"
_ABOUT = (
    "A matter holds documents and the answers that are checked against them; a file holds many cases. Whatever you load stands "
    "here then. A sample shows how a review goes."
)


def show(name: str) -> None:
    """The whole start: queues, matters and loaded cases of this reviewer, then what to begin with."""
    shell.heading("Review", f"You review as {name}. Open what waits to be read, or begin something new.")
    shell.show_said(_SAID)
    loaded, mine = case_sets.sets(), queue.assigned()
    matters = [n for n in loaded if n.startswith(case_sets.matter_set(""))]
    others = [n for n in loaded if n not in (*matters, case_sets.SAMPLES)]
    for title, names in (("Assigned to you", mine), ("Matters", matters), ("Loaded cases", others)):
        if names:
            shell.section(title)
            _rows(names, name, "answer" if names is matters else "case")
    shell.section("Begin something new")
    st.html(shell.note(_ABOUT))
    with st.container(horizontal=True):
        if st.button("Create a matter and drop in its documents", key="start_matter", type="secondary" if mine else "primary"):
            st.switch_page("pages/cases.py", query_params={"from": "matters"})
        if st.button("Load a file of cases", key="start_file"):
            st.switch_page("pages/cases.py", query_params={"from": "upload"})
        st.button("Try a sample", key="start_sample", on_click=queue.resume, args=(case_sets.SAMPLES, name))
    if not current_person():
        leave = errors_shown(place=_SAID)(queue.leave)
        st.button("Review under another name", key="review_other", type="tertiary", on_click=leave)


def _rows(names: Sequence[str], name: str, what: str) -> None:
    sets, left = queue.sets(), queue.unread(name)
    for of in (n for n in names if n in sets):
        count = plural(len(sets[of].cases), what)
        unread = "" if of not in left else f", {left[of]:,} unread" if left[of] else ", all read"
        words = f"{of.removeprefix(case_sets.matter_set(''))}: {count}{unread}"
        with st.container(horizontal=True, vertical_alignment="center"):
            open_set = errors_shown(place=_SAID)(queue.resume)
            st.button("Open", key=f"start_open_{of}", on_click=open_set, args=(of, name), help=f"Open {shell.plain(of)}")
            st.html(tag("p", words, class_="gs-line", dir="auto"), width="stretch")
