"""More settings of a training, each with help."""

from typing import Any

import streamlit as st

from groundscope.training.options import Options

# Name in the options, label, step, format, help.
_NUMBERS: tuple[tuple[str, str, float, str | None, str], ...] = (
    ("epochs", "Passes over the pairs", 0.5, "%g", "Epochs, at most: training stops when dev no longer improves"),
    ("rate", "Learning rate", 1e-5, "%.1e", "How far a step changes the weights; usually 1e-5 to 5e-5"),
    ("batch", "Pairs per step", 1, None, "The batch size: larger is steadier and needs more memory"),
    ("longest", "Longest input, tokens", 16, None, "Of a sentence with its evidence; longer inputs are cut, the evidence first"),
    ("patience", "Patience", 1, None, "Checks of dev without improvement before it stops; two per pass"),
    ("seed", "Seed", 1, None, "Another seed gives another order and a slightly different model"),
)


def show() -> Options | str:
    """The options, or a message about what is wrong with them."""
    chosen: dict[str, Any] = {}
    defaults = Options()
    with st.expander("More settings", key="tune_more"), st.container(horizontal=True, vertical_alignment="bottom"):
        for name, label, step, form, hint in _NUMBERS:
            # No minimum: the browser would silently ignore a value below it.
            chosen[name] = st.number_input(
                label, value=getattr(defaults, name), step=step, format=form, key=f"tune_{name}", persist_state="session",
                width=190, help=hint,
            )  # fmt: skip
        chosen["frozen_embeddings"] = st.toggle(
            "Do not change the word embeddings",
            key="tune_frozen",
            persist_state="session",
            help="Faster, and enough for small sets",
        )
    try:
        return Options(**chosen)
    except ValueError as error:
        return f"{str(error)[0].upper()}{str(error)[1:]}."
