"""A method's options for this session: a widget for every parameter that is a choice or a number."""

from dataclasses import fields, is_dataclass
from html import escape
from typing import Any, Literal, get_args, get_origin, get_type_hints

import streamlit as st

from components import scoring, shell, state

_LABELS = {
    "aggregation": ("Response from sentences", "How the supports of the sentences make that of the response"),
    "context_unit": (
        "Context unit",
        "What goes into the model beside a sentence: a context sentence, a window, a passage, or all",
    ),
    "n": ("Characters", "How many characters a quoted run needs at least"),
    "precision": ("Number format", "int8 is quickest on small batches and moves supports by some hundredths"),
    "prune": ("Read only the nearest", "0 reads every context unit; k only the k nearest by embedding, which is quicker"),
    "window": ("Sentences in a window", "Only for the context unit 'window'"),
}


def show(method: str, scorer: Any) -> None:
    """The options, what they make the signature, and a way back to the defaults."""
    choices = _choices(scorer)
    if not choices:
        return
    chosen = state.options().get(method, {})
    with st.expander(f"Options{f', {len(chosen)} changed' if chosen else ''}", key=f"options_{method}"):
        st.html(
            "<p class='gs-sub'>For this session. Results with other options are other results: the signature names them all.</p>"
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for name, values in choices.items():
                _widget(method, scorer, name, values)
        if problem := st.session_state.pop(f"problem_{method}", ""):
            shell.notice("bad", problem)
        st.html(f"<p class='gs-signature'>{escape(scorer.signature)}</p>")
        if chosen:
            st.button("Back to the defaults", key=f"defaults_{method}", on_click=_reset, args=(method,))


def _choices(scorer: Any) -> dict[str, tuple[Any, ...] | None]:
    """Parameter -> its values, or None for a whole number; others are not for the page."""
    if not is_dataclass(scorer):
        return {}
    hints = get_type_hints(type(scorer))
    found: dict[str, tuple[Any, ...] | None] = {}
    for field in fields(scorer):
        hint = hints[field.name]
        if get_origin(hint) is Literal:
            found[field.name] = get_args(hint)
        elif hint is int:
            found[field.name] = None
    return found


def _label(name: str) -> tuple[str, str]:
    return _LABELS.get(name, (name.replace("_", " ").capitalize(), ""))


def _widget(method: str, scorer: Any, name: str, values: tuple[Any, ...] | None) -> None:
    label, help_ = _label(name)
    key = f"option_{method}_{name}"
    # What is in force is what the widget shows, also after a refused value and after a reset.
    st.session_state[key] = getattr(scorer, name)
    arguments: dict[str, Any] = {"key": key, "help": help_ or None, "on_change": _set, "args": (method, name, key), "width": 190}
    if values is None:
        st.number_input(label, step=1, min_value=0, **arguments)
    else:
        st.selectbox(label, values, **arguments)


def _set(method: str, name: str, key: str) -> None:
    own = {**state.options().get(method, {}), name: st.session_state[key]}
    try:
        default = scoring.with_options(method, {})
        scoring.with_options(method, own)
    except ValueError as error:
        problem = f"{_label(name)[0]} {str(error).removeprefix(f'{name} ')}"
        st.session_state[f"problem_{method}"] = f"{problem}. The value before it stays."
        return
    kept = {k: v for k, v in own.items() if getattr(default, k) != v}
    state.options().pop(method, None)
    if kept:
        state.options()[method] = kept


def _reset(method: str) -> None:
    state.options().pop(method, None)
