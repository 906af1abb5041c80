"""Experiments that are not finished: how far each is, and the buttons that stop it, go on with it and delete it."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from components import shell
from components import state as session
from components.rag import state
from components.rag.runner import experimenter
from evaluation.errors import GroundscopeError
from evaluation.rag import experiments
from evaluation.rag.experiments import Listed
from evaluation.words import spell

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
    st.fragment(_live, run_every=_POLL if working else None)(working, _seen(open_))


def _open() -> list[Listed]:
    return [one for one in experiments.listed()[0] if not one.finished]


def _works(one: Listed) -> bool:
    return one.busy or experimenter().works(one.id)


def _seen(open_: Sequence[Listed]) -> set[tuple[str, bool]]:
    return {(one.id, one.judged > 0) for one in open_}


def _live(working: bool, shown: set[tuple[str, bool]]) -> None:
    open_ = _open()
    # One that has just finished, or has its first answers, belongs into the list of results.
    if _seen(open_) != shown or working != any(_works(one) for one in open_):
        st.rerun()
    for one in open_:
        _one(one)


def _one(one: Listed) -> None:
    works = _works(one)
    with st.container(border=True, key=f"rag_open_{one.id}"):
        parts = f"{crossed(len(one.plan.retrievers), len(one.plan.generators))}, {counted(one.questions, 'question')}"
        st.html(
            f"<h2 class='gs-small'>{escape(one.plan.name)}</h2>"
            f"<p class='gs-note'>{escape(f'{one.plan.benchmark} · {parts} · {one.plan.judge.title}')}</p>"
        )
        share, words = _far(one) if works else (one.judged / max(1, one.wanted), f"Stopped at {_judged(one)}")
        st.progress(min(1.0, share), text=words)
        if not works:
            state.forget_pace(one.id)
            for trouble in experimenter().trouble(one.id):
                shell.notice("bad", trouble)
        with st.container(horizontal=True):
            if works:
                ours = experimenter().works(one.id)
                st.button("Stop", key=f"rag_stop_{one.id}", on_click=experimenter().stop, args=(one.id,), disabled=not ours)
            else:
                st.button("Go on", key=f"rag_on_{one.id}", type="primary", on_click=go_on, args=(one.id,))
            deletion(one.id, "Delete", disabled=works)


def _judged(one: Listed) -> str:
    return f"{one.judged:,} of {counted(one.wanted, 'answer')}"


def counted(count: int, what: str) -> str:
    """So many of a kind."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def crossed(embedders: int, models: int) -> str:
    """How many combinations an experiment has."""
    return f"{embedders} × {models} combination{'s' * (embedders * models != 1)}"


def _far(one: Listed) -> tuple[float, str]:
    """How far the stage is that it works at, 0..1, and in words."""
    try:
        file = experiments.opened(one.id)
        told = file.told()
        file.close()
    except GroundscopeError:
        told = None
    if told is None:
        return 0.0, "Loading"
    stage, part, done, total = told
    if stage != "answer":
        # Streamlit reads these words as markdown.
        plain = "".join(c if c.isalnum() or c in " .-" else " " for c in part)
        return done / max(
            1, total
        ), f"{plain} reads {done:,} of {counted(total, 'passage')}; then come {counted(one.wanted, 'answer')}"
    each = state.pace(one.id, one.judged)
    left = "" if each is None else f", about {spell(each * (one.wanted - one.judged))} left"
    return one.judged / max(1, one.wanted), f"{_judged(one)}{left}"


def go_on(experiment: str) -> None:
    """Work on an experiment within what this session may spend."""
    experimenter().begin(experiment, limit_words())
    state.show_results(experiment)


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
        return
    state.forget_link(experiment)
