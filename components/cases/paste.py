"""Paste a case: question, answer and titled sources; and the list of cases pasted before."""

from html import escape
from itertools import count

import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.cases import documents
from components.controls import errors_shown
from groundscope.cases.browser_name import DAYS
from groundscope.cases.passages import from_paste, pasted_passages
from groundscope.runtime.byte_cache import keep
from groundscope.text.humanize import counted_sources, plural
from groundscope.text.sentences import context_sentences
from groundscope.types import Case, Passage

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
        for source in read:
            st.html(shell.note(f"{documents.described(source)}. {' '.join(source.notes)}"))
    response = right.text_area("Response: the answer to check", key="paste_response", height=340, persist_state="session")
    if not right.button("Check the answer", type="primary", key="paste_check"):
        return
    with errors_shown():
        more = [p for one in read for p in one.passages]
        case = documents.fitted(from_paste(query, sources, response, _new_id(), more))
        # The case is in the session all the same; the heatmap says that it is not kept beyond it.
        with errors_shown(place="heatmap"):
            case_sets.add_own(case)
        state.open_heatmap(case_sets.PASTED, case)


def _new_id() -> str:
    """A number that no pasted case has, here or in other tabs of this browser."""
    taken = {c.id for c in (*case_sets.cases_of(case_sets.PASTED), *case_sets.pasted_store().cases())}
    return next(name for i in count(len(taken) + 1) if (name := f"pasted-{i}") not in taken)


def _boxes() -> list[int]:
    return state.own("paste_boxes", [1])


def _add() -> None:
    _boxes().append(max(_boxes()) + 1)


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
            st.button(
                "Remove", key=f"paste_remove_{number}", on_click=_boxes().remove, args=(number,), help=f"Remove source {place}"
            )
    text = st.text_area(
        f"Text of source {place}",
        key=f"paste_context_{number}",
        persist_state="session",
        height=190 if len(_boxes()) == 1 else 120,
        help="One box can hold several sources: a line of three dashes or a line 'Source: ...' begins the next one.",
    )
    return title, text


@keep(megabytes=1)
def _counted(sources: tuple[tuple[str, str], ...]) -> str:
    passages: tuple[Passage, ...] = pasted_passages(sources)
    if not passages:
        return "No source yet"
    words = counted_sources(passages)
    if sum(len(p.text) for p in passages) > _COUNTED:
        return f"{words}, {sum(len(p.text) for p in passages):,} characters"
    return f"{words}, {plural(len(context_sentences(passages)), 'sentence')}"


_SHOWN = 5
_PLACE = "pasted_before"
_KEEP = "keep_pasted"


def pasted_before() -> None:
    """The list below the paste form; nothing of it leaves this machine."""
    _keeping()
    shell.show_said(_PLACE)
    cases = case_sets.cases_of(case_sets.PASTED)
    if not cases:
        return
    shell.section("Pasted before")
    for case in reversed(cases[-_SHOWN:]):
        _row(case)
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(cases) > _SHOWN:
            st.html(
                shell.note(f"The newest {_SHOWN} of {len(cases):,}; all are in the tab “Samples and loaded cases”."),
                width="content",
            )
        with st.popover(f"Forget {plural(len(cases), 'pasted case')}", key="forget_all"):
            st.html(shell.note("Their texts are deleted from this machine permanently."))
            st.button("Forget all", key="forget_all_yes", on_click=_forget, args=(None,))


def _keeping() -> None:
    """Whether pasted cases are kept beyond this session, and where."""
    store = case_sets.pasted_store()
    if not store.possible:
        st.html(
            shell.note("Pasted cases stay in this session: this browser accepts no cookies, so they cannot be found again later.")
        )
        return
    st.session_state[_KEEP] = store.on
    st.checkbox(
        "Keep pasted cases for my next visit",
        key=_KEEP,
        on_change=_set,
        help="In a file on the machine that runs Groundscope, which only the user who started it can read. This browser finds "
        f"them again by a cookie; no other browser does. They are deleted {DAYS} days after your last visit. If you turn this "
        "off, kept cases are deleted now, and those that you paste are gone when this tab closes.",
    )


def _row(case: Case) -> None:
    question = " ".join(case.query.split()) or " ".join(case.response.split())
    with st.container(horizontal=True, vertical_alignment="center", key=f"pasted_row_{case.id}"):
        if st.button("Open", key=f"open_{case.id}"):
            state.open_heatmap(case_sets.PASTED, case)
        st.button("Forget", key=f"forget_{case.id}", on_click=_forget, args=(case,))
        variant = f"Variant of {case.parent[:60]}: " if case.parent else ""
        st.html(f'<p class="gs-line" dir="auto">{escape(variant + question[:300])}</p>', width="stretch")


@errors_shown(place=_PLACE)
def _set() -> None:
    on = bool(st.session_state[_KEEP])
    case_sets.pasted_store().keep(on)
    for case in case_sets.cases_of(case_sets.PASTED) if on else ():
        case_sets.pasted_store().add(case)


@errors_shown(place=_PLACE)
def _forget(case: Case | None) -> None:
    if case is None:
        case_sets.remove(case_sets.PASTED)
    else:
        case_sets.add(CaseSet(case_sets.PASTED, tuple(c for c in case_sets.cases_of(case_sets.PASTED) if c != case)))
        # This one alone: other tabs of this browser may have kept more.
        case_sets.pasted_store().forget(case.id)
