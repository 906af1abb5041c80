"""Parts of a recipe that a user changes: how much evidence, which labels, which sentences, how many edits."""

from dataclasses import replace
from typing import get_args

import streamlit as st

from components.training.request import RecipeName
from groundscope.training.pairs import RECIPES, Labels, Recipe, Scope

_SCOPES = {"changed": "Those that differ from their parent's", "all": "All labelled ones"}
_LABELS = {"cosine": "Cosines by legal-bert, else 1 and 0", "sides": "True sides, 1 and 0", "smoothed": "Smoothed 1 and 0"}


def show(name: RecipeName) -> Recipe | str:
    """The recipe with the user's changes, or a message about what is wrong with them."""
    first = RECIPES[name]
    with st.expander("Parts of the recipe", key="tune_parts"), st.container(horizontal=True, vertical_alignment="bottom"):
        evidence = st.number_input(
            "Context sentences", value=first.evidence, step=1, key=f"tune_evidence_{name}", persist_state="session", width=190,
            help="The nearest ones, joined as the evidence of a sentence",
        )  # fmt: skip
        labels = st.selectbox(
            "Labels", get_args(Labels), get_args(Labels).index(first.labels), format_func=lambda x: _LABELS.get(x, x),
            key=f"tune_labels_{name}", persist_state="session", width=310,
            help="The paper's labels are cosines by legal-bert; those of another embedder can lie on the wrong side, so that the "
            "true sides take their place",
        )  # fmt: skip
        smoothing = st.number_input(
            "Smoothing", value=first.smoothing, step=0.05, format="%g", key=f"tune_smoothing_{name}", persist_state="session",
            width=190, help="Of smoothed labels: 0.1 makes them 0.9 and 0.1", disabled=labels != "smoothed",
        )  # fmt: skip
        scope = st.selectbox(
            "Sentences", get_args(Scope), get_args(Scope).index(first.scope), format_func=lambda x: _SCOPES.get(x, x),
            key=f"tune_scope_{name}", persist_state="session", width=290,
        )  # fmt: skip
        edits = st.number_input(
            "Legal edits", value=first.edits, step=1, key=f"tune_edits_{name}", persist_state="session", width=190,
            help="Variants of each grounded response by the legal edit operators, in train alone",
        )  # fmt: skip
    try:
        return replace(first, evidence=int(evidence), labels=labels, smoothing=float(smoothing), scope=scope, edits=int(edits))
    except ValueError as error:
        return f"{str(error)[0].upper()}{str(error)[1:]}."
