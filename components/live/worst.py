"""The answers that a method calls ungrounded, the worst first, and the way to each."""

from datetime import UTC, datetime

import pandas as pd
import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.controls import select_one, table_csv, ticked_list
from groundscope.drawing.html import tag
from groundscope.traces.answers import LiveFinding
from groundscope.traces.links import link_to
from groundscope.traces.store import LiveStore

_WORST = 100
_SET = "Live answers"


def show(feed: LiveStore, method: str, signature: str, versions: list[str]) -> None:
    """The list of a version or of all, and what is known of the ticked one."""
    picked = None
    if len(versions) > 1:
        titles = {"": "All versions", **{f"v{v}": v or "not known" for v in versions}}
        chosen = select_one(st, "Version", titles, f"live_version_{feed.name}", width=260)
        picked = chosen[1:] if chosen else None
    found = feed.worst(method, signature, _WORST, version=picked)
    if not found:
        shell.notice("good", "No answer is called ungrounded.")
        return
    rows = pd.DataFrame(
        {
            "support": [f"{one.support:.2f}" for one in found],
            "flagged sentences": [f"{len(one.flagged)} of {one.sentences}" for one in found],
            "time (UTC)": [_time(one) for one in found],
            "version": [one.version for one in found],
            "trace": [one.trace for one in found],
        }
    )
    at = ticked_list(rows, f"live_worst_{feed.name}", 10, "Answers that the method calls ungrounded, the lowest support first")
    if at is None:
        st.html(shell.note("Tick an answer to see where to find it."))
    else:
        _one(feed, found[at])
    table_csv(rows, f"worst {feed.name}", "live_worst_csv")


def _time(one: LiveFinding) -> str:
    return datetime.fromtimestamp(one.time, UTC).strftime("%Y-%m-%d %H:%M") if one.time is not None else ""


def _one(feed: LiveStore, one: LiveFinding) -> None:
    with st.container(border=True, key="live_one"):
        st.html(tag("h3", f"Trace {one.trace}", class_="gs-small"))
        places = ", ".join(f"characters {start:,}–{end:,} (support {support:.2f})" for start, end, support in one.flagged[:8])
        st.html(shell.note(f"Flagged in the answer: {places}." if places else "The answer as a whole is below the threshold."))
        with st.container(horizontal=True):
            link = feed.about().get("link")
            if isinstance(link, str):
                st.link_button("Open the trace", link_to(link, one.trace))
            if one.kept and st.button("Open in the heatmap", key="live_open", type="primary"):
                _open(feed, one)
        if not one.kept:
            st.html(
                shell.note("Its texts are not kept. Look the trace up by its id, or start groundscope live with --keep-texts.")
            )


def _open(feed: LiveStore, one: LiveFinding) -> None:
    case = feed.case(one.trace, one.root)
    if case is None:
        shell.notice("info", "Its texts were deleted meanwhile.")
        return
    others = [c for c in case_sets.cases_of(_SET) if c.id != case.id]
    case_sets.add(CaseSet(_SET, (*others, case), private=True))
    state.open_heatmap(_SET, case)
