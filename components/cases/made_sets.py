"""A new set made of the one that is browsed: splits, a sample, or ungrounded variants of every grounded answer."""

import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.cases import divided, set_variants
from components.worker.reading import reading
from groundscope.cases.splitting import SHARES
from groundscope.errors import DataError


def panel(group: CaseSet) -> None:
    """The forms, folded, and what came of the last one."""
    with st.expander("Make a new set of this one", key=f"made_sets_{group.name}", expanded=set_variants.busy()):
        if len(group.cases) >= len(SHARES):
            st.html("<h2 class='gs-small'>Splits and sample</h2>")
            if asked := divided.form(len(group.cases), f"_made_{group.name}", ("Split the set", "Sample the set")):
                _divide(group, asked)
        set_variants.panel(group)
    shell.show_said(set_variants.SAID, group.name)


def _divide(group: CaseSet, asked: divided.Division) -> None:
    """Add the set and browse it, or say why there is none."""
    name = f"{group.name}, {asked.words}"
    try:
        with reading(doing="Making the set"):
            made = case_sets.made_of(group, name, asked.change(group.cases))
    except DataError as error:
        shell.say(set_variants.SAID, "bad", str(error))
    else:
        state.browse(name)
        words = f"Made: the set “{name}” has {len(made.cases):,} cases, and is shown now."
        shell.say(set_variants.SAID, "good", words)
    st.rerun()
