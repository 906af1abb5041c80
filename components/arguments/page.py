"""The Arguments page: results, triples, the form of a new run, and pasting or loading arguments."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from components import shell
from components.arguments import making, pasting, results, sources, state
from components.arguments.state import ScenarioSet
from components.chat import prompts
from components.chat.model import offered
from components.controls import errors_shown, select_one, several_of, tabs
from components.experiments.jobs import jobs
from components.experiments.panel import offer
from components.state import once
from groundscope.arguments import runs
from groundscope.arguments.arguers import ARGUERS
from groundscope.arguments.asking import EXTRACTION
from groundscope.arguments.loading import BUILT_IN, forecast, planned
from groundscope.arguments.prompts import DEFAULT, TASK
from groundscope.chat import prompt_files
from groundscope.text.humanize import plural

_STYLE = shell.style("arguments")


def show() -> None:
    """The whole page."""
    st.html(_STYLE)
    # Always in the same container: if the tabs moved down the page, the browser would forget which one is open.
    with st.container():
        results.PANEL.under_way()
    if st.session_state.pop("arguments_go", False):
        st.session_state["arguments_page"] = "Results"
    parts = {"Results": _results, "Cases and precedents": making.show, "Write arguments": _write, "Paste or load": pasting.show}
    tabs(parts, "arguments_page")


def _results() -> None:
    source = sources.choose()
    if source is not None:
        results.show(source)


def _write() -> None:
    """The whole form."""
    chosen = making.choose("Triples", "arguments_new_set")
    arguers, chats = _arguers()
    chosen_wordings = _wordings(any(a.startswith("chat:") for a in arguers))
    left, right = st.columns([3, 3])
    with left:
        extracts = _extractor(chats)
    name = (
        right.text_input("Name", key="arguments_name", persist_state="session", placeholder=chosen.name, max_chars=80).strip()
        or chosen.name
    )
    prompts.panel(TASK, EXTRACTION)
    if not arguers or not chosen_wordings:
        shell.notice("info", "Choose at least one that argues, and one wording.")
        return
    _offer(name, chosen, arguers, chosen_wordings, extracts)


def _arguers() -> tuple[list[str], list[str]]:
    """Who argues, and the chat models that were offered."""
    left, right = st.columns([5, 1], vertical_alignment="bottom")
    with right:
        chats = offered("arguments_chat")
    built_in = {f"{BUILT_IN}{a.id}": f"{a.title} (built in)" for a in ARGUERS}
    titles = {f"chat:{line}": line for line in chats} | built_in
    first = list(titles)[:1] if chats else list(built_in)
    hint = "Built-in arguers need no model. Choose a chat model on the Methods page, or type one beside."
    key = f"arguments_arguers_{hash(tuple(titles))}"
    chosen = several_of(left, "Who argues", titles, key, default=first, placeholder="Choose at least one", help=hint)
    if not chats:
        st.html("<p class='gs-note'>No chat model is chosen. Choose one on the Methods page. Built-in arguers need none.</p>")
    return chosen, chats


def _wordings(asks: bool) -> list[str]:
    titles = {w.name: w.title for w in prompt_files.prompts(TASK)}
    chosen = [DEFAULT]
    if asks:
        label = "When not to argue: wordings of that instruction"
        hint = "Every model argues every triple under each wording. Built-in arguers read none."
        chosen = several_of(st, label, titles, "arguments_wordings", default=[DEFAULT], persist_state="session", help=hint)
    return chosen


def _extractor(chats: Sequence[str]) -> str:
    options = {"": "Numbers and names alone (exact)"}
    for line in chats:
        options |= prompts.offered_prompts(EXTRACTION, f"chat:{line}", f"{line}, too")
    hint = (
        "Numbers and names are found exactly; of which case each is said, by rules that free prose can mislead. A second "
        "extractor shows how far: how much both agree on is shown."
    )
    return select_one(st, "Who extracts factors", options, f"arguments_extractor_{hash(tuple(options))}", help=hint)


def _offer(name: str, chosen: ScenarioSet, arguers: Sequence[str], wordings: Sequence[str], extracts: str) -> None:
    asked = sum(a.startswith("chat:") for a in arguers)
    count = len(chosen.scenarios) * (len(arguers) - asked + asked * len(wordings))
    storage = "Everything is saved at once on this machine until you delete it."
    key = ("takes", chosen, tuple(arguers), tuple(wordings), extracts)
    with errors_shown(ValueError):
        # Kept for the session: prompts are counted and prices looked up.
        count_it = partial(forecast, chosen.scenarios, chosen.catalogue, arguers, wordings, extracts)
        takes = once(state.ANALYSES, key, count_it)
        st.html(f"<p class='gs-note'>{plural(count, 'argument')}. {storage}</p>")
        limits = offer(takes, "arguments")
        if limits is not None:
            plan = planned(name, chosen.catalogue, arguers, wordings, extracts)
            jobs().resume(runs.create(plan, chosen.scenarios, limits=limits))
            st.rerun()
