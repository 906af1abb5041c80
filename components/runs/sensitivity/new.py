"""The form that makes pairs of a set and starts a run over them."""

from functools import partial

import streamlit as st

from components import shell, state
from components.runs import new_run
from components.worker import scoring
from components.worker.reading import read_once
from groundscope.files.apart import apart
from groundscope.grounding.sensitivity.pairs import KNOWN, SOURCE, PairSet, make
from groundscope.humanize import plural
from groundscope.types import Case

_AT_ONCE = 20_000
"""Bytes of cases that are edited in the server."""
_MOST, _KEPT = 2_000, 3


def show() -> None:
    """Choose a set, edits and methods; says what there is to judge, and what it takes."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Cases", list(state.sets()), key="sensitivity_set", persist_state="session")
        group = state.sets()[name if name in state.sets() else state.SAMPLES]
        most = st.number_input(
            "Pairs at most", 1, 200_000, _MOST, step=500, key="sensitivity_most", persist_state="session", width=160,
            help="Of kinds of edits with more than an equal share a sample is taken.",
        )  # fmt: skip
    titles = {o.name: o.title for o in KNOWN.values()}
    names = st.multiselect(
        "Edits", list(titles), format_func=titles.__getitem__, key="sensitivity_edits", persist_state="session",
        placeholder="All edits, and all changes of form",
    )  # fmt: skip
    ready = {m.id: m.about.title for m in scoring.methods() if not m.missing}
    local = [m for m in ready if not scoring.loaded(m).asks]
    methods = st.multiselect(
        "Methods", list(ready), default=local, format_func=ready.__getitem__, key="sensitivity_methods",
        persist_state="session", placeholder="Choose at least one method",
    )  # fmt: skip
    chosen = (group.cases, int(most), tuple(names))
    found = read_once(("pairs", chosen), partial(_made, *chosen))
    if found is None:
        return
    st.html(shell.note(_words(found)))
    if not methods:
        shell.notice("info", "Choose at least one method.")
        return
    if new_run.offer_run(f"{SOURCE}{group.name}", "", f"Sensitivity, {group.name}", found.cases, methods, timed=False):
        st.rerun()


def _made(cases: tuple[Case, ...], most: int, names: tuple[str, ...]) -> PairSet:
    """Kept for the session: the edits of a large set take a minute."""
    kept: dict[object, PairSet] = state.own("sensitivity_made", {})
    key = (cases, most, names)
    if key not in kept:
        state.last_few(kept, _KEPT)
        kept[key] = apart(_AT_ONCE, make, cases, most, names)
    return kept[key]


def _words(found: PairSet) -> str:
    none = [KNOWN[name].title for name, count in found.counts.items() if not count]
    sentences = plural(len(found.cases) - found.pairs, "sentence")
    words = f"{plural(found.pairs, 'pair')}: {sentences} of {plural(found.sound, 'grounded answer')}, each beside its variants."
    return f"{words} No place for: {', '.join(none)}." if none else words
