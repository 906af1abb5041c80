"""The form for one case of one's own: a question, an answer, and sources that stay apart, each in a box with a title."""

from itertools import count

import streamlit as st

from components import case_sets, shell, state
from components.cases import documents
from groundscope.cases.pasted import from_paste, pasted_passages
from groundscope.errors import GroundscopeError
from groundscope.runtime.byte_cache import keep
from groundscope.text.humanize import plural
from groundscope.text.sentences import context_sentences
from groundscope.types import Passage

_MOST = 60
"""Boxes at most; more sources fit into one box, each under a line 'Source: ...'."""
_COUNTED = 50_000
"""Characters up to which sentences are counted while the user still types: longer sources take too long."""


@st.fragment
def form() -> None:
    """The paste form; a valid paste opens in the heatmap."""
    query = st.text_input("Question", placeholder="The question that was asked", key="paste_query", persist_state="session")
    left, right = st.columns(2)
    with left:
        sources = [_box(number, place) for place, number in enumerate(_boxes(), 1)]
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Add a source", key="paste_add", on_click=_add, disabled=len(_boxes()) >= _MOST)
            st.html(shell.note(_counted(tuple(sources))), width="content")
        read = documents.read_files(documents.uploader("paste_files"), "paste_files").values()
        for one in read:
            st.html(shell.note(f"{documents.described(one)}. {' '.join(one.notes)}"))
    response = right.text_area("Response: the answer to check", key="paste_response", height=340, persist_state="session")
    if not right.button("Check the answer", type="primary", key="paste_check"):
        return
    try:
        more = [p for one in read for p in one.passages]
        case = documents.fitted(from_paste(query, sources, response, _new_id(), more))
    except GroundscopeError as error:
        shell.notice("bad", str(error))
        return
    try:
        case_sets.add_own(case)
    except GroundscopeError as error:
        # The case is in the session all the same; the heatmap says that it is not kept beyond it.
        shell.say("heatmap", "bad", str(error))
    state.open_heatmap(case_sets.PASTED, case)


def _new_id() -> str:
    """A number that no pasted case has, here or in other tabs of this browser."""
    taken = {c.id for c in (*case_sets.cases_of(case_sets.PASTED), *case_sets.pasted_store().cases())}
    return next(name for i in count(len(taken) + 1) if (name := f"pasted-{i}") not in taken)


def _boxes() -> list[int]:
    return state.own("paste_boxes", [1])


def _add() -> None:
    _boxes().append(max(_boxes()) + 1)


def _remove(number: int) -> None:
    _boxes().remove(number)


def _box(number: int, place: int) -> tuple[str, str]:
    """One source: (title, text)."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        title = st.text_input(
            f"Title of source {place}",
            placeholder="such as Fed. R. Civ. P. 37(e)",
            key=f"paste_title_{number}",
            persist_state="session",
        )
        if len(_boxes()) > 1:
            st.button("Remove", key=f"paste_remove_{number}", on_click=_remove, args=(number,), help=f"Remove source {place}")
    text = st.text_area(
        f"Text of source {place}",
        key=f"paste_context_{number}",
        persist_state="session",
        height=190 if len(_boxes()) == 1 else 120,
        help="Several sources may stand in one box: a line of three dashes or a line 'Source: ...' begins the next one.",
    )
    return title, text


@keep(megabytes=1)
def _counted(sources: tuple[tuple[str, str], ...]) -> str:
    passages: tuple[Passage, ...] = pasted_passages(sources)
    if not passages:
        return "No source yet"
    words = plural(len(passages), "source")
    if sum(len(p.text) for p in passages) > _COUNTED:
        return f"{words}, {sum(len(p.text) for p in passages):,} characters"
    return f"{words}, {plural(len(context_sentences(passages)), 'sentence')}"
