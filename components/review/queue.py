"""The open case: its set or queue, the reviewer's progress, and the row above it; and the start, where no case is open."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.controls import errors_shown
from components.opened.case_bar import casebar
from groundscope.drawing.html import tag
from groundscope.errors import StoreError
from groundscope.review import case_key, default
from groundscope.review.queues import pace, sentences_left
from groundscope.runtime.byte_cache import keep
from groundscope.storage.team.acting import current_person
from groundscope.text.humanize import plural, spell
from groundscope.types import Case

LINK = state.REVIEWED
NAME = "review_name"
_VIEW = "findings"
_VIEWS: dict[str, bool | None] = {"asked": None, "without": False}
"""What the address says of a case whose findings were seen, so that it outlives a reload; without it they stand in view."""
_SET, _CASE, _FROM, _QUEUE = "review_set", "review_case", "review_from", "review_queue"
_LONGEST = 2_000
"""Cases of a queue whose progress is counted."""
_RECENT = 200
"""Decisions that the pace is taken of."""


class Queue(NamedTuple):
    """The cases of a set that are read, by id, in order."""

    of: str = ""
    ids: tuple[str, ...] = ()


def begin(of: str, ids: tuple[str, ...]) -> None:
    """Read these cases of a set, from the first on."""
    st.session_state[_QUEUE] = Queue(of, ids)
    _go(of, _queued(sets()[of]).cases[0].id)


def sets() -> dict[str, CaseSet]:
    """What can be reviewed, by name: the sets of this session, and the queues that are assigned to the reviewer."""
    name = st.session_state.get(NAME, "")
    loaded = {n: g for n, g in case_sets.sets().items() if g.cases}
    try:
        return loaded | {g.name: g for g in _assigned(default().database.shown, name, default().stamp()) if g.cases}
    except StoreError:
        # The page says it where it reads the decisions.
        return loaded


@keep(megabytes=64)
def _assigned(_path: str, name: str, _stamp: tuple[int, ...]) -> tuple[CaseSet, ...]:
    mine = [one for one in default().queues.all() if name in one.reviewers]
    texts = default().cases([key for one in mine for key in one.keys])
    return tuple(CaseSet(f"Queue {one.number}: {one.title}", tuple(texts[k] for k in one.keys if k in texts)) for one in mine)


def assigned() -> list[str]:
    """The queues that are assigned to the reviewer, the newest first."""
    return [name for name in sets() if name not in case_sets.sets()]


def opened() -> tuple[CaseSet, Case] | None:
    """The set in the order of its queue, and the case of the link or the heatmap, else what was open last; None without any."""
    available = sets()
    group, case = available.get(state.value(_SET, "")), None
    if group:
        case = next((c for c in group.cases if c.id == state.value(_CASE, "")), None) or _queued(group).cases[0]
    link, open_case = st.query_params.get(LINK), state.opened()
    elsewhere = case_sets.find(open_case) if open_case != st.session_state.get(_FROM, "") else None
    if elsewhere and link in (None, case_key(elsewhere[1])):
        # A user who comes from the heatmap means the case that is open there.
        group, case = elsewhere
    st.session_state[_FROM] = open_case
    if link and (case is None or case_key(case) != link):
        linked = next(((g, c) for g in available.values() for c in g.cases if case_key(c) == link), None)
        if linked:
            group, case = linked
        else:
            shell.notice("info", "The case in the link is not loaded in this session. Load its file on the Cases page.")
    if group is None or case is None:
        return None
    _open(group.name, case)
    queued = _queued(group)
    # A case that is not in the queue stands in its set.
    return (queued if any(c.id == case.id for c in queued.cases) else group), case


def resume(of: str, name: str) -> None:
    """Open a set at the first case that the reviewer has not read."""
    st.session_state[_QUEUE] = Queue(of)
    decided, cases = default().decided(name), sets()[of].cases
    _go(of, next((c for c in cases if sentences_left(c, decided.get(case_key(c), {}))), cases[0]).id)


def close() -> None:
    """Open the start."""
    for key in (_SET, _CASE):
        st.session_state.pop(key, None)
    for parameter in (LINK, "sentence", _VIEW):
        st.query_params.pop(parameter, None)


def unread(name: str) -> dict[str, int]:
    """By set: how many cases the reviewer has not read; without sets that are too long to count."""
    counted = [g for g in sets().values() if len(g.cases) <= _LONGEST and g.name != case_sets.SAMPLES]

    def count() -> dict[str, int]:
        decided = default().decided(name)
        return {g.name: sum(sentences_left(c, decided.get(case_key(c), {})) > 0 for c in g.cases) for g in counted}

    return state.once("review_unread_sets", (name, default().stamp(), tuple((g.name, len(g.cases)) for g in counted)), count, 1)


def moved(case: Case) -> bool:
    """Whether another case has been opened since this one was drawn."""
    return state.value(_CASE, case.id) != case.id


def bar(group: CaseSet, case: Case, name: str) -> None:
    """The row above the case: its question, and its neighbours."""
    in_order = group.name in (state.value(_QUEUE, Queue()).of, *assigned())
    casebar(group, case, _go, _label, f"{group.name} · reviewed by {name}", by_question=not in_order)


def case_of(key: str) -> Case | None:
    """A case of this session by its key."""
    return next((c for g in sets().values() for c in g.cases if case_key(c) == key), None)


def progress(group: CaseSet, case: Case, name: str) -> Callable[[], None] | None:
    """How many cases of the queue are read, what is left at the reviewer's own pace, and the way to the next unread one."""
    if len(group.cases) > _LONGEST:
        return None
    left = _left(group, case, name)
    unread = [c.id for c in group.cases if left[c.id]]
    rest = sum(left[c.id] for c in group.cases)
    words = f"{len(group.cases) - len(unread):,} of {plural(len(group.cases), 'case')} read, {plural(rest, 'sentence')} left"
    if unread and (seconds := pace(default().all(name, _RECENT))):
        words += f", about {spell(seconds * rest)} at your pace of {spell(seconds)} a sentence"
    at = [c.id for c in group.cases].index(case.id)
    after = [c.id for c in (*group.cases[at + 1 :], *group.cases[:at]) if left[c.id]]
    with st.container(horizontal=True, vertical_alignment="center", key="review_progress"):
        st.html(shell.note(f"{words}."), width="stretch")
        onward = partial(_go, group.name, after[0]) if after else None
        st.button("Next unread case", key="review_unread", disabled=not after, on_click=onward)
    return onward


def _left(group: CaseSet, case: Case, name: str) -> dict[str, int]:
    """Sentences left by case: counted once, then only those of the open case."""

    def count() -> dict[str, int]:
        decided = default().decided(name)
        return {c.id: sentences_left(c, decided.get(case_key(c), {})) for c in group.cases}

    left = state.once("review_left", (name, group.name, len(group.cases)), count, 1)
    left[case.id] = sentences_left(case, default().current(case_key(case), name))
    return left


def _queued(group: CaseSet) -> CaseSet:
    """The cases of the queue; all of the set if it has no queue, or no case of the queue is left."""
    now, by_id = state.value(_QUEUE, Queue()), {c.id: c for c in group.cases}
    ids = [i for i in now.ids if i in by_id] if now.of == group.name else []
    return CaseSet(group.name, tuple(by_id[i] for i in ids)) if ids else group


def _open(group: str, case: Case) -> None:
    st.session_state[_SET], st.session_state[_CASE] = group, case.id
    st.query_params[LINK] = case_key(case)


def _go(group: str, case_id: str) -> None:
    # The rest of the address belongs to the case before.
    for parameter in ("sentence", _VIEW):
        st.query_params.pop(parameter, None)
    _open(group, next(c for c in sets()[group].cases if c.id == case_id))


def _label(case: Case) -> str:
    return (" ".join(case.query.split()) or " ".join(case.response.split()) or "(empty)")[:90]


def linked_view() -> bool | None:
    """Whether seen findings stand in view, by the address; None where the reviewer has not chosen yet."""
    return _VIEWS.get(st.query_params.get(_VIEW, ""), True)


def link_view(in_view: bool | None) -> None:
    """Write into the address whether seen findings stand in view."""
    words = next((w for w, v in _VIEWS.items() if v is in_view), None)
    if words:
        st.query_params[_VIEW] = words
    else:
        st.query_params.pop(_VIEW, None)


def enter(name: str) -> None:
    """Review under a name, which this browser keeps; under an empty one the page asks again."""
    st.session_state[NAME] = name
    case_sets.pasted_store().keep_reviewer(name)


_SAID_START = "review_start"
_ABOUT = (
    "A matter holds documents and the answers that are checked against them; a file holds many cases. Whatever you load stands "
    "here then. A sample shows how a review goes."
)


def start(name: str) -> None:
    """The whole start: queues, matters and loaded cases of this reviewer, then what to begin with."""
    shell.heading("Review", f"You review as {name}. Open what waits to be read, or begin something new.")
    shell.show_said(_SAID_START)
    loaded, mine = case_sets.sets(), assigned()
    matters = [n for n in loaded if n.startswith(case_sets.matter_set(""))]
    others = [n for n in loaded if n not in (*matters, case_sets.SAMPLES)]
    for title, names in (("Assigned to you", mine), ("Matters", matters), ("Loaded cases", others)):
        if names:
            shell.section(title)
            _start_rows(names, name, "answer" if names is matters else "case")
    shell.section("Begin something new")
    st.html(shell.note(_ABOUT))
    with st.container(horizontal=True):
        if st.button("Create a matter and drop in its documents", key="start_matter", type="secondary" if mine else "primary"):
            st.switch_page("pages/cases.py", query_params={"from": "matters"})
        if st.button("Load a file of cases", key="start_file"):
            st.switch_page("pages/cases.py", query_params={"from": "upload"})
        st.button("Try a sample", key="start_sample", on_click=resume, args=(case_sets.SAMPLES, name))
    if not current_person():
        left = errors_shown(place=_SAID_START)(enter)
        st.button("Review under another name", key="review_other", type="tertiary", on_click=left, args=("",))


def _start_rows(names: Sequence[str], name: str, what: str) -> None:
    available, left = sets(), unread(name)
    for of in (n for n in names if n in available):
        count = plural(len(available[of].cases), what)
        rest = "" if of not in left else f", {left[of]:,} unread" if left[of] else ", all read"
        words = f"{of.removeprefix(case_sets.matter_set(''))}: {count}{rest}"
        with st.container(horizontal=True, vertical_alignment="center"):
            open_set = errors_shown(place=_SAID_START)(resume)
            st.button("Open", key=f"start_open_{of}", on_click=open_set, args=(of, name), help=f"Open {shell.plain(of)}")
            st.html(tag("p", words, class_="gs-line", dir="auto"), width="stretch")
