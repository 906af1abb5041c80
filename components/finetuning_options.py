"""More settings of a training, each with a word of help."""

import streamlit as st

from components import finetuning_state as keys
from evaluation.finetuning import Options


def show() -> Options | str:
    """How to train, or what is wrong with it."""
    d = Options()
    with st.expander("More settings", key="tune_more"), st.container(horizontal=True, vertical_alignment="bottom"):
        epochs = _number(
            "Passes over the pairs", keys.EPOCHS, d.epochs, 0.5, "%g", "Epochs, at most: it stops when dev gains no more"
        )
        rate = _number(
            "Learning rate", keys.RATE, d.rate, 1e-5, "%.1e", "How far a step moves the weights; 1e-5 to 5e-5 is usual"
        )
        batch = _number("Pairs a step", keys.BATCH, d.batch, 1, None, "The batch size: more is steadier, and takes more memory")
        longest = _number(
            "Longest input, tokens",
            keys.LONGEST,
            d.longest,
            16,
            None,
            "Of a sentence with its evidence; what is longer is cut, the evidence first",
        )
        patience = _number(
            "Patience", keys.PATIENCE, d.patience, 1, None, "Looks at dev without a gain before it stops; two a pass"
        )
        seed = _number("Seed", keys.SEED, d.seed, 1, None, "Another seed gives another order, and a somewhat other model")
        frozen = st.toggle(
            "Leave the word embeddings as they are",
            key=keys.FROZEN,
            persist_state="session",
            help="Quicker, and enough for small sets",
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
    # No least value: the browser would keep what is below it to itself, and not say why.
    found: float = st.number_input(
        label, value=value, step=step, format=form, key=key, persist_state="session", width=190, help=help_
    )
    return found
