"""The form that makes a queue, for the reviewer alone or for named reviewers."""

from collections.abc import Sequence

import streamlit as st

from components import case_sets, shell
from components.case_sets import CaseSet
from components.controls import select_one
from components.heatmap import record
from components.review import queue
from components.runs import runs
from components.runs.choice import label
from groundscope.errors import DataError, GroundscopeError
from groundscope.grounding.tuning import starting_rules
from groundscope.review import case_key, default
from groundscope.review.judges import dispute_doubts, reviewed_rows, support_doubts
from groundscope.review.queues import OPEN_ORDERS, QueueOrder
from groundscope.review.queues import queue as ordered
from groundscope.text.humanize import plural
from groundscope.types import Case

SAID = "review_queue"
_RUN = "run "
_OPEN = "This order comes of what methods say, so it says something itself: the first cases are the doubtful ones."


def draw(group: CaseSet) -> None:
    """The popover's content."""
    shell.show_said(SAID)
    titles = {name: name for name in queue.sets()} | {_RUN + i: f"Run: {label(e)}" for i, e in runs.shelf().entries.items()}
    known = list(titles)
    key = f"review_queue_set_{group.name}_{len(known)}"
    chosen = st.selectbox("Set or run", known, known.index(group.name), format_func=titles.__getitem__, key=key)
    order = QueueOrder(select_one(st, "Order", {o.value: o.value for o in QueueOrder}, "review_order"))
    run, method = _judged() if order in OPEN_ORDERS else ("", "")
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
    made = (chosen or group.name, order, int(seed), int(most), run, method)
    if st.button("Begin this queue", type="primary", key="review_begin"):
        _begin(*made)
    with st.expander("Assign it to reviewers"):
        st.text_input("Names, separated by commas", key="review_assignees", placeholder="Ada, Bo", max_chars=900)
        st.text_input("Title of the queue", key="review_title", max_chars=80)
        if st.button("Assign this queue", key="review_assign"):
            _assign(*made)


def _loaded(of: str) -> str:
    """The set of that name; the cases of a run are loaded as one."""
    if not of.startswith(_RUN):
        return of
    entry = runs.shelf().entries.get(of.removeprefix(_RUN))
    run = runs.readable(entry) if entry else "This run is not here any more."
    if isinstance(run, str):
        raise DataError(run)
    name = f"Run {run.name}"[:80]
    case_sets.add(CaseSet(name, tuple(run.read_cases(range(len(run.ids))))))
    return name


def _judged() -> tuple[str, str]:
    entries = runs.shelf().entries
    if not entries:
        shell.notice("info", "There is no run yet, so nothing is known of what methods say. Start one on the Runs page.")
        return "", ""
    usual = record.chosen(record.choices()) or ""
    return select_one(st, "Run", {i: label(e) for i, e in entries.items()}, "review_run", usual), ""


def _method(run_id: str) -> str:
    run = runs.readable(runs.shelf().entries[run_id])
    if isinstance(run, str):
        shell.notice("bad", run)
        return ""
    return select_one(st, "Method", {m.id: m.title for m in run.methods}, f"review_method_{run_id}")


def _cases(of: str, order: QueueOrder, seed: int, most: int, run_id: str, method: str) -> CaseSet:
    """The queue; a DataError where the run says nothing of these cases."""
    of = _loaded(of)
    cases = queue.sets()[of].cases
    doubt = _doubt(cases, order, run_id, method) if order in OPEN_ORDERS else ()
    return CaseSet(of, tuple(cases[i] for i in ordered(cases, order, seed, most, doubt)))


def _doubt(cases: Sequence[Case], order: QueueOrder, run_id: str, method: str) -> list[float]:
    entry = runs.shelf().entries.get(run_id)
    run = runs.readable(entry) if entry else "Choose a run for this order."
    if isinstance(run, str):
        raise DataError(run)
    keys = [case_key(c) for c in cases]
    rows = reviewed_rows(run, dict(zip(keys, cases, strict=True)))
    if not rows:
        raise DataError("This run has judged none of these cases. Choose another run, or judge them on the Runs page.")
    by_support = order is QueueOrder.WEAKEST
    found = support_doubts(run, run.method(method), rows) if by_support else dispute_doubts(run, starting_rules(run), rows)
    return [found.get(key, float("nan")) for key in keys]


def _begin(of: str, order: QueueOrder, seed: int, most: int, run: str, method: str) -> None:
    try:
        made = _cases(of, order, seed, most, run, method)
        queue.begin(made.name, tuple(c.id for c in made.cases))
    except GroundscopeError as error:
        shell.say(SAID, "bad", str(error))
    st.rerun()


def _assign(of: str, order: QueueOrder, seed: int, most: int, run: str, method: str) -> None:
    names = [n for n in st.session_state.get("review_assignees", "").split(",") if n.strip()]
    try:
        cases = _cases(of, order, seed, most, run, method).cases
        made = default().queues.assign(st.session_state.get("review_title", ""), names, cases)
        words = f"{plural(len(made.keys), 'case')} assigned to {', '.join(made.reviewers)}; it opens when they enter their names."
        shell.say(SAID, "good", words)
    except GroundscopeError as error:
        shell.say(SAID, "bad", str(error))
    st.rerun()
