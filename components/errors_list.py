"""The list of cases that the filters leave, a page at a time, and which of them is open."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import streamlit as st

from components import errors_filters, errors_matrix
from components.errors_cells import lines
from components.run_choice import Open
from evaluation.dataset import to_jsonl
from evaluation.misclassified import Calls
from evaluation.misclassified_cases import Filter, Order, Positions
from evaluation.run_data import Texts

PAGE_SIZE = 25
CASE = "case"
"""The link's parameter: the heatmap has the same."""
_KEPT = "errors_case"
_KEY = "errors_list"
_SEEN = "errors_seen"
_PAGE, _PAGE_WIDGET = "errors_page", "errors_page_number"
"""Which page of the list is shown; the address names the open case instead."""
_MANY = 6
"""Methods from which their names stand upright in the head of the list."""
_STATIC = Path(__file__).parent / "static"

_mount = st.components.v2.component(
    "groundscope_errors_list",
    html='<div class="errors"></div>',
    css=(_STATIC / "errors.css").read_text(encoding="utf-8"),
    js="\n".join((_STATIC / f"{name}.js").read_text(encoding="utf-8") for name in ("text", "errors_list")),
)


def show(
    open_: Open, calls: Calls, found: Positions, wanted: Filter, order: Order, names: Mapping[str, str], *, just_come: bool
) -> int | None:
    """Draw the list; gives where the open case stands in `calls`, None where none of the list is open.

    Args:
        open_: the run.
        calls: of its methods.
        found: places in `calls` of the cases to list, in order; at least one.
        wanted: the filters that they come from.
        order: what they are sorted by.
        names: of the methods by id.
        just_come: from another page: the open case then comes into view.
    """
    ids = open_.run.ids[calls.rows[found]]
    place = _open_place(ids)
    pages = -(-len(found) // PAGE_SIZE)
    page = _page(open_, wanted, order, place, pages)
    _head(open_, calls, found)
    inside = found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    rows = lines(
        open_.run,
        calls,
        open_.run.read_cases([int(r) for r in calls.rows[inside]]),
        [int(i) for i in inside],
        (page - 1) * PAGE_SIZE + 1,
        None if place is None else int(found[place]),
    )
    content = {
        "rows": rows,
        "methods": [{"title": names[i], "chosen": i in wanted.methods} for i in calls.ids],
        "upright": len(calls.ids) > _MANY,
        "caption": f"Cases {rows[0]['number']:,} to {rows[-1]['number']:,} of {len(found):,}",
        "page": f"{page} {hash((wanted, order))}",
        "jump": st.session_state.get(errors_matrix.JUMPS, 0),
        "arrived": just_come and place is not None,
    }
    _mount(key=_KEY, data=content, on_opened_change=lambda: _opened(set(ids[(page - 1) * PAGE_SIZE : page * PAGE_SIZE])))
    _steps(ids, place, page, pages)
    return None if place is None else int(found[place])


def _head(open_: Open, calls: Calls, found: Positions) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        of = "" if len(found) == len(calls.rows) else f" of {len(calls.rows):,}"
        st.text(f"{len(found):,}{of} labelled response{'s' if len(calls.rows) != 1 else ''}")
        st.button("Clear the filters", key="errors_clear", on_click=errors_filters.clear)
        st.download_button(
            "Download these cases",
            lambda: to_jsonl(open_.run.read_cases([int(r) for r in calls.rows[found]])),
            file_name="errors.jsonl",
            mime="application/jsonl",
            key="errors_download",
            on_click="ignore",
        )
    st.html(
        # The hint of a shortcut is too pale by itself.
        "<style>[class*=st-key-errors_] kbd { color: inherit; opacity: 1 }</style>"
        '<p class="gs-note">✓ right · ✗ wrong · – no verdict. Arrow keys move through the list, Enter opens a case; '
        "Alt and an arrow key go to the next one from anywhere on the page.</p>"
    )


def _page(open_: Open, wanted: Filter, order: Order, place: int | None, pages: int) -> int:
    """A list starts at its top when what it holds changes; who comes back to it, or by a link to a case, finds the place."""
    now = (open_.run.id, open_.split, str(open_.rules), wanted, order)
    before = st.session_state.get(_SEEN)
    st.session_state[_SEEN] = now
    if before is None:
        page = 1 if place is None else place // PAGE_SIZE + 1
    else:
        page = st.session_state.get(_PAGE, 1) if before == now else 1
    st.session_state[_PAGE] = min(max(1, page), pages)
    return int(st.session_state[_PAGE])


def _open_place(ids: Texts) -> int | None:
    """Where the case that the address names stands in the list."""
    wanted = st.query_params.get(CASE)
    hits = np.flatnonzero(ids == wanted)
    if wanted is None or not len(hits):
        return None
    st.session_state[_KEPT] = wanted
    return int(hits[0])


def come_back() -> None:
    """Name the case that was open last in the address, where it names none."""
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


def _steps(ids: Texts, place: int | None, page: int, pages: int) -> None:
    """To the cases before and after the open one, also over the border of a page; and the pages."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for text, shortcut, target in (
            ("Previous case", "Alt+Up", -1 if place is None else place - 1),
            ("Next case", "Alt+Down", 0 if place is None else place + 1),
        ):
            inside = 0 <= target < len(ids)
            at = target if inside else 0
            key = f"errors_{shortcut[4:].lower()}"
            args = (str(ids[at]), at // PAGE_SIZE + 1)
            st.button(text, key=key, shortcut=shortcut, disabled=not inside, on_click=_go, args=args)
        if pages > 1:
            st.session_state[_PAGE_WIDGET] = page
            st.number_input(f"Page of {pages:,}", 1, pages, key=_PAGE_WIDGET, on_change=_turn, width=150)


def _turn() -> None:
    st.session_state[_PAGE] = st.session_state[_PAGE_WIDGET]
