"""Session keys of the training panel, with typed get and set; see `components/state.py`."""

from typing import Any

import streamlit as st

from components import state

FORM, SET, NAME, RECIPE, OTHER_BASE, BASE = "tune_form", "tune_set", "tune_name", "tune_recipe", "tune_other_base", "tune_base"
EPOCHS, RATE, BATCH, LONGEST = "tune_epochs", "tune_rate", "tune_batch", "tune_longest"
PATIENCE, SEED, FROZEN = "tune_patience", "tune_seed", "tune_frozen"

_SAID, _SHOWN, _COUNTED, _BEGAN = "tune_said", "tune_shown", "tune_counted", "tune_began"


def said(text: str | None = None) -> str:
    """The error of a training or a model to show once; pass a text to set it."""
    if text is not None:
        st.session_state[_SAID] = text
    value = st.session_state.get(_SAID)
    return value if isinstance(value, str) else ""


def began(*, now: bool = False) -> bool:
    """Whether the last draw of the form started a training; true only once."""
    if now:
        st.session_state[_BEGAN] = True
        return True
    return bool(st.session_state.pop(_BEGAN, False))


def shown(names: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """The running trainings that this session's page showed last; pass names to set them."""
    if names is not None:
        st.session_state[_SHOWN] = names
    value = st.session_state.get(_SHOWN)
    return value if isinstance(value, tuple) else ()


def counted() -> dict[tuple[str, str], tuple[Any, Any]]:
    """(cases, value computed from them) by kind of value and name of the set."""
    found: dict[tuple[str, str], tuple[Any, Any]] = st.session_state.setdefault(_COUNTED, {})
    return found


def forget_method(method: str) -> None:
    """Remove a deleted method from the choices of this session."""
    for key in (state.METHODS, "run_methods"):
        if chosen := st.session_state.get(key):
            st.session_state[key] = [m for m in chosen if m != method]
    state.thresholds().pop(method, None)
    state.options().pop(method, None)
