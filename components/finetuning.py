"""A classifier of your own: train one on labelled cases, watch it learn, keep or discard it, and use it by its name."""

import streamlit as st

from components import finetuning_form, finetuning_live, finetuning_models, finetuning_state, shell
from components.trainer import trainer
from evaluation.own_models import own_models


def show() -> None:
    """What is being trained, what was trained, and the form for the next one."""
    trainer().tidy()
    shell.section("A classifier of your own")
    st.html(
        "<p class='gs-sub gs-measure'>From labelled cases, grounded and ungrounded, a small model can learn what supported "
        "sentences look like in your field, as in section 5.4 of the paper. It learns from train, dev says when to stop, and "
        "test is never touched. Everything stays on this machine. What comes out is a method of its own, in the heatmap, "
        "in runs and in all comparisons.</p>"
    )
    # In a place of its own, full or empty: where the form moves down the page, the browser forgets that it was closed.
    with st.container():
        _above_the_form()
    finetuning_form.show()


def _above_the_form() -> None:
    if said := finetuning_state.said():
        shell.notice("bad", said)
        finetuning_state.said("")
    for name, why in trainer().refused().items():
        shell.notice("bad", f"{name} was not trained: {why}")
    finetuning_live.show()
    finetuning_models.show()
    if not own_models() and not trainer().at_work():
        shell.notice(
            "info", "There is none yet. Open the form below, choose a labelled set, and start; the samples will do to try."
        )
