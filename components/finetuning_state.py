"""Session keys of the fine-tuning panel, with typed get and set; see `state.py`."""

from typing import Any

import streamlit as st

from components import state

FORM, SET, NAME, RECIPE, OTHER_BASE, BASE = "tune_form", "tune_set", "tune_name", "tune_recipe", "tune_other_base", "tune_base"
EPOCHS, RATE, BATCH, LONGEST = "tune_epochs", "tune_rate", "tune_batch", "tune_longest"
PATIENCE, SEED, FROZEN = "tune_patience", "tune_seed", "tune_frozen"

_SAID, _SHOWN, _COUNTED, _BEGAN = "tune_said", "tune_shown", "tune_counted", "tune_began"


def said(text: str | None = None) -> str:
    """What went wrong with a training or a model, until it is shown; give a text to keep it."""
    if text is not None:
        st.session_state[_SAID] = text
    value = st.session_state.get(_SAID)
    return value if isinstance(value, str) else ""


def began(*, now: bool = False) -> bool:
    """Whether the last draw of the form began a training; told once."""
    if now:
        st.session_state[_BEGAN] = True
        return True
    return bool(st.session_state.pop(_BEGAN, False))


def shown(names: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """The trainings under way that this session's page showed last; give names to keep them."""
    if names is not None:
        st.session_state[_SHOWN] = names
    value = st.session_state.get(_SHOWN)
    return value if isinstance(value, tuple) else ()


def counted() -> dict[tuple[str, str], tuple[Any, Any]]:
    """Cases and what was reckoned of them, by what that is and by the name of the set."""
    found: dict[tuple[str, str], tuple[Any, Any]] = st.session_state.setdefault(_COUNTED, {})
    return found


def show_method(method: str) -> None:
    """Add a method to those that the heatmap shows, where this session chose some."""
    chosen = st.session_state.get(state.METHODS)
    if chosen and method not in chosen:
        st.session_state[state.METHODS] = [*chosen, method]


def forget_method(method: str) -> None:
    """Take a method that is gone out of what this session chose."""
    for key in (state.METHODS, "run_methods"):
        if chosen := st.session_state.get(key):
            st.session_state[key] = [m for m in chosen if m != method]
    state.thresholds().pop(method, None)
    state.options().pop(method, None)
