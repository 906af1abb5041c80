"""Runs that are not finished: how far each is, what went wrong, and the buttons that stop it, go on with it and delete it."""

from html import escape

import streamlit as st

from components import shell
from components import state as session
from components.arguments import state
from components.arguments.runner import runner
from evaluation.arguments import runs
from evaluation.arguments.runs import Listed
from evaluation.errors import GroundscopeError
from evaluation.words import plural

_POLL = 1.0


def under_way() -> None:
    """All that are not finished; looks again while one works."""
    if said := state.said():
        shell.notice("bad", said)
        state.said("")
    open_ = _open()
    if not open_:
        return
    shell.section("Not finished")
    working = any(_works(one) for one in open_)
    st.fragment(_live, run_every=_POLL if working else None)(working, {one.id for one in open_})


def _open() -> list[Listed]:
    return [one for one in runs.listed()[0] if not one.finished]


def _works(one: Listed) -> bool:
    return one.busy or runner().works(one.id)


def _live(working: bool, shown: set[str]) -> None:
    open_ = _open()
    # One that has just finished belongs into the list of results.
    if {one.id for one in open_} != shown or working != any(_works(one) for one in open_):
        st.rerun()
    for one in open_:
        _one(one)


def _one(one: Listed) -> None:
    works = _works(one)
    with st.container(border=True, key=f"arguments_open_{one.id}"):
        facts = _facts(one)
        st.html(f"<h2 class='gs-small'>{escape(one.plan.name)}</h2><p class='gs-note'>{escape(facts)}</p>")
        done = f"{one.done:,} of {plural(one.wanted, 'argument')}"
        st.progress(min(1.0, one.done / max(1, one.wanted)), text=done if works else f"Stopped at {done}")
        if not works:
            for trouble in _troubles(one):
                shell.notice("bad", trouble)
        with st.container(horizontal=True):
            if works:
                ours = runner().works(one.id)
                st.button("Stop", key=f"arguments_stop_{one.id}", on_click=runner().stop, args=(one.id,), disabled=not ours)
            else:
                st.button("Go on", key=f"arguments_on_{one.id}", type="primary", on_click=go_on, args=(one.id,))
            deletion(one.id, disabled=works)


def _facts(one: Listed) -> str:
    titles = ", ".join(dict.fromkeys(p.title for p in one.plan.arguers))
    triples = plural(one.scenarios, "triple")
    if one.plan.extractor is None:
        return f"{titles}: {triples}"
    if one.plan.given:
        return f"{plural(one.wanted, 'argument')} of {titles} about {triples}, read by {one.plan.extractor.title}"
    return f"{titles}: {triples}, extracted by {one.plan.extractor.title}, too"


def _troubles(one: Listed) -> list[str]:
    """What its process said; after a restart of the app, what the run itself keeps of its faults."""
    return runner().trouble(one.id) or [f"{plural(count, 'time')}: {why}" for why, count in one.faults.items()]


def go_on(run: str) -> None:
    """Work on a run within what this session may spend."""
    limits = session.limits()
    calls = [] if limits.calls is None else ["--calls", str(limits.calls)]
    runner().begin(run, calls + ([] if limits.dollars is None else ["--dollars", str(limits.dollars)]))


def deletion(run: str, label: str = "Delete", *, disabled: bool = False) -> None:
    """A button that asks once more before it deletes."""
    with st.popover(label, key=f"arguments_ask_{run}", disabled=disabled):
        st.html("<p>Its triples, arguments and extracted factors are deleted from this machine.</p>")
        st.button("Delete it", key=f"arguments_delete_{run}", on_click=_delete, args=(run,))


def _delete(run: str) -> None:
    try:
        runs.delete(run)
    except GroundscopeError as error:
        state.said(str(error))
