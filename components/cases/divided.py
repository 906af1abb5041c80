"""What was loaded is divided into splits, or cut down to a sample, before it is used."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from components import shell, state
from components.state import CaseSet
from groundscope.cases.dataset import LoadedDataset
from groundscope.cases.splitting import SHARES, sampled, with_splits
from groundscope.errors import DataError
from groundscope.types import Case

_MOST_SEED = 1_000_000
Cases = tuple[Case, ...]


def panel(loaded: LoadedDataset, key: str) -> None:
    """Two buttons with what they need; the set is replaced by what they make of it."""
    shell.show_said(f"divided{key}", loaded.name)
    if len(loaded.cases) < len(SHARES):
        return
    with st.popover("Splits and sample", key=f"divided_panel{key}"):
        seed = int(
            st.number_input("Seed", 0, _MOST_SEED, 0, key=f"divided_seed{key}", help="The same seed draws the same cases.")
        )
        st.html(shell.note("Splits by query: all answers to a question share one, and each split has its part of both labels."))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            shares = {
                name: int(st.number_input(f"{name}, share", 1, 98, round(share * 100), key=f"divided_{name}{key}", width=110))
                for name, share in SHARES.items()
            }
            split = partial(with_splits, shares=shares, seed=seed)
            words = ", ".join(f"{name} {share}" for name, share in shares.items())
            said = f"Divided by query with seed {seed}: {words}."
            st.button("Make splits", key=f"divided_split{key}", on_click=_replace, args=(loaded, key, split, said))
        st.html(shell.note("A sample keeps the part of each split and label."))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            most = len(loaded.cases)
            count = int(st.number_input("Cases", 1, most, min(300, most), key=f"divided_count{key}", width=110))
            draw = partial(sampled, count=count, seed=seed)
            said = f"A sample of {count:,} of {most:,} cases, drawn with seed {seed}."
            st.button("Take a sample", key=f"divided_sample{key}", on_click=_replace, args=(loaded, key, draw, said))


def _replace(loaded: LoadedDataset, key: str, change: Callable[[Cases], Cases], said: str) -> None:
    try:
        new = replace(loaded, cases=change(loaded.cases))
    except DataError as error:
        shell.say(f"divided{key}", "bad", str(error))
        return
    state.add(CaseSet(new.name, new.cases))
    state.upload_report(tuple(new if report.name == new.name else report for report in state.upload_report()))
    shell.say(f"divided{key}", "good", said)
