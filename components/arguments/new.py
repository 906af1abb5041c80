"""A new run: which triples, who argues under which wordings, who extracts, what it takes, where texts go, and the button."""

from collections.abc import Sequence

import streamlit as st

from components import shell
from components.arguments import chats, making, state
from components.arguments.state import ScenarioSet
from components.chat import methods
from components.experiments.jobs import jobs
from components.experiments.offer import offer
from components.html import cell, table
from groundscope.arguments import runs
from groundscope.arguments.arguers import ARGUERS
from groundscope.arguments.loading import BUILT_IN, forecast, planned
from groundscope.arguments.prompts import DEFAULT, WORDINGS
from groundscope.chat.budget import Limits
from groundscope.errors import GroundscopeError
from groundscope.experiments.forecast import Takes
from groundscope.humanize import plural
from groundscope.methods import registry

_NONE = "none"


def show() -> None:
    """The whole form."""
    chosen = making.choose("Triples", "arguments_new_set")
    arguers = _arguers()
    wordings = _wordings(any(a.startswith("chat:") for a in arguers))
    left, right = st.columns([3, 3])
    with left:
        extracts = _extractor()
    name = (
        right.text_input("Name", key="arguments_name", persist_state="session", placeholder=chosen.name, max_chars=80).strip()
        or chosen.name
    )
    if not arguers or not wordings:
        shell.notice("info", "Choose at least one that argues, and one wording.")
        return
    _offer(name, chosen, arguers, wordings, extracts)


def _arguers() -> list[str]:
    left, right = st.columns([5, 1], vertical_alignment="bottom")
    with right:
        offered = chats.chats("arguments_chat")
    titles = {c: c.removeprefix("chat:") for c in offered} | {f"{BUILT_IN}{a.id}": f"{a.title} (built in)" for a in ARGUERS}
    chosen = left.multiselect(
        "Who argues",
        list(titles),
        default=offered[:1] or [f"{BUILT_IN}{a.id}" for a in ARGUERS],
        format_func=lambda i: titles[i],
        key=f"arguments_arguers_{hash(tuple(titles))}",
        placeholder="Choose at least one",
        help="Built-in arguers need no model. Choose a chat model on the Methods page, or type one beside.",
    )
    if not offered:
        st.html("<p class='gs-note'>No chat model is chosen. Choose one on the Methods page. Built-in arguers need none.</p>")
    return list(chosen)


def _wordings(asks: bool) -> list[str]:
    titles = {w.id: w.title for w in WORDINGS}
    chosen = [DEFAULT]
    if asks:
        chosen = st.multiselect(
            "When not to argue: wordings of that instruction",
            list(titles),
            default=[DEFAULT],
            format_func=lambda i: titles[i],
            key="arguments_wordings",
            persist_state="session",
            help="Every model argues every triple under each wording. Built-in arguers read none.",
        )
    with st.expander("The wordings of when not to argue, which chat models read", key="arguments_wordings_table"):
        rows = ((w.title, cell(w.text or "(nothing is said)", class_="gs-left")) for w in WORDINGS)
        st.html(table(("Wording", "What the prompt says"), rows))
    return list(chosen)


def _extractor() -> str:
    line, typed = methods.line(), st.session_state.get("arguments_chat", "").strip()
    options = {_NONE: "Numbers and names alone (exact)"} | {f"chat:{s}": f"{s}, too" for s in dict.fromkeys((line, typed)) if s}
    chosen = st.selectbox(
        "Who extracts factors",
        list(options),
        format_func=lambda i: options[i],
        key=f"arguments_extractor_{hash(tuple(options))}",
        help="Numbers and names are found exactly; of which case each is said, by rules that free prose can mislead. A second "
        "extractor shows how far: how much both agree on is shown.",
    )
    return "" if chosen == _NONE else str(chosen)


def _offer(name: str, chosen: ScenarioSet, arguers: Sequence[str], wordings: Sequence[str], extracts: str) -> None:
    try:
        takes = _takes(chosen, tuple(arguers), tuple(wordings), extracts)
    except (GroundscopeError, ValueError) as error:
        shell.notice("bad", str(error))
        return
    asked = sum(a.startswith("chat:") for a in arguers)
    count = len(chosen.scenarios) * (len(arguers) - asked + asked * len(wordings))
    kept = "Everything is kept as it comes on this machine, until you delete it."
    st.html(f"<p class='gs-note'>{plural(count, 'argument')}. {kept}</p>")
    limits = offer(takes, "arguments")
    if limits is not None:
        _start(name, chosen, arguers, wordings, extracts, limits)


def _takes(chosen: ScenarioSet, arguers: tuple[str, ...], wordings: tuple[str, ...], extracts: str) -> list[Takes]:
    """Kept for the session: prompts are counted and prices looked up."""
    key = ("takes", chosen, arguers, wordings, extracts)
    kept = state.kept()
    if key not in kept:
        kept[key] = forecast(chosen.scenarios, chosen.catalogue, arguers, wordings, extracts, registry.chat)
    found: list[Takes] = kept[key]
    return found


def _start(
    name: str, chosen: ScenarioSet, arguers: Sequence[str], wordings: Sequence[str], extracts: str, limits: Limits
) -> None:
    try:
        plan = planned(name, chosen.catalogue, arguers, wordings, extracts, registry.chat)
        jobs().resume(runs.create(plan, chosen.scenarios, limits=limits))
    except (GroundscopeError, ValueError) as error:
        shell.notice("bad", str(error))
        return
    st.rerun()
