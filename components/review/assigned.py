"""The queues that are assigned, and how far each reviewer is."""

import streamlit as st

from components import shell
from groundscope.drawing.html import region, table
from groundscope.errors import StoreError
from groundscope.review import default
from groundscope.review.queues import sentences_left
from groundscope.runtime.kept import keep

_SAID = "review_assigned"
_Line = tuple[int, str, int, tuple[tuple[str, int], ...]]


def show() -> None:
    """Nothing where no queue is assigned."""
    shell.show_said(_SAID)
    lines = _read(default().database.shown, default().stamp())
    if not lines:
        return
    shell.section("Queues")
    rows = [
        (f"{number}: {title}", f"{cases:,}", ", ".join(f"{name} {read:,} of {cases:,}" for name, read in people))
        for number, title, cases, people in lines
    ]
    st.html(region("Queues", table(["Queue", "Cases", "Read"], rows, css="gs-counts gs-names")))
    with st.popover("Withdraw a queue"):
        titles = {number: f"{number}: {title}" for number, title, *_ in lines}
        chosen = st.selectbox("Queue", list(titles), format_func=titles.__getitem__, key="review_withdraw")
        st.html(shell.note("Decisions stay. Texts of cases without a decision or reveal, in no other queue, are deleted."))
        st.button("Withdraw", key="review_withdraw_now", on_click=_withdraw, args=(chosen,))


@keep(megabytes=2)
def _read(_path: str, _stamp: tuple[int, ...]) -> tuple[_Line, ...]:
    store, lines = default(), []
    for one in store.queues.all():
        texts = store.cases(one.keys)
        people = []
        for name in one.reviewers:
            decided = store.decided(name)
            people.append((name, sum(not sentences_left(case, decided.get(key, {})) for key, case in texts.items())))
        lines.append((one.number, one.title, len(texts), tuple(people)))
    return tuple(lines)


def _withdraw(number: int) -> None:
    try:
        default().queues.withdraw(number)
    except StoreError as error:
        shell.say(_SAID, "bad", str(error))
