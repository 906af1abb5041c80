"""Form that divides a set into splits or takes a sample of it: for a set just loaded, and for any set that is browsed."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.controls import errors_shown
from groundscope.cases.dataset import LoadedDataset
from groundscope.cases.splitting import SHARES, sampled, with_splits
from groundscope.types import Case

_MOST_SEED = 1_000_000
Cases = tuple[Case, ...]


class Division(NamedTuple):
    """The division that the user asked for: a function of the cases, a few words for the set's name, and a sentence."""

    change: Callable[[Cases], Cases]
    words: str
    summary: str


def form(most: int, key: str, labels: tuple[str, str]) -> Division | None:
    """Fields for splits and for a sample of a set of so many cases; what was asked for, when one of its buttons is pressed."""
    with st.form(f"divided_form{key}", border=False, enter_to_submit=False):
        seed = int(
            st.number_input(
                "Seed", 0, _MOST_SEED, 0, key=f"divided_seed{key}", help="The same seed draws the same cases.", width=130
            )
        )
        st.html(
            shell.note(
                "Splits by query: all answers to a question share one, and each split gets its share of every area of law and of "
                "the labels. Shares are relative to each other; the paper has 70, 10 and 20."
            )
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            shares = {
                name: int(st.number_input(f"{name}, share", 0, 100, round(share * 100), key=f"divided_{name}{key}", width=130))
                for name, share in SHARES.items()
            }
            split = st.form_submit_button(labels[0], key=f"divided_split{key}")
        st.html(shell.note("A sample keeps the share of each split and label."))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            count = int(st.number_input("Cases", 1, most, min(300, most), key=f"divided_count{key}", width=130))
            sample = st.form_submit_button(labels[1], key=f"divided_sample{key}")
    if split:
        listed = ", ".join(f"{name} {share}" for name, share in shares.items())
        words = f"split {'/'.join(map(str, shares.values()))}, seed {seed}"
        summary = f"Divided by query with seed {seed}: {listed}."
        return Division(partial(with_splits, shares=shares, seed=seed), words, summary)
    if sample:
        summary = f"A sample of {count:,} of {most:,} cases, drawn with seed {seed}."
        return Division(partial(sampled, count=count, seed=seed), f"sample of {count}, seed {seed}", summary)
    return None


def panel(loaded: LoadedDataset, key: str) -> None:
    """The form for what was just loaded, folded; the set is replaced by what becomes of it."""
    shell.show_said(f"divided{key}", loaded.name)
    if len(loaded.cases) < len(SHARES):
        return
    with st.popover("Splits and sample", key=f"divided_panel{key}"):
        asked = form(len(loaded.cases), key, ("Make splits", "Take a sample"))
    if asked:
        with errors_shown(place=f"divided{key}"):
            new = loaded.having(asked.change(loaded.cases))
            case_sets.add(CaseSet(new.name, new.cases))
            state.upload_report(tuple(new if report.name == new.name else report for report in state.upload_report()))
            shell.say(f"divided{key}", "good", asked.summary)
        st.rerun()
