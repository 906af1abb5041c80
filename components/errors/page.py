"""The errors page: what each method misses by error type, and the cases behind each number, one page of the list at a time."""

from collections.abc import Mapping
from html import escape

import numpy as np
import streamlit as st

from components import shell
from components.controls import download, select_one
from components.errors import filters, matrix, types_of_run
from components.errors.cells import OUTCOME_TITLES, SYMBOLS, VERDICT_WORDS, lines
from components.opened import choice
from components.opened.choice import RunView
from components.opened.run_figures import BY_KEY, sentences
from components.opened.run_words import chance_words, rule_words, titles
from components.shell import component
from groundscope.cases.dataset import to_jsonl
from groundscope.drawing import reader
from groundscope.drawing.html import Html, region, table
from groundscope.grounding.misclassified.calls import (
    OUTCOMES,
    Calls,
    CaseFilter,
    ConfusionCell,
    Order,
    Positions,
    calls,
    cells,
    ordered,
    sentence_to_read,
)
from groundscope.grounding.misclassified.table import ErrorTable, error_table
from groundscope.grounding.runs.arrays import STATUSES, Integers
from groundscope.methods.advice import recommended
from groundscope.types import Status


def show(view: RunView) -> None:
    """Everything under the bar of the run."""
    if not len(view.rows):
        shell.notice("info", "No response here has a label. Choose other responses or another run.")
        return
    if not view.rules:
        shell.notice("info", "No method of this run has a threshold. Tune thresholds on the Thresholds page.")
        return
    lead = st.container()
    types_of_run.show(view.whole)
    _cases(view)
    # Last: the sentences of a large set take seconds, and the table is there meanwhile.
    with lead, st.spinner("Reading the labelled sentences"):
        words = chance_words([m.title for m in view.run.methods], sentences(view))
        if words:
            st.html(f'<p class="gs-lead gs-measure">{escape(words)}</p>')


def _cases(view: RunView) -> None:
    """The matrix, the filters, and the cases that they leave."""
    # Streamlit drops widgets when the page changes: if this one is missing, the user comes from another page.
    just_come = matrix.TAB not in st.session_state
    if just_come:
        come_back()
    calls, table = _counted(view)
    names = titles(view.run)
    # The matrix is above the filters, and shows the cell that matches them.
    top = st.container()
    shell.section("The cases")
    # The first candidate is no method: it is recommended where none of the run is on the record.
    signatures = {filters.ALL: filters.ALL, **{m.id: m.signature for m in view.run.methods}}
    first_method = recommended({m: signatures[m] for m in (filters.ALL, *calls.ids)}).method
    case_filter, order = filters.choose(calls, names, first_method, just_come=just_come)
    with top:
        matrix.show(view, calls, table, case_filter)
    left = _ordered(view, calls, case_filter, order)
    if not len(left):
        shell.notice("info", "No response matches all filters.")
        st.button("Clear filters", key="errors_clear", type="primary", on_click=filters.clear)
        return
    opened = _list(view, calls, left, case_filter, order, names, just_come=just_come)
    if opened is not None:
        _case(view, calls, opened, case_filter, names)


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs=BY_KEY)
def _ordered(view: RunView, _calls: Calls, case_filter: CaseFilter, order: Order) -> Positions:
    return ordered(_calls, case_filter, order)


@st.cache_resource(max_entries=2, show_spinner=False, hash_funcs=BY_KEY)
def _counted(view: RunView) -> tuple[Calls, ErrorTable]:
    judged = calls(view.run, view.rules, view.verdicts, view.rows)
    return judged, error_table(judged)


_STATES = {
    Status.INVALID: "its answer could not be read",
    Status.ABSTAINED: "it abstained",
    Status.NOT_ASSESSABLE: "nothing to compare",
    Status.FAILED: "it could not run",
}
_NOTE = 240


def _case(view: RunView, calls: Calls, at: int, case_filter: CaseFilter, names: Mapping[str, str]) -> None:
    row = int(calls.rows[at])
    case = view.run.case(row)
    with st.container(border=True, key="errors_case_box"):
        label = "grounded" if calls.grounded[at] else "ungrounded"
        facts = [case.area, case.split or "", f"labelled {label}", case.id]
        st.html(
            f'<p class="gs-sub" dir="auto">{escape(" · ".join(f for f in facts if f))}</p>'
            f'<p class="gs-text" dir="auto"><b>{escape(case.query or "(no question)")}</b></p>'
        )
        _heatmap(view, calls, at, case_filter, names)
        left, right = st.columns(2)
        left.html(region("Response", Html(reader.response_html(case)), css="gs-scroll"))
        unmarked = "Labelled grounded: no errors." if calls.grounded[at] else "Labelled ungrounded, without a marked span."
        left.html(reader.errors_html(case) or f'<p class="gs-sub">{unmarked}</p>')
        right.html(region("Verdicts of the methods", Html(_calls_html(view, calls, at, names)), css="gs-scroll"))
        with right.expander("Context"):
            st.html(reader.context_html(case))


def _heatmap(view: RunView, calls: Calls, at: int, case_filter: CaseFilter, names: Mapping[str, str]) -> None:
    """The button that opens the case in the heatmap with the method that the user filtered for."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = calls.ids.index(method_to_read(calls, at, case_filter, {m.id: m.signature for m in view.run.methods}))
        row = int(calls.rows[at])
        titles, key = {i: names[i] for i in calls.ids}, f"errors_method_{row}_{place}"
        method_id = select_one(st, "Method in the heatmap", titles, key, calls.ids[place], width=320)
        if st.button("Open in the heatmap", type="primary", key="errors_open"):
            choice.open_case(view.run, row, method_id, sentence_to_read(view.run, row, view.run.case(row), method_id))


def method_to_read(calls: Calls, at: int, case_filter: CaseFilter, signatures: Mapping[str, str]) -> str:
    """The recommended one of the methods whose calls match the filters; else of those that are wrong; else of all."""
    asked = np.flatnonzero(cells(calls, case_filter)[:, at]) if case_filter.methods or case_filter.outcomes else ()
    wrong = np.flatnonzero(
        np.isin(calls.outcomes[:, at], [OUTCOMES.index(o) for o in (ConfusionCell.MISSED, ConfusionCell.ALARM)])
    )
    able = next((places for places in (asked, wrong) if len(places)), range(len(calls.ids)))
    return recommended({calls.ids[i]: signatures[calls.ids[i]] for i in able}).method


def _calls_html(view: RunView, calls: Calls, at: int, names: Mapping[str, str]) -> str:
    lines = []
    for place, method_id in enumerate(calls.ids):
        outcome = OUTCOMES[calls.outcomes[place, at]]
        rule = view.rules[method_id]
        value = calls.margins[place, at] + rule.threshold
        lines.append(
            (
                names[method_id],
                VERDICT_WORDS[int(calls.verdicts[place, at])],
                f"{SYMBOLS[outcome]} {OUTCOME_TITLES[outcome].lower()}{_why(view, method_id, at, calls, outcome)}",
                "–" if np.isnan(value) else f"{value:.3f}",
                rule_words(rule).removeprefix("threshold "),
            )
        )
    return table(("Method", "Call", "Outcome", "Support", "Threshold"), lines, caption="Verdicts of the methods")


def _why(view: RunView, method_id: str, at: int, calls: Calls, outcome: ConfusionCell) -> str:
    """Why there is no verdict: the method's own note, else its state."""
    if outcome is not ConfusionCell.NONE:
        return ""
    place, row = view.run.method(method_id), int(calls.rows[at])
    note = " ".join(view.run.read_notes(place, [row])[0].split())
    return f": {note[:_NOTE] or _STATES.get(STATUSES[view.run.status[place, row]], 'no sentence has a support')}"


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


def _list(
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
            st.number_input(
                f"Page of {pages:,}",
                1,
                pages,
                key=_PAGE_WIDGET,
                width=150,
                on_change=lambda: st.session_state.update({_PAGE: st.session_state[_PAGE_WIDGET]}),
            )
