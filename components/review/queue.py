"""Which case is reviewed: the set, the order of its cases, how far the reviewer is, and the row above the case."""

from typing import NamedTuple

import streamlit as st

from components import shell, state
from components.heatmap.chooser import casebar
from components.state import CaseSet
from groundscope.humanize import plural, spell
from groundscope.review import case_key, default
from groundscope.review.queues import QueueOrder, pace, queue, sentences_left
from groundscope.types import Case

LINK = "reviewed"
"""The link's parameter: the key of the open case. Its id could say what was changed in it."""
NAME = "review_name"
_SET, _CASE, _FROM, _QUEUE = "review_set", "review_case", "review_from", "review_queue"
_LONGEST = 2_000
"""Cases of a queue whose progress is counted."""


class Queue(NamedTuple):
    """How the cases of a set are ordered; `most` = 0 takes all of them."""

    order: QueueOrder = QueueOrder.SET
    seed: int = 1
    most: int = 0


def opened() -> tuple[CaseSet, Case]:
    """The set in the order of its queue, and the case of the link, else the one that was open last, else the first."""
    sets = {name: group for name, group in state.sets().items() if group.cases}
    group = sets.get(state.value(_SET, state.SAMPLES), sets[state.SAMPLES])
    by_id = {c.id: c for c in group.cases}
    case = by_id.get(state.value(_CASE, "")) or _queued(group).cases[0]
    wanted, here = st.query_params.get(LINK), state.opened()
    if not wanted and here != st.session_state.get(_FROM) and (found := state.find(here)):
        # A user who comes from the heatmap means the case that is open there.
        group, case = found
    st.session_state[_FROM] = here
    if wanted and case_key(case) != wanted:
        linked = next(((g, c) for g in sets.values() for c in g.cases if case_key(c) == wanted), None)
        if linked:
            group, case = linked
        else:
            shell.notice("info", "The case in the link is not loaded in this session. Load its file on the Cases page.")
    _open(group.name, case)
    queued = _queued(group)
    # A case that is not in the queue stands in its set.
    return (queued if any(c.id == case.id for c in queued.cases) else group), case


def moved(case: Case) -> bool:
    """Whether another case has been opened since this one was drawn."""
    return state.value(_CASE, case.id) != case.id


def bar(group: CaseSet, case: Case, name: str) -> None:
    """The row above the case: its question, its neighbours, the queue."""
    with st.container(horizontal=True, vertical_alignment="center", key="casebar"):
        casebar(group, case, _go, _label, f"{group.name} · reviewed by {name}")
        with st.popover("Queue"):
            _form(group)
            st.button("Review under another name", key="review_other", on_click=_leave)


def progress(group: CaseSet, case: Case, name: str) -> None:
    """How many cases of the queue are read, what is left at the reviewer's own pace, and the way to the next unread one."""
    if len(group.cases) > _LONGEST:
        return
    decided = default().decided(name)
    left = {c.id: sentences_left(c, decided.get(case_key(c), {})) for c in group.cases}
    unread = [c.id for c in group.cases if left[c.id]]
    rest = sum(left.values())
    words = f"{len(group.cases) - len(unread):,} of {plural(len(group.cases), 'case')} read, {plural(rest, 'sentence')} left"
    if unread and (seconds := pace(default().all(name))):
        words += f", about {spell(seconds * rest)} at your pace of {spell(seconds)} a sentence"
    at = [c.id for c in group.cases].index(case.id)
    after = [c.id for c in (*group.cases[at + 1 :], *group.cases[:at]) if left[c.id]]
    with st.container(horizontal=True, vertical_alignment="center", key="review_progress"):
        st.html(shell.note(f"{words}."), width="stretch")
        arguments = (group.name, after[0] if after else "")
        st.button("Next unread case", key="review_unread", disabled=not after, on_click=_go, args=arguments)


def _form(group: CaseSet) -> None:
    names = [n for n, g in state.sets().items() if g.cases]
    now = _now()
    with st.form("review_queue_form", border=False):
        chosen = st.selectbox("Set", names, names.index(group.name))
        order = st.selectbox("Order", list(QueueOrder), list(QueueOrder).index(now.order), format_func=lambda o: o.value)
        most = st.number_input("Cases, 0 = all", 0, 1_000_000, now.most)
        seed = st.number_input(
            "Seed of a random order", 0, 1_000_000, now.seed, help="Who enters the same seed reads the same cases."
        )
        if st.form_submit_button("Begin this queue", type="primary"):
            st.session_state[_QUEUE] = Queue(order or now.order, int(seed), int(most))
            _open(chosen or group.name, _queued(state.sets()[chosen or group.name]).cases[0])
            st.rerun()


def _now() -> Queue:
    return state.value(_QUEUE, Queue())


def _queued(group: CaseSet) -> CaseSet:
    return CaseSet(group.name, tuple(group.cases[i] for i in queue(group.cases, *_now())))


def _open(group: str, case: Case) -> None:
    st.session_state[_SET], st.session_state[_CASE] = group, case.id
    st.query_params[LINK] = case_key(case)


def _go(group: str, case_id: str) -> None:
    _open(group, next(c for c in state.sets()[group].cases if c.id == case_id))


def _label(case: Case) -> str:
    return (" ".join(case.query.split()) or " ".join(case.response.split()) or "(empty)")[:90]


def _leave() -> None:
    st.session_state.pop(NAME, None)
