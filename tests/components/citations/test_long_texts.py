"""Long analyses are read in child processes, in portions, and only once in a session."""

import resource

from streamlit.testing.v1 import AppTest


def _page() -> None:
    import streamlit as st

    from components.citations.controls import MetricSettings, read_all
    from components.state import own
    from groundscope.citations.batch import AnalysisEntry
    from groundscope.citations.claims import document

    text = " ".join(f"Rent number {i} is due. See Smith v. Jones, {i} F.3d {i} (9th Cir. 1999)." for i in range(1, 300))
    plain = "The rent is due on the first of the month. " * 20_000
    entries = [AnalysisEntry("a", "s", plain, text), AnalysisEntry("b", "s", text, plain[:200_000])]
    found = read_all(entries, MetricSettings("rouge", 0.5, "best", "authority", 0.5, "last", subsections=False))
    own("same", []).append([len(g.text) for g, _ in found] == [len(text), 200_000] and found[0][0] == document(text))
    st.button("Other")


def test_long_analyses_are_read_in_children_and_once() -> None:
    app = AppTest.from_function(_page, default_timeout=60).run()
    assert not app.exception
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert used > 0
    app.button[0].click().run()
    assert app.session_state["same"] == [True, True]
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime == used
