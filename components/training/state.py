"""Session keys of the training panel, with typed get and set; see `components/state.py`."""

from typing import Any

import streamlit as st

from components import state

FORM, SET, NAME, RECIPE, OTHER_BASE, BASE = "tune_form", "tune_set", "tune_name", "tune_recipe", "tune_other_base", "tune_base"
EPOCHS = "tune_epochs"

_SAID, _SHOWN, _COUNTED, _BEGAN = "tune_said", "tune_shown", "tune_counted", "tune_began"


def problem(text: str | None = None) -> str:
    """The error of a training or a model to show once; pass a text to set it."""
    return state.value(_SAID, "", text)


def began(*, now: bool = False) -> bool:
    """Whether the last draw of the form started a training; true only once."""
    if now:
        st.session_state[_BEGAN] = True
        return True
    return bool(st.session_state.pop(_BEGAN, False))


def shown(names: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """The running trainings that this session's page showed last; pass names to set them."""
    return state.value(_SHOWN, (), names)


def counted() -> dict[tuple[str, str], tuple[Any, Any]]:
    """(cases, value computed from them) by kind of value and name of the set."""
    return state.own(_COUNTED, {})


def forget_method(method: str) -> None:
    """Remove a deleted method from the choices of this session."""
    for key in (state.METHODS, "run_methods"):
        if chosen := st.session_state.get(key):
            st.session_state[key] = [m for m in chosen if m != method]
    state.thresholds().pop(method, None)
    state.options().pop(method, None)
