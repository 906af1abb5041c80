"""The form that copies answers and starts a run over the copies."""

from functools import partial

import streamlit as st

from components import shell
from components.controls import errors_shown, several_of
from components.runs import copies, new_run
from components.runs.new_run import Copied
from groundscope.grounding.stability.readings import FEWEST, KINDS, MOST, SOURCE, ReadingSet, make, rewordings_of
from groundscope.text.humanize import plural

_PAGE, _TIMES, _CASES = "stability", 5, 50


def show() -> None:
    """Choose a set, kinds and methods; says what there is to ask, and what it takes."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = copies.set_field(_PAGE)
        most = st.number_input(
            "Answers at most", 1, 100_000, _CASES, step=10, key=f"{_PAGE}_most", persist_state="session", width=160,
            help="Of more, a sample is taken.",
        )  # fmt: skip
        times = st.number_input(
            "Readings of each", FEWEST, MOST, _TIMES, key=f"{_PAGE}_times", persist_state="session", width=160,
            help="In each kind; the answer as it is counts as one of them, and is judged once for all kinds.",
        )  # fmt: skip
    titles = {str(kind): title for kind, title in KINDS.items()}
    more = {"persist_state": "session", "placeholder": "All kinds"}
    chosen = several_of(st, "Kinds of readings", titles, f"{_PAGE}_kinds", **more)
    kinds = tuple(kind for kind in KINDS if kind in chosen)
    # A method that asks another one several times costs as many times as much: the user adds it.
    methods = copies.methods_field(_PAGE, lambda method: method.asks and not method.methods)
    here = new_run.parts_here(methods)
    if not here:
        return
    wordings = rewordings_of(method for _, method in here)
    asked = (group.cases, int(times), kinds, wordings, int(most))
    with errors_shown():
        found = copies.kept(_PAGE, asked, partial(make, *asked[:3], wordings=wordings, most=int(most)))
        st.html(shell.note(_words(found)))
        copied = Copied(afresh=True, wordings=found.wordings)
        title = f"Stability, {group.name}"
        if new_run.offer_run(f"{SOURCE}{group.name}", "", title, found.cases, methods, timed=False, copied=copied):
            st.rerun()


def _words(found: ReadingSet) -> str:
    fewer = [f"{KINDS[kind].lower()} {count:,}" for kind, count in found.counts.items() if count < found.of]
    words = f"{plural(len(found.cases), 'reading')} of {plural(found.of, 'answer')}."
    if fewer:
        words += f" Not every kind applies to every answer: {', '.join(fewer)}."
    return f"{words} Saved replies of chat models are not used for these, and none is saved."
