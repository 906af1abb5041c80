"""A method's options for this session: a widget for every parameter that is a choice, a number or another method."""

from dataclasses import fields, is_dataclass
from html import escape
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

import streamlit as st

from components import shell, state
from components.scoring.session import LoadedMethod
from groundscope.methods import Method, registry

_LABELS = {
    "checking": ("Claims a call", "single: each claim is checked in its own call; joint: up to five in one, which is cheaper"),
    "first": ("First method", "It judges every sentence, and asks no chat model"),
    "second": ("Second method", "It judges the sentences that are doubtful after the first"),
    "low": ("Doubtful from", "A support of the first method, on a scale where its starting threshold is 0.5"),
    "high": ("Doubtful to", "Likewise; 0 to 1 asks the second method about every sentence"),
    "reads": ("The second method reads", "The doubtful sentences alone, as an answer of their own, or the whole answer"),
    "idk": ("Claims neither backed nor contradicted", "Whether a response with such a claim counts as grounded"),
    "samples": ("Fresh answers", "How many answers the chat model writes to compare the response with"),
    "aggregation": ("Response from sentences", "How the supports of the sentences combine into one for the response"),
    "context_unit": (
        "Context unit",
        "What the model reads beside a sentence: one context sentence, a window of some, a passage, the full context, "
        "or the nearest sentences as one text",
    ),
    "n": ("Characters", "How many characters in a row must be the same to count as quoted"),
    "precision": (
        "Number format",
        "The precision of the calculation: fp32 is the most exact, bf16 is faster on some processors; "
        "int8 is fastest on small batches and changes supports by some hundredths",
    ),
    "prompt": ("Prompt", "What the model is asked; read, copy and edit the texts below, under Prompts"),
    "prune": (
        "Read only the nearest",
        "0 reads every context unit; 5 reads the 5 closest in meaning to a sentence, which is faster",
    ),
    "scope": ("Quoted within", "Passage: a quotation may cross the ends of sentences. Sentence: it may not"),
    "verbatim": (
        "Copied sentences",
        "Whether a sentence that stands word for word in the sources gets support 1",
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
    ("verbatim", False): "off: like other sentences",
}
"""What a value means, if its name does not say it; the name stays, because the signature has it."""

_WIDTHS = (190, 230)
"""Width of a choice and of a number in pixels: a number needs space for Streamlit's "Press Enter to apply"."""


def show(loaded: LoadedMethod) -> None:
    """The options, the resulting signature, and a button to restore the defaults."""
    method, scorer = loaded.id, loaded.method
    choices, chosen = _choices(scorer), state.options().get(method, {})
    if not choices:
        # It may be one of the options that is gone, as a deleted prompt is.
        if chosen:
            st.button("Restore defaults", key=f"defaults_{method}", on_click=_reset, args=(method,))
        return
    with st.expander(f"Options{f', {len(chosen)} changed' if chosen else ''}", key=f"options_{method}"):
        st.html(
            "<p class='gs-sub'>Options apply to this session. Results with other options are not comparable. "
            "The line below names the method with all its options, as exports do: its signature.</p>"
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for name, values in choices.items():
                _widget(method, scorer, name, values)
        # It stays until the next try: other events, such as the end of a download, also redraw the page.
        if problem := st.session_state.get(f"problem_{method}", ""):
            shell.notice("bad", problem)
        st.html(f"<p class='gs-signature'>{escape(scorer.signature)}</p>")
        if chosen:
            st.button("Restore defaults", key=f"defaults_{method}", on_click=_reset, args=(method,))


def _choices(scorer: Method) -> dict[str, tuple[Any, ...] | None]:
    """Parameter -> its values, or None for a number; others are not for the page."""
    hints = get_type_hints(type(scorer))
    of_methods = {f.name for f in fields(cast(Any, scorer)) if "method" in f.metadata} if is_dataclass(scorer) else set[str]()
    choices: dict[str, tuple[Any, ...] | None] = {}
    for name in scorer.parameters:
        hint = hints[name]
        if get_origin(hint) is Literal:
            choices[name] = get_args(hint)
        elif name == "prompt" and len(prompts := scorer.prompts()) > 1:
            choices[name] = tuple(p.name for p in prompts)
        elif name in of_methods:
            choices[name] = registry.names()
        elif hint in (int, float):
            choices[name] = None
        elif hint is bool:
            choices[name] = (True, False)
    return choices


def _label(name: str) -> tuple[str, str]:
    return _LABELS.get(name, (name.replace("_", " ").capitalize(), ""))


def _widget(method: str, scorer: Method, name: str, values: tuple[Any, ...] | None) -> None:
    label, help_ = _label(name)
    key = f"option_{method}_{name}"
    # The widget shows the value in force, also after a refused value and after a reset.
    st.session_state[key] = scorer.parameters[name]
    arguments: dict[str, Any] = {"key": key, "help": help_ or None, "on_change": _set, "args": (method, name, key)}
    if values is None:
        # No minimum: the browser would silently ignore a value below it.
        idle = name == "window" and scorer.parameters.get("context_unit", "window") not in {"window", "nearest"}
        step = 0.05 if isinstance(scorer.parameters[name], float) else 1
        st.number_input(label, step=step, disabled=idle, width=_WIDTHS[1], **arguments)
    else:
        st.selectbox(label, values, format_func=lambda v: _VALUES.get((name, v), str(v)), width=_WIDTHS[0], **arguments)


def _set(method: str, name: str, key: str) -> None:
    choose(method, name, st.session_state[key])


def choose(method: str, name: str, value: Any) -> None:
    """Set an option of a method for this session; a value that it refuses is said where its options are, and changes nothing."""
    st.session_state.pop(f"problem_{method}", None)
    options = {**state.options().get(method, {}), name: value}
    try:
        default = registry.load(method)
        registry.load(method, **options)
    except ValueError as error:
        text = str(error)
        problem = text.replace(name, _label(name)[0], 1) if text.startswith(f"{name} ") else text
        st.session_state[f"problem_{method}"] = f"{problem}. The previous value stays."
        return
    changed = {k: v for k, v in options.items() if default.parameters[k] != v}
    state.options().pop(method, None)
    if changed:
        state.options()[method] = changed


def _reset(method: str) -> None:
    st.session_state.pop(f"problem_{method}", None)
    state.options().pop(method, None)
