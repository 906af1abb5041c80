"""The Review page: one case, its decisions, and after a reveal the findings, labels and what other people decided."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.controls import errors_shown, select_one, tabs
from components.opened import case_bar, record, runs, two_answers
from components.opened.choice import label
from components.review import agreement, board, exports, queue, revealed, saving, settle
from components.shell import component
from components.team.person import log_view
from components.worker.reading import read_once
from groundscope.drawing.board import prepared
from groundscope.errors import DataError, NotSavedYet
from groundscope.findings import FindingList
from groundscope.grounding.rules.run_with_rules import read_by
from groundscope.grounding.runs.arrays import RunData
from groundscope.review import case_key, default, reviewer_name
from groundscope.review.decisions import counting, undoable, unlabelled
from groundscope.review.queues import OPEN_ORDERS, QueueOrder
from groundscope.review.queues import queue as ordered
from groundscope.review.ratings import dispute_doubts, reviewed_rows, support_doubts
from groundscope.storage.team import Role, current_person, require
from groundscope.text.humanize import plural
from groundscope.types import Case

_KEY = "review"
_SAID = exports.SAID
_SEEN = "review_seen"
_VIEWS = "review_views"
"""Whether the findings stand in view, by reviewer and case of which they were seen before; None = not chosen yet."""
_EVERY = 3.0
"""Seconds after which a window looks for what another one decided."""

_mount = component(
    "review",
    root="groundscope",
    css=("heatmap", "review"),
    scripts=("text", "sources", "keys", "review_keys", "decision", "review"),
)


def show() -> None:
    """The form for a name, or the open case; on a server with logins, the name is the person's own."""
    if me := current_person():
        with errors_shown():
            require(Role.REVIEWER)
            st.session_state[queue.NAME] = me.email
        if me.role is Role.READER:
            # What waited for the database is not saved once the role is gone, and that has to be said.
            saving.away()
            shell.show_said(_SAID)
            return
    name = state.value(queue.NAME, "") or case_sets.pasted_store().reviewer()
    if not name:
        _form()
        return
    st.session_state[queue.NAME] = name
    parts = {"Two answers": errors_shown()(_two_answers), "Settle": errors_shown()(settle.show)}
    parts |= {"Agreement": errors_shown()(agreement.show)}
    tabs({"Read": _read, **parts}, "review_part", name)


def _read(name: str) -> None:
    if saving.away():
        return
    opened = queue.opened()
    if opened is None:
        with errors_shown():
            queue.start(name)
        return
    group, case = opened
    with st.container(horizontal=True, vertical_alignment="center", key="casebar"):
        queue.bar(group, case, name)
        back = state.way_back(case)
        if back and st.button("Back to the findings", key="review_back"):
            st.switch_page("pages/heatmap.py", query_params=back)
        with st.popover("Queue"):
            _draw_queue_form(group)
            st.button("Back to the start", key="review_start", on_click=queue.close)
    # Always a container, even if empty: if the texts moved down the page, the browser would forget what is not saved yet.
    with st.container():
        shell.show_said(_SAID)
    case_bar.note(case)
    bare = unlabelled(case)
    if read_once(bare, lambda: prepared(bare)) is None:
        return
    with errors_shown():
        log_view("read a case to review", case=case_key(case))
        in_view = _in_view(case, name)
        findings = revealed.listed(case) if in_view else None
        if in_view is None:
            _choose_view(case, name)
        st.fragment(_decide)(group, case, name, findings)
        st.fragment(_watch, run_every=_EVERY)(case, name)
        if findings:
            revealed.show(case, name, findings)
        elif in_view is False:
            _offer(case, name)
        exports.show(case, name, findings)


def _two_answers(name: str) -> None:
    """The open case beside another answer, each with its findings once they are revealed."""
    opened = queue.opened()
    others = case_sets.other_answers(*opened) if opened else ()
    if not (opened and others):
        shell.notice("info", "Open a case whose question has another answer, in its set or matter.")
        return
    shown = default().revealed(name)

    def side(case: Case) -> two_answers.AnswerSide:
        current, findings = default().current(case_key(case), name), case_key(case) in shown
        lines = {i: f"You: {board.SIGNS[d.decision.ruling]} {d.decision.ruling}" for i, d in current.items() if d.decision.ruling}
        return two_answers.AnswerSide(case, revealed.listed(case) if findings else None, lines)

    first, second = opened[1], two_answers.choose(others, others[0])
    two_answers.compare(lambda: (side(first), side(second)))


def _form() -> None:
    shell.heading("Review", "Read an answer sentence by sentence beside its sources, and decide by single keys.")
    st.html(
        "<p class='gs-measure'>Of what checks, methods, labels and other people say, this page sends nothing to your browser "
        "until you reveal it. Each decision is saved at once in the data of this app, with your name, the "
        "texts of its case, the time, and whether you had seen it. Everyone who can open this app can read it there. "
        "This browser remembers your name.</p>"
    )
    shell.show_said(_SAID)
    with st.form("review_form", border=False):
        st.text_input("Your name", key="review_name_field", max_chars=80, width=330)
        st.form_submit_button("Begin", type="primary", on_click=_begin)


@errors_shown(place=_SAID)
def _begin() -> None:
    queue.enter(reviewer_name(st.session_state.get("review_name_field") or ""))


def _in_view(case: Case, name: str) -> bool | None:
    """Whether the findings stand in view; None where the reviewer has seen them in the heatmap and has not chosen yet."""
    key, views = case_key(case), state.own(_VIEWS, dict[tuple[str, str], bool | None]())
    if key not in default().revealed(name):
        if not state.seen(case):
            return False
        # What is decided from now on is not blind, whatever stands on this page.
        default().reveal(name, case)
        views[name, key] = None
    in_view = views.setdefault((name, key), queue.linked_view())
    queue.link_view(in_view)
    return in_view


def _choose_view(case: Case, name: str) -> None:
    words = "You have seen the findings: decisions count as made with them in view."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(shell.note(words), width="stretch")
        for choice, in_view in (("Decide without them", False), ("Decide with the findings in view", True)):
            st.button(choice, key=f"review_view_{in_view}".lower(), on_click=_view, args=(case, name, in_view))


def _view(case: Case, name: str, in_view: bool) -> None:
    state.own(_VIEWS, dict[tuple[str, str], bool | None]())[name, case_key(case)] = in_view


def _decide(group: CaseSet, case: Case, name: str, findings: FindingList | None) -> None:
    if shell.has_said(_SAID) or saving.holding() or queue.moved(case):
        st.rerun()
    unread = queue.progress(group, case, name)
    history = default().history(case_key(case), name)
    linked = st.query_params.get("sentence", "")
    sentence = int(linked) - 1 if linked.isdecimal() and len(linked) < 7 else -1
    failed = state.own(saving.FAILED, default=False)
    data = board.drawn(
        case,
        counting(history),
        state.own(saving.DONE, 0.0),
        sentence=sentence,
        failed=failed,
        findings=findings,
        undo=[d.decision.sentence for d in undoable(history)],
        reviewer=name,
        more=unread is not None,
        settled=default().settled().get(case_key(case), {}) if findings else {},
    )
    _mount(
        key=_KEY,
        data=data,
        on_pending_change=lambda: saving.keep(case, name, st.session_state[_KEY].get("pending"), queue.case_of),
        on_next_change=unread or (lambda: None),
    )


def _watch(case: Case, name: str) -> None:
    """Draw the page again where another window decided; it draws nothing itself, since texts may be long."""
    try:
        current = default().current(case_key(case), name)
    except NotSavedYet:
        st.rerun()
    if other := saving.elsewhere(current, state.own(_SEEN, {}), case_key(case)):
        saving.tell(other)
        st.rerun()


def _offer(case: Case, name: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Reveal what methods, labels and others say", key="review_reveal"):
            default().reveal(name, case)
            _view(case, name, True)
            st.rerun()
        st.html(shell.note("Later decisions are marked as made with these in view."), width="stretch")


_SAID_QUEUE = "review_queue"
_RUN = "run "
_OPEN = "This order is based on method scores and can bias you: doubtful cases come first."


def _draw_queue_form(group: CaseSet) -> None:
    """The form that makes a queue, for the reviewer alone or for named reviewers."""
    shell.show_said(_SAID_QUEUE)
    titles = {name: name for name in queue.sets()} | {_RUN + i: f"Run: {label(e)}" for i, e in runs.run_list().entries.items()}
    sets = list(titles)
    key = f"review_queue_set_{group.name}_{len(sets)}"
    chosen = st.selectbox("Set or run", sets, sets.index(group.name), format_func=titles.__getitem__, key=key)
    order = QueueOrder(select_one(st, "Order", {o.value: o.value for o in QueueOrder}, "review_order"))
    run, method = _judged() if order in OPEN_ORDERS else "", ""
    if order in OPEN_ORDERS:
        st.html(shell.note(_OPEN))
        if order is QueueOrder.WEAKEST and run:
            method = _method(run)
    left, right = st.columns(2)
    most = left.number_input("Cases, 0 = all", 0, 1_000_000, key="review_most", persist_state="session")
    seed = right.number_input(
        "Seed of the draw",
        0,
        1_000_000,
        1,
        key="review_seed",
        persist_state="session",
        help="With the same seed another reviewer reads the same cases in the same order.",
    )
    cases = partial(_queue_cases, chosen or group.name, order, int(seed), int(most), run, method)
    if st.button("Begin this queue", type="primary", key="review_begin"):
        with errors_shown(place=_SAID_QUEUE):
            chosen_set = cases()
            queue.begin(chosen_set.name, tuple(c.id for c in chosen_set.cases))
        st.rerun()
    with st.expander("Assign it to reviewers"):
        st.text_input("Names, separated by commas", key="review_assignees", placeholder="Ada, Bo", max_chars=900)
        st.text_input("Title of the queue", key="review_title", max_chars=80)
        if st.button("Assign this queue", key="review_assign"):
            _assign(cases)


def _loaded(of: str) -> str:
    """The set of that name; the cases of a run are loaded as one."""
    if not of.startswith(_RUN):
        return of
    run = _run(of.removeprefix(_RUN), "This run is not here any more.")
    name = f"Run {run.name}"[:80]
    case_sets.add(CaseSet(name, tuple(run.read_cases(range(len(run.ids))))))
    return name


def _run(run_id: str, lacking: str) -> RunData:
    """A run; a DataError that says what is `lacking` where it is not here."""
    if entry := runs.run_list().entries.get(run_id):
        return runs.open_run(entry)
    raise DataError(lacking)


def _judged() -> str:
    entries = runs.run_list().entries
    if not entries:
        shell.notice("info", "There is no run yet, so there are no method scores. Start one on the Runs page.")
        return ""
    usual = record.chosen(record.choices()) or ""
    return select_one(st, "Run", {i: label(e) for i, e in entries.items()}, "review_run", usual)


def _method(run_id: str) -> str:
    with errors_shown():
        run = runs.open_run(runs.run_list().entries[run_id])
        return select_one(st, "Method", {m.id: m.title for m in run.methods}, f"review_method_{run_id}")
    return ""


def _queue_cases(of: str, order: QueueOrder, seed: int, most: int, run_id: str, method: str) -> CaseSet:
    """The queue; a DataError where the run says nothing of these cases."""
    of = _loaded(of)
    cases = queue.sets()[of].cases
    doubt = _doubt(cases, order, run_id, method) if order in OPEN_ORDERS else ()
    return CaseSet(of, tuple(cases[i] for i in ordered(cases, order, seed, most, doubt)))


def _doubt(cases: Sequence[Case], order: QueueOrder, run_id: str, method: str) -> list[float]:
    run = _run(run_id, "Choose a run for this order.")
    keys = [case_key(c) for c in cases]
    rows = reviewed_rows(run, dict(zip(keys, cases, strict=True)))
    if not rows:
        raise DataError("This run has judged none of these cases. Choose another run, or judge them on the Runs page.")
    if order is QueueOrder.WEAKEST:
        doubts = support_doubts(run, run.method(method), rows)
    else:
        ruled, _ = read_by(run, None, run_id)
        doubts = dispute_doubts(ruled.run, ruled.rules, rows)
    return [doubts.get(key, float("nan")) for key in keys]


def _assign(cases: Callable[[], CaseSet]) -> None:
    names = [n for n in st.session_state.get("review_assignees", "").split(",") if n.strip()]
    with errors_shown(place=_SAID_QUEUE):
        assignment = default().queues.assign(st.session_state.get("review_title", ""), names, cases().cases)
        count, names_of = plural(len(assignment.keys), "case"), ", ".join(assignment.reviewers)
        shell.say(_SAID_QUEUE, "good", f"{count} assigned to {names_of}; they find it at the start of Review.")
    st.rerun()
