"""Experiments that are not finished: how far each is, and the buttons that stop it, go on with it and delete it."""

from html import escape

import streamlit as st

from components import shell
from components import state as session
from components.rag import state
from components.rag.runner import experimenter
from evaluation.errors import GroundscopeError
from evaluation.rag import experiments
from evaluation.rag.experiments import Listed

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
    return [one for one in experiments.listed()[0] if not one.finished]


def _works(one: Listed) -> bool:
    return one.busy or experimenter().works(one.id)


def _live(working: bool, shown: set[str]) -> None:
    open_ = _open()
    # One that has just finished belongs into the list of results.
    if {one.id for one in open_} != shown or working != any(_works(one) for one in open_):
        st.rerun()
    for one in open_:
        _one(one)


def _one(one: Listed) -> None:
    works = _works(one)
    with st.container(border=True, key=f"rag_open_{one.id}"):
        parts = f"{len(one.plan.retrievers)} × {len(one.plan.generators)} combinations, {one.questions:,} questions"
        st.html(
            f"<h2 class='gs-small'>{escape(one.plan.name)}</h2>"
            f"<p class='gs-note'>{escape(f'{one.plan.benchmark} · {parts} · {one.plan.judge.title}')}</p>"
        )
        st.progress(min(1.0, one.judged / max(1, one.wanted)), text=_words(one, works))
        if not works:
            for trouble in experimenter().trouble(one.id):
                shell.notice("bad", trouble)
        with st.container(horizontal=True):
            if works:
                ours = experimenter().works(one.id)
                st.button("Stop", key=f"rag_stop_{one.id}", on_click=experimenter().stop, args=(one.id,), disabled=not ours)
            else:
                st.button("Go on", key=f"rag_on_{one.id}", type="primary", on_click=go_on, args=(one.id,))
            deletion(one.id, "Delete", disabled=works)


def _words(one: Listed, works: bool) -> str:
    judged = f"{one.judged:,} of {one.wanted:,} answers"
    if not works:
        return f"Stopped at {judged}"
    try:
        file = experiments.opened(one.id)
        told = file.told()
        file.close()
    except GroundscopeError:
        told = None
    if told is None:
        return "Loading"
    stage, part, done, total = told
    # Streamlit reads these words as markdown.
    plain = "".join(c if c.isalnum() or c in " .-" else " " for c in part)
    return judged if stage == "answer" else f"{plain}: {done:,} of {total:,} passages"


def go_on(experiment: str) -> None:
    """Work on an experiment within what this session may spend."""
    experimenter().begin(experiment, limit_words())


def limit_words() -> list[str]:
    """The session's limits as the command takes them."""
    limits = session.limits()
    calls = [] if limits.calls is None else ["--calls", str(limits.calls)]
    return calls + ([] if limits.dollars is None else ["--dollars", str(limits.dollars)])


def deletion(experiment: str, label: str, *, disabled: bool = False) -> None:
    """A button that asks once more before it deletes."""
    with st.popover(label, key=f"rag_ask_{experiment}", disabled=disabled):
        st.html("<p>Its questions, passages, answers and verdicts are deleted from this machine.</p>")
        st.button("Delete it", key=f"rag_delete_{experiment}", on_click=_delete, args=(experiment,))


def _delete(experiment: str) -> None:
    try:
        experiments.delete(experiment)
    except GroundscopeError as error:
        state.said(str(error))
