"""Runs that are not finished: how far each method is, and the buttons that pause, resume and cancel."""

from collections.abc import Sequence
from datetime import UTC, datetime
from html import escape

import streamlit as st

from components import run_state, runs, shell, state
from components.runner import runner
from evaluation.errors import GroundscopeError
from evaluation.plans import Listed, seconds_left
from evaluation.words import spell

_POLL = 1.0


def under_way() -> None:
    """Runs that are not finished: how far each method is, and the buttons. Looks again while one works."""
    try:
        open_ = [listed for listed in runs.store().runs() if not listed.finished]
    except GroundscopeError as error:
        shell.notice("bad", str(error))
        return
    if not open_:
        return
    shell.section("Not finished")
    working = any(_works(listed.id) for listed in open_)
    st.fragment(_live, run_every=_POLL if working else None)(working)


def _works(run: str) -> bool:
    return runner().works(run) or runs.store().busy(run)


def _live(working: bool) -> None:
    try:
        open_ = [listed for listed in runs.store().runs() if not listed.finished]
    except GroundscopeError as error:
        shell.notice("bad", str(error))
        return
    shown = run_state.runs_shown()
    now = {listed.id for listed in open_}
    # A run that has just finished belongs into the list below; one that was begun or paused needs the polling set up anew.
    if (shown and shown - now) or working != any(_works(listed.id) for listed in open_):
        shown.clear()
        shown.update(now)
        st.rerun()
    shown.clear()
    shown.update(now)
    for listed in open_:
        _one(listed)


def _one(listed: Listed) -> None:
    works = _works(listed.id)
    done, wanted = sum(listed.done), listed.plan.cases * len(listed.plan.methods)
    with st.container(border=True, key=f"open_{listed.id}"):
        st.html(f"<h3 class='gs-small'>{escape(listed.plan.name)}</h3>")
        left = _left(listed) if works else ()
        st.progress(min(1.0, done / max(1, wanted)), text=_words(works, done, wanted, left))
        st.html(_methods(listed, left))
        if not works and (trouble := runner().trouble(listed.id)):
            shell.notice("bad", trouble)
        with st.container(horizontal=True):
            if works:
                st.button(
                    "Pause",
                    key=f"pause_{listed.id}",
                    on_click=runner().pause,
                    args=(listed.id,),
                    disabled=not runner().works(listed.id),
                )
            else:
                st.button("Resume", key=f"resume_{listed.id}", type="primary", on_click=_resume, args=(listed.id,))
            deletion(listed.id, "Cancel and delete")


def _left(listed: Listed) -> tuple[float | None, ...]:
    """Seconds that each method still takes; nothing while the models load."""
    starts = runs.store().starts(listed.id)
    if not starts or starts[-1].started < runner().begun(listed.id):
        return ()
    return seconds_left(listed, starts[-1], datetime.now(UTC))


def _words(works: bool, done: int, wanted: int, left: Sequence[float | None]) -> str:
    judged = f"{done:,} of {wanted:,} judgements"
    if not works:
        return f"Paused at {judged}"
    if not left:
        return f"Loading the models, {judged} so far" if done else "Loading the models"
    known = [seconds for seconds in left if seconds is not None]
    return f"{judged}, about {spell(max(known))} left" if len(known) == len(left) else f"{judged}, just begun"


def _methods(listed: Listed, left: Sequence[float | None]) -> str:
    rows = ""
    for i, (m, done, failed) in enumerate(zip(listed.plan.methods, listed.done, listed.failed, strict=True)):
        seconds = left[i] if left else None
        state_ = "done" if done == listed.plan.cases else f"about {spell(seconds)} left" if seconds else ""
        rows += (
            f"<tr><th scope='row'>{escape(m.title)}</th><td>{done:,} of {listed.plan.cases:,}</td><td>{state_}</td>"
            f"<td>{f'{failed:,} failed' if failed else ''}</td></tr>"
        )
    return f"<table class='gs-counts'><caption>{escape(listed.plan.source)}</caption><tbody>{rows}</tbody></table>"


def _resume(run: str) -> None:
    """Go on within the budget as it is now: the user may have raised it. A limit that only the run has stays."""
    limits = state.limits()
    try:
        plan = runs.store().run(run).plan
        calls = plan.calls if limits.calls is None else limits.calls
        runs.store().allow(run, calls, plan.dollars if limits.dollars is None else limits.dollars)
    except GroundscopeError as error:
        run_state.run_said(str(error))
    else:
        runner().begin(run)


def deletion(run: str, label: str) -> None:
    """Two steps: what is deleted does not come back."""
    with st.popover(label, key=f"delete_{run}"):
        st.html("<p class='gs-note'>Its judgements and its copy of the texts are deleted for good. Exported folders stay.</p>")
        st.button("Delete it", key=f"delete_yes_{run}", on_click=_delete, args=(run,))


def _delete(run: str) -> None:
    runner().pause(run)
    runner().wait(run, 20)
    try:
        runs.store().delete(run)
    except GroundscopeError as error:
        run_state.run_said(str(error))
