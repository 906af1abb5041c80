"""The form that makes pairs of a set and starts a run over them."""

from functools import partial

import streamlit as st

from components import shell
from components.runs import copies, new_run
from components.worker.reading import read_once
from groundscope.files.apart import apart
from groundscope.grounding.sensitivity.pairs import KNOWN, SOURCE, PairSet, make
from groundscope.text.humanize import plural
from groundscope.types import Case

_AT_ONCE = 20_000
"""Bytes of cases that are edited in the server."""
_PAGE, _MOST = "sensitivity", 2_000


def show() -> None:
    """Choose a set, edits and methods; says what there is to judge, and what it takes."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = copies.set_field(_PAGE)
        most = st.number_input(
            "Pairs at most", 1, 200_000, _MOST, step=500, key="sensitivity_most", persist_state="session", width=160,
            help="Of kinds of edits with more than an equal share a sample is taken.",
        )  # fmt: skip
    titles = {o.name: o.title for o in KNOWN.values()}
    names = st.multiselect(
        "Edits", list(titles), format_func=titles.__getitem__, key="sensitivity_edits", persist_state="session",
        placeholder="All edits, and all changes of form",
    )  # fmt: skip
    methods = copies.methods_field(_PAGE, lambda method: not method.asks)
    chosen = (group.cases, int(most), tuple(names))
    found = read_once(("pairs", chosen), partial(_made, *chosen))
    if found is None:
        return
    st.html(shell.note(_words(found)))
    if not methods:
        return
    if new_run.offer_run(f"{SOURCE}{group.name}", "", f"Sensitivity, {group.name}", found.cases, methods, timed=False):
        st.rerun()


def _made(cases: tuple[Case, ...], most: int, names: tuple[str, ...]) -> PairSet:
    """Kept for the session: the edits of a large set take a minute."""
    return copies.kept(_PAGE, (cases, most, names), partial(apart, _AT_ONCE, make, cases, most, names))


def _words(found: PairSet) -> str:
    none = [KNOWN[name].title for name, count in found.counts.items() if not count]
    sentences = plural(len(found.cases) - found.pairs, "sentence")
    words = f"{plural(found.pairs, 'pair')}: {sentences} of {plural(found.sound, 'grounded answer')}, each beside its variants."
    return f"{words} No place for: {', '.join(none)}." if none else words
