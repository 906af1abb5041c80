"""A new set made of the one that is browsed: splits by query, or ungrounded variants of every grounded answer."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from components import shell, state
from components.state import CaseSet
from components.worker.reading import reading
from groundscope.cases.edits.variants import OPERATORS
from groundscope.cases.edits.whole_set import vary
from groundscope.cases.splitting import SHARES, with_splits
from groundscope.errors import DataError
from groundscope.files.apart import apart
from groundscope.types import Case

_MADE = "made_set"
_SMALL = 300_000
"""Bytes of cases whose variants are made in 0.2 s or so; those of larger sets beside the server."""


def panel(group: CaseSet) -> None:
    """Both forms, folded."""
    with st.expander("Make a new set of this one", key="made_sets"):
        _splits(group)
        _variants(group)
    shell.show_said(_MADE)


def _splits(group: CaseSet) -> None:
    st.html(
        "<h2 class='gs-small'>Splits by query</h2><p class='gs-note gs-measure'>All answers to a question go into one split. "
        "Each split gets its share of every area of law and of the labels. Shares count against each other; the paper has 70, "
        "10 and 20.</p>"
    )
    with st.form("split_form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        shares = {
            name: int(st.number_input(f"{name}, share", 0, 100, round(100 * share), key=f"split_{name}", width=130))
            for name, share in SHARES.items()
        }
        seed = int(st.number_input("Seed", 0, 9999, 0, key="split_seed", width=130))
        asked = st.form_submit_button("Split the set")
    if asked:
        name = f"{group.name}, split {'/'.join(map(str, shares.values()))}, seed {seed}"
        _make(name, partial(with_splits, group.cases, shares, seed))


def _variants(group: CaseSet) -> None:
    st.html(
        "<h2 class='gs-small'>Variants of every grounded answer</h2><p class='gs-note gs-measure'>Rules change one place of each "
        "answer. Of the possible variants those are kept whose error types are rarest so far. Then check the new set: labels, "
        "near-copies, and whether wording gives the label away.</p>"
    )
    titles = {o.name: o.title for o in OPERATORS}
    with st.form("vary_form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        names = st.multiselect("Edits", list(titles), format_func=lambda n: titles[n], placeholder="All edits", key="vary_names")
        most = int(st.number_input("Variants per answer", 1, 20, 2, key="vary_most", width=160))
        seed = int(st.number_input("Seed", 0, 9999, 0, key="vary_seed", width=130))
        asked = st.form_submit_button("Make a set of variants")
    if asked:
        _make(f"Variants of {group.name}, seed {seed}", partial(_varied, group.cases, most, seed, tuple(names)))


def _varied(cases: tuple[Case, ...], most: int, seed: int, names: tuple[str, ...]) -> tuple[Case, ...]:
    return apart(_SMALL, vary, cases, per_answer=most, seed=seed, names=names).cases


def _make(name: str, make: Callable[[], tuple[Case, ...]]) -> None:
    """Add the set and browse it, or say why there is none."""
    try:
        with reading(doing="Making the set"):
            cases = make()
    except DataError as error:
        shell.say(_MADE, "bad", str(error))
    else:
        state.add(CaseSet(name, cases))
        state.browse(name)
        shell.say(_MADE, "good", f"Made: the set “{name}” has {len(cases):,} cases, and is shown now.")
    st.rerun()
