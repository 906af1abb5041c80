"""More settings of a training, each with help."""

import streamlit as st

from components.training import state as keys
from groundscope.training.options import Options


def show() -> Options | str:
    """The options, or a message about what is wrong with them."""
    d = Options()
    with st.expander("More settings", key="tune_more"), st.container(horizontal=True, vertical_alignment="bottom"):
        epochs = _number(
            "Passes over the pairs",
            keys.EPOCHS,
            d.epochs,
            0.5,
            "%g",
            "Epochs, at most: training stops when dev no longer improves",
        )
        rate = _number(
            "Learning rate", keys.RATE, d.rate, 1e-5, "%.1e", "How far a step changes the weights; usually 1e-5 to 5e-5"
        )
        batch = _number(
            "Pairs per step", keys.BATCH, d.batch, 1, None, "The batch size: larger is steadier and needs more memory"
        )
        longest = _number(
            "Longest input, tokens",
            keys.LONGEST,
            d.longest,
            16,
            None,
            "Of a sentence with its evidence; longer inputs are cut, the evidence first",
        )
        patience = _number(
            "Patience", keys.PATIENCE, d.patience, 1, None, "Checks of dev without improvement before it stops; two per pass"
        )
        seed = _number("Seed", keys.SEED, d.seed, 1, None, "Another seed gives another order and a slightly different model")
        frozen = st.toggle(
            "Do not change the word embeddings",
            key=keys.FROZEN,
            persist_state="session",
            help="Faster, and enough for small sets",
        )
    try:
        return Options(
            epochs=float(epochs),
            rate=float(rate),
            batch=int(batch),
            longest=int(longest),
            patience=int(patience),
            seed=int(seed),
            frozen_embeddings=frozen,
        )
    except ValueError as error:
        return f"{str(error)[0].upper()}{str(error)[1:]}."


def _number(label: str, key: str, value: float, step: float, form: str | None, help_: str) -> float:
    # No minimum: the browser would silently ignore a value below it.
    found: float = st.number_input(
        label, value=value, step=step, format=form, key=key, persist_state="session", width=190, help=help_
    )
    return found
