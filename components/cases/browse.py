"""Browse a set: its contents, its cases with filters, and one case with its gold labels."""

from collections.abc import Callable, Sequence
from html import escape

import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.cases import new_set, set_summary, variants
from components.controls import download, ticked
from components.opened.case_bar import LABELS, instructions_badge, subtitle
from groundscope.cases.dataset import to_jsonl
from groundscope.cases.error_types import TITLES
from groundscope.cases.parents import replaced_words
from groundscope.drawing import reader
from groundscope.drawing.html import Html, region, tag
from groundscope.types import Case


def show() -> None:
    """The whole tab."""
    group = _set()
    st.html(shell.note(set_summary.in_words(group)))
    if filtered := _filtered(group):
        _table(group, filtered)
        by_id = {c.id: c for c in filtered}
        _case(group, by_id.get(state.case_read() or case_sets.SHOWCASE[0], filtered[0]))
    else:
        shell.notice("info", "No case matches all filters. Remove a filter.")
    with st.expander("About this set", key="about_set"):
        set_summary.counts(group)
        set_summary.checks(group)
    new_set.card_panel(group)
    new_set.panel(group)


def _set() -> CaseSet:
    sets = case_sets.sets()
    if (browsed := state.browsed()) in sets:
        st.session_state["browse_set"] = browsed
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Set", list(sets), key="browse_set", persist_state="session")
        group = sets.get(name or case_sets.SAMPLES, sets[case_sets.SAMPLES])
        if group.name != case_sets.SAMPLES:
            st.button("Remove this set", key="remove_browsed", on_click=_remove, args=(group.name,))
    return group


def _remove(name: str) -> None:
    case_sets.remove(name)
    state.browse(case_sets.SAMPLES)


def area_of_law(case: Case) -> str:
    """The area without the jurisdiction: "Evidence" of "Evidence · Federal Rules"."""
    return case.area.split(" · ")[0]


def _types(case: Case) -> list[str]:
    return [TITLES[kind] for kind in case.types]


def _filtered(group: CaseSet) -> tuple[Case, ...]:
    """The cases that pass the filters; a filter with nothing to choose from is not drawn."""
    left = group.cases
    columns = iter(st.columns([2, 1, 1, 2]))
    several_areas = len({area_of_law(c) for c in group.cases}) != 1
    filters: tuple[tuple[str, str, Callable[[Case], Sequence[str]]], ...] = (
        ("Area", "areas", lambda c: [area_of_law(c) if several_areas else c.area] if c.area else []),
        ("Split", "splits", lambda c: [c.split] if c.split else []),
        ("Label", "labels", lambda c: [LABELS[c.grounded]]),
        ("Error type", "error types", _types),
    )
    for label, plural, values in filters:
        options = list(dict.fromkeys(v for c in group.cases for v in values(c)))
        if len(options) < 2:
            continue
        chosen = next(columns).multiselect(
            label, sorted(options), key=f"filter_{label}_{group.name}", placeholder=f"All {plural}", persist_state="session"
        )
        if chosen:
            left = tuple(c for c in left if set(chosen) & set(values(c)))
    return left


def _table(group: CaseSet, cases: Sequence[Case]) -> None:
    """The table of cases with its download; a ticked row opens that case."""
    import pandas as pd

    with st.container(horizontal=True, vertical_alignment="center"):
        of = "" if len(cases) == len(group.cases) else f" of {len(group.cases):,}"
        counted = f"{len(cases):,}{of} case{'s' if len(group.cases) != 1 else ''}"
        st.text(counted, help="Tick a row (by keyboard: Shift and Space) to read it below.")
        label = "Download these cases" if of else "Download the set"
        download(label, lambda: to_jsonl(cases), "cases.jsonl", "download_set")
        new_set.card_button(group)
    table = pd.DataFrame(
        {
            "Question": [c.query[:300] for c in cases],
            "Label": [LABELS[c.grounded] for c in cases],
            "Errors": [", ".join(_types(c)) or ("untyped" if c.unsupported else "") for c in cases],
            "Area": [c.area for c in cases],
            "Split": [c.split or "" for c in cases],
            "Id": [c.id for c in cases],
        }
    )
    # The filters are part of the key: a ticked row number means another case when the rows change.
    key = f"browse_table_{group.name}_{hash(tuple(c.id for c in cases))}"
    st.dataframe(
        table,
        hide_index=True,
        height=38 + 35 * min(len(cases), 4),
        on_select=lambda: _ticked(key, cases),
        selection_mode="single-row",
        key=key,
        alt=f"The cases of this set: {len(cases)} rows",
        column_config={"Question": st.column_config.Column(width=330)},
    )


def _ticked(key: str, cases: Sequence[Case]) -> None:
    row = ticked(key, len(cases))
    state.read_case(None if row is None else cases[row].id)


def _case(group: CaseSet, case: Case) -> None:
    with st.container(border=True):
        about = escape(subtitle(group, case, labelled=True))
        st.html(f'<p class="gs-sub">{about}</p><p class="gs-text"><b>{escape(case.query)}</b></p>')
        instructions_badge(case)
        if st.button("Open in the heatmap", type="primary", key="open_read"):
            state.open_heatmap(group.name, case)
        left, right = st.columns(2)
        left.html(_region("Response", reader.response_html(case)))
        right.html(_region("Sources", reader.context_html(case)))
        parent = next((c for c in group.cases if c.id == case.parent), None)
        if wrong := reader.errors_html(case, replaced_words(case, parent.response) if parent else ()):
            st.html(wrong)
        if case.evidence:
            st.html(
                '<p class="gs-sub">Numbers link each sentence of the response to the source sentences that annotators named '
                "as its evidence.</p>"
            )
        if case.grounded is not False:
            variants.panel(case)


def _region(name: str, inner: str) -> str:
    return tag("p", name, class_="gs-sub") + region(name, Html(inner), css="gs-scroll")
