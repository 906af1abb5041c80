"""Your own classifier: train it on labelled cases, watch it learn, keep or delete it, and use it by its name."""

import streamlit as st

from components import shell
from components.training import form, models, state, under_way
from components.training.runner import trainer
from groundscope.training.own_models import own_models


def show() -> None:
    """Trainings under way, finished models, and the form for the next one."""
    trainer().tidy()
    shell.section("Your own classifier")
    st.html(
        "<p class='gs-sub gs-measure'>A small model can learn from labelled cases, grounded and ungrounded, what supported "
        "sentences look like in your field, as in section 5.4 of the paper. It learns from train, dev decides when to stop, and "
        "test is never used. Everything stays on this machine. The result is a new method in the heatmap, "
        "in runs and in all comparisons.</p>"
    )
    # Always a container, even if empty: if the form moved down the page, the browser would forget that it was closed.
    with st.container():
        _above_the_form()
    form.show()


def _above_the_form() -> None:
    if said := state.said():
        shell.notice("bad", said)
        state.said("")
    for name, why in trainer().refused().items():
        shell.notice("bad", f"{name} was not trained: {why}")
    under_way.show()
    models.show()
    if not own_models() and not trainer().at_work():
        shell.notice(
            "info", "There is none yet. Open the form below, choose a labelled set and start. You can try it with the samples."
        )
