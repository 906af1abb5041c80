"""The list of methods with their readiness, the open method, and the form that adds an entailment model."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import streamlit as st

from components import shell, state
from components.controls import action, errors_shown, needs
from components.experiments.panel import works
from components.methods import weights
from components.scoring.session import LoadedMethod
from components.shell import component
from groundscope.errors import ScorerUnavailable
from groundscope.experiments.listing import Listed
from groundscope.methods import download_size, registry
from groundscope.models.weights import jobs as downloads
from groundscope.storage.team import Role, use_case

_METHOD = "nli"
_LINE, _NAME, _SAID = "add_model_line", "add_model_name", "add_model"
LINK = "method"
"""The link's parameter: the id of the open method."""
_OPEN = "method_open"
_KEY = "methods_list"
_POLL = 0.5
_HEADS = ("Method", "State", "Download")

_mount = component("methods", root="methods", css=("methods",), scripts=("text", "rows", "methods"))


class Readiness(NamedTuple):
    """Whether a method can run here: in a few words, and the look of its label."""

    words: str
    kind: Literal["ready", "missing", "working", "bad"]


def state_of(method: LoadedMethod, download: Listed | None) -> Readiness:
    """What is under way for a method, what went wrong at the last try, or what it lacks."""
    if download and works(download):
        return Readiness("Downloading", "working")
    if weights.checking(method.id):
        return Readiness("Checking a folder", "working")
    if word := weights.failed(method.id, download if method.missing else None):
        return Readiness(word, "bad")
    return Readiness("Ready", "ready") if not method.missing else Readiness(method.lacks, "missing")


def opened(methods: Sequence[LoadedMethod]) -> LoadedMethod:
    """The method in the address, else the one that was open last, else the first."""
    by_id = {m.id: m for m in methods}
    linked = st.query_params.get(LINK)
    if linked is not None and linked not in by_id:
        shell.notice("info", f"There is no method {linked[:80]} here. The first one is open.")
    method_id = state.value(_OPEN, "", linked if linked in by_id else None)
    return by_id.get(method_id, methods[0])


def show(methods: Sequence[LoadedMethod], opened_method: LoadedMethod, under_way: Mapping[str, Listed]) -> None:
    """Draw the list; it shows the progress of downloads, and draws the page again when one ended since it was looked."""
    busy = _busy(methods, under_way)
    st.fragment(_draw, run_every=_POLL if busy else None)(methods, opened_method.id, busy)


def _draw(methods: Sequence[LoadedMethod], drawn: str, busy: frozenset[str]) -> None:
    under_way = downloads.under_way()
    if state.value(_OPEN, drawn) != drawn or _busy(methods, under_way) != busy:
        st.rerun()
    data = {
        "heads": _HEADS,
        "methods": [_line(m, under_way.get(m.id)) for m in methods],
        "open": drawn,
        "caption": "Ready methods first.",
    }
    _mount(key=_KEY, data=data, on_opened_change=lambda: _pick({m.id for m in methods}))


def _busy(methods: Sequence[LoadedMethod], under_way: Mapping[str, Listed]) -> frozenset[str]:
    return frozenset(m.id for m in methods if state_of(m, under_way.get(m.id)).kind == "working")


def _line(method: LoadedMethod, download: Listed | None) -> dict[str, Any]:
    now, check = state_of(method, download), weights.checking(method.id)
    at = check.job if check else download.step if download else None
    share = f" {at.done / at.total:.0%}" if at and at.total else ""
    size = download_size(method.method.requirements())
    return {
        "id": method.id,
        "title": method.about.title,
        "state": f"{now.words}{share}",
        "kind": now.kind,
        "figures": (f"{size:,} MB" if size else "–",),
    }


def open_method(method: str) -> None:
    """Open the card of a method; empty = of the first one."""
    if method:
        st.query_params[LINK] = st.session_state[_OPEN] = method
    else:
        # An empty id would never be the drawn one, and the list would ask for the page for ever.
        st.session_state.pop(_OPEN, None)
        st.query_params.pop(LINK, None)


def _pick(allowed: set[str]) -> None:
    """Open the method that was clicked; a value from the browser is checked before use."""
    picked: Any = st.session_state[_KEY].get("opened")
    if isinstance(picked, str) and picked in allowed:
        open_method(picked)


def add_form() -> None:
    """The form for another entailment model."""
    # Always there, even if empty: if the form moved down, the browser would forget that it was open.
    with st.container():
        shell.show_said(_SAID)
    with st.expander("Add an entailment model", key="add_entailment_model"):
        st.html(
            "<p class='gs-sub'>Any classifier of text pairs with a label for entailment, from the hub or from a folder on this "
            "machine, in any language. It becomes a method of its own. Weights from the hub are downloaded when you ask for them "
            "on its card. Weights in safetensors are needed: a pickle can run code.</p>"
        )
        with st.form("add_model", border=False):
            st.text_input(
                "Hub id, or folder", key=_LINE, placeholder="organisation/model@commit", persist_state="session", max_chars=1_000
            )
            st.text_input("Name (optional)", key=_NAME, placeholder="the last part of the id", max_chars=40)
            st.form_submit_button("Add", on_click=_add, **needs(_add))


def removal(method: str) -> None:
    """A button that removes an added model from the list."""
    if registry.is_added(method):
        action("Remove from the list", f"remove_{method}", _remove, method, help="Its files are not deleted.")


@errors_shown(place=_SAID)
@use_case(Role.LEAD)
def _add() -> None:
    line, name = (str(st.session_state.get(key) or "").strip() for key in (_LINE, _NAME))
    if not line:
        shell.say(_SAID, "bad", "Enter a hub id, such as cross-encoder/nli-deberta-v3-base, or a folder.")
        return
    try:
        method = registry.add_model(_METHOD, line, name)
    except (ValueError, ScorerUnavailable) as error:
        sentence = str(error).replace("checkpoint must be", "enter", 1)
        shell.say(_SAID, "bad", f"{sentence[:1].upper()}{sentence[1:].rstrip('.')}.")
        return
    st.session_state[_LINE] = st.session_state[_NAME] = ""
    open_method(method)
    shell.say(_SAID, "good", f"{method} is added. Its card is open.")


@errors_shown(ValueError, place=_SAID)
@use_case(Role.LEAD)
def _remove(method: str) -> None:
    registry.remove_model(method)
    open_method("")
    shell.say(_SAID, "info", f"{method} is removed from the list. Its files are not deleted.")
