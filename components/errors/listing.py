"""The filtered list of cases, one page at a time, and the open case."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from components.controls import download
from components.errors import filters, matrix
from components.errors.cells import lines
from components.opened.choice import RunView
from components.shell import component
from groundscope.cases.dataset import to_jsonl
from groundscope.grounding.misclassified.calls import Calls, CaseFilter, Order, Positions
from groundscope.grounding.runs.arrays import Integers

PAGE_SIZE = 25
CASE = "case"
"""The link's parameter, the same as on the heatmap."""
_KEPT = "errors_case"
_KEY = "errors_list"
_SEEN = "errors_seen"
_PAGE, _PAGE_WIDGET = "errors_page", "errors_page_number"
"""Session key of the page of the list; the address has the open case instead."""
_MOST_SAVED = 20_000
"""Cases in a file that is downloaded: as many as are read from one."""
_MANY = 6
"""From this number of methods, their names are vertical in the head of the list."""

_mount = component("errors_list", root="errors", css=("errors",), scripts=("text", "rows", "errors_list"))


def show(
    view: RunView,
    calls: Calls,
    positions: Positions,
    case_filter: CaseFilter,
    order: Order,
    names: Mapping[str, str],
    *,
    just_come: bool,
) -> int | None:
    """Draw the list of the cases at the indices `found` in `calls`, at least one; return the index of the open case, or None.

    The open case scrolls into view if the user has just come from another page.
    """
    rows_found = calls.rows[positions]
    place = _open_place(view, rows_found)
    pages = -(-len(positions) // PAGE_SIZE)
    page = _page(view, case_filter, order, place, pages)
    _head(view, calls, positions)
    inside = positions[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    ids = view.run.ids[calls.rows[inside]]
    rows = lines(
        view.run,
        calls,
        view.run.read_cases([int(r) for r in calls.rows[inside]]),
        [int(i) for i in inside],
        (page - 1) * PAGE_SIZE + 1,
        None if place is None else int(positions[place]),
    )
    content = {
        "rows": rows,
        "methods": [{"title": names[i], "chosen": i in case_filter.methods} for i in calls.ids],
        "upright": len(calls.ids) > _MANY,
        "caption": f"Cases {rows[0]['number']:,} to {rows[-1]['number']:,} of {len(positions):,}",
        "page": f"{page} {hash((case_filter, order))}",
        "jump": st.session_state.get(matrix.JUMPS, 0),
        "arrived": just_come and place is not None,
    }
    _mount(key=_KEY, data=content, on_opened_change=lambda: _opened(set(ids)))
    _steps(view, rows_found, place, page, pages)
    return None if place is None else int(positions[place])


def _head(view: RunView, calls: Calls, positions: Positions) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        of = "" if len(positions) == len(calls.rows) else f" of {len(calls.rows):,}"
        st.text(f"{len(positions):,}{of} labelled response{'s' if len(calls.rows) != 1 else ''}")
        st.button("Clear filters", key="errors_clear", on_click=filters.clear)
        rows = calls.rows[positions[:_MOST_SAVED]]
        label = "Download these cases" if len(rows) == len(positions) else f"Download the first {_MOST_SAVED:,} cases"
        download(label, lambda: to_jsonl(view.run.read_cases(rows.tolist())), "errors.jsonl", "errors_download")
    st.html(
        # Streamlit's shortcut hint is too pale.
        "<style>[class*=st-key-errors_] kbd { color: inherit; opacity: 1 }</style>"
        '<p class="gs-note">✓ right · ✗ wrong · – no verdict. Arrow keys move through the list, Enter opens a case; '
        "Alt and an arrow key open the next one from anywhere on the page.</p>"
    )


def _page(view: RunView, case_filter: CaseFilter, order: Order, place: int | None, pages: int) -> int:
    """A changed list starts at its top; a user who comes back, or follows a link to a case, sees its place in the list."""
    now = (view.run.id, view.split, str(view.rules), case_filter, order)
    before = st.session_state.get(_SEEN)
    st.session_state[_SEEN] = now
    if before is None:
        page = 1 if place is None else place // PAGE_SIZE + 1
    else:
        page = st.session_state.get(_PAGE, 1) if before == now else 1
    st.session_state[_PAGE] = min(max(1, page), pages)
    return int(st.session_state[_PAGE])


def _open_place(view: RunView, rows: Integers) -> int | None:
    """The index in the list, of cases in these rows, of the case in the address."""
    case_id = st.query_params.get(CASE)
    named = np.flatnonzero(view.run.ids == case_id) if case_id is not None else np.empty(0, dtype=np.intp)
    hits = np.flatnonzero(np.isin(rows, named))
    if not len(hits):
        return None
    st.session_state[_KEPT] = case_id
    return int(hits[0])


def come_back() -> None:
    """Put the case that was open last into the address, if it names none."""
    if CASE not in st.query_params and _KEPT in st.session_state:
        st.query_params[CASE] = st.session_state[_KEPT]


def _opened(allowed: set[str]) -> None:
    value = st.session_state[_KEY].get("opened")
    if isinstance(value, str) and value in allowed:
        _go(value)


def _go(case_id: str, page: int | None = None) -> None:
    st.query_params[CASE] = st.session_state[_KEPT] = case_id
    if page is not None:
        st.session_state[_PAGE] = page


def _steps(view: RunView, rows: Integers, place: int | None, page: int, pages: int) -> None:
    """Buttons to the previous and the next case, also across pages; and the page number."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for text, shortcut, target in (
            ("Previous case", "Alt+Up", -1 if place is None else place - 1),
            ("Next case", "Alt+Down", 0 if place is None else place + 1),
        ):
            inside = 0 <= target < len(rows)
            at = target if inside else 0
            key = f"errors_{shortcut[4:].lower()}"
            args = (str(view.run.ids[rows[at]]), at // PAGE_SIZE + 1)
            st.button(text, key=key, shortcut=shortcut, disabled=not inside, on_click=_go, args=args)
        if pages > 1:
            st.session_state[_PAGE_WIDGET] = page
            st.number_input(f"Page of {pages:,}", 1, pages, key=_PAGE_WIDGET, on_change=_turn, width=150)


def _turn() -> None:
    st.session_state[_PAGE] = st.session_state[_PAGE_WIDGET]
