"""A method's options for this session: a widget for every parameter that is a choice or a number."""

from dataclasses import fields, is_dataclass
from html import escape
from typing import Any, Literal, get_args, get_origin, get_type_hints

import streamlit as st

from components import scoring, shell, state

_LABELS = {
    "checking": (
        "Claims a call",
        "single: each claim is checked in its own call; joint: up to five in one, which is cheaper",
    ),
    "idk": ("Claims neither backed nor contradicted", "Whether such a claim makes the response count as grounded or not"),
    "samples": ("Fresh answers", "How many answers the chat model writes to compare the response with"),
    "aggregation": ("Response from sentences", "How the supports of the sentences make that of the whole response"),
    "context_unit": (
        "Context unit",
        "What the model reads beside a sentence: one context sentence, a window of some, a passage, the full context, "
        "or the nearest sentences as one text",
    ),
    "n": ("Characters", "How many characters in a row must be the same to count as quoted"),
    "precision": (
        "Number format",
        "How exactly the model calculates: fp32 is the most exact, bf16 is quicker on some processors; "
        "int8 is quickest on small batches and moves supports by some hundredths",
    ),
    "prune": (
        "Read only the nearest",
        "0 reads every context unit; 5 reads the 5 closest in meaning to a sentence, which is quicker",
    ),
    "scope": ("Quoted within", "A passage: a quotation may run over the ends of sentences. A sentence: it may not"),
    "verbatim": (
        "Copied sentences",
        "Whether a sentence that stands word for word in the context counts as supported, whatever the model says",
    ),
    "window": ("Sentences in a unit", "Only where the context unit is a window, or the nearest sentences"),
}
_VALUES: dict[tuple[str, object], str] = {
    ("aggregation", "min"): "min: the weakest",
    ("aggregation", "mean"): "mean: the average",
    ("aggregation", "pooled"): "pooled: all as one",
    ("aggregation", "strict"): "strict: all claims entailed",
    ("aggregation", "contradiction_only"): "contradiction_only: none contradicted",
    ("aggregation", "soft"): "soft: the share entailed",
    ("aggregation", "majority"): "majority: the most common",
    ("verbatim", True): "on: supported",
    ("verbatim", False): "off: as others",
}
"""What a value means, where its name does not say it; the name stays, as the signature has it."""

_WIDTHS = (190, 230)
"""Pixels of a choice, and of a number: there Streamlit's "Press Enter to apply" must find room beside it."""


def show(method: str, scorer: Any) -> None:
    """The options, what they make the signature, and a way back to the defaults."""
    choices = _choices(scorer)
    if not choices:
        return
    chosen = state.options().get(method, {})
    with st.expander(f"Options{f', {len(chosen)} changed' if chosen else ''}", key=f"options_{method}"):
        st.html(
            "<p class='gs-sub'>They hold for this session. Results with other options are other results. "
            "The line below names the method with all its options, as exports do: its signature.</p>"
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for name, values in choices.items():
                _widget(method, scorer, name, values)
        # It stays until the next try: the page is also drawn anew for what others do, as when a download ends.
        if problem := st.session_state.get(f"problem_{method}", ""):
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
        elif hint is bool:
            found[field.name] = (True, False)
    return found


def _label(name: str) -> tuple[str, str]:
    return _LABELS.get(name, (name.replace("_", " ").capitalize(), ""))


def _widget(method: str, scorer: Any, name: str, values: tuple[Any, ...] | None) -> None:
    label, help_ = _label(name)
    key = f"option_{method}_{name}"
    # What is in force is what the widget shows, also after a refused value and after a reset.
    st.session_state[key] = getattr(scorer, name)
    arguments: dict[str, Any] = {"key": key, "help": help_ or None, "on_change": _set, "args": (method, name, key)}
    if values is None:
        # No least value: the browser would keep what is below it to itself, and not say why.
        idle = name == "window" and getattr(scorer, "context_unit", "window") not in {"window", "nearest"}
        st.number_input(label, step=1, disabled=idle, width=_WIDTHS[1], **arguments)
    else:
        st.selectbox(label, values, format_func=lambda v: _VALUES.get((name, v), str(v)), width=_WIDTHS[0], **arguments)


def _set(method: str, name: str, key: str) -> None:
    st.session_state.pop(f"problem_{method}", None)
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
    st.session_state.pop(f"problem_{method}", None)
    state.options().pop(method, None)
