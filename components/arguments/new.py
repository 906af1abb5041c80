"""A new run: which triples, who argues under which wordings, who extracts, what it takes, where texts go, and the button."""

from collections.abc import Sequence
from html import escape

import streamlit as st

import scorers
from components import asking, shell
from components.arguments import making, state
from components.arguments.state import ScenarioSet
from components.arguments.under_way import go_on
from evaluation.arguments import runs
from evaluation.arguments.arguers import ARGUERS
from evaluation.arguments.loading import BUILT_IN, Takes, forecast, planned
from evaluation.arguments.prompts import DEFAULT, WORDINGS
from evaluation.errors import GroundscopeError
from evaluation.words import counted, money

_THIS_MACHINE = {"", "localhost", "127.0.0.1", "::1"}
_NONE = "none"
_ONCE_MORE = "A reply that cannot be read is asked for once more; that is not counted here."


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


def _chats(key: str) -> list[str]:
    """Chat models that can be chosen: the session's, and one that is typed."""
    lines = [line] if (line := asking.line()) else []
    with st.popover("Another chat model", key=f"{key}_panel"):
        typed = st.text_input(
            "Another chat model",
            key=key,
            placeholder="provider:model, such as openai:gpt-4o",
            max_chars=300,
            persist_state="session",
        ).strip()
    if typed:
        try:
            scorers.chat(typed)
        except (GroundscopeError, ValueError) as error:
            shell.notice("bad", str(error))
        else:
            lines.append(typed)
    return [f"chat:{line}" for line in dict.fromkeys(lines)]


def _arguers() -> list[str]:
    left, right = st.columns([5, 1], vertical_alignment="bottom")
    with right:
        chats = _chats("arguments_chat")
    titles = {c: c.removeprefix("chat:") for c in chats} | {f"{BUILT_IN}{a.id}": f"{a.title} (built in)" for a in ARGUERS}
    chosen = left.multiselect(
        "Who argues",
        list(titles),
        default=chats[:1] or [f"{BUILT_IN}{a.id}" for a in ARGUERS],
        format_func=lambda i: titles[i],
        key=f"arguments_arguers_{hash(tuple(titles))}",
        placeholder="Choose at least one",
        help="Built-in arguers need no model. Choose a chat model on the Methods page, or type one beside.",
    )
    if not chats:
        st.html("<p class='gs-note'>No chat model is chosen yet: on the Methods page, or beside. Built-in arguers need none.</p>")
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
        rows = "".join(
            f"<tr><th scope='row'>{escape(w.title)}</th><td class='gs-left'>{escape(w.text) or '(nothing is said)'}</td></tr>"
            for w in WORDINGS
        )
        head = "<tr><th scope='col'>Wording</th><th scope='col'>What the prompt says</th></tr>"
        st.html(f"<table class='gs-counts'><thead>{head}</thead><tbody>{rows}</tbody></table>")
    return list(chosen)


def _extractor() -> str:
    line, typed = asking.line(), st.session_state.get("arguments_chat", "").strip()
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
    chats = sum(a.startswith("chat:") for a in arguers)
    count = len(chosen.scenarios) * (len(arguers) - chats + chats * len(wordings))
    kept = "Everything is kept as it comes on this machine, until you delete it."
    st.html(f"<p class='gs-note'>{counted(count, 'argument')}. {kept}</p>")
    if takes:
        st.html(f"{_table(takes)}<p class='gs-note'>{escape(_ONCE_MORE)}</p>")
    for one in takes:
        if one.missing:
            shell.notice("bad", f"{one.title}: {one.missing}")
    addresses = sorted({t.address for t in takes} - _THIS_MACHINE)
    label = f"Send to {', '.join(addresses)} and start" if addresses else "Start"
    if st.button(_plain(label), type="primary", key="arguments_start", disabled=any(t.missing for t in takes)):
        _start(name, chosen, arguers, wordings, extracts)


def _takes(chosen: ScenarioSet, arguers: tuple[str, ...], wordings: tuple[str, ...], extracts: str) -> list[Takes]:
    """Kept for the session: prompts are counted and prices looked up."""
    key = ("takes", chosen, arguers, wordings, extracts)
    kept = state.kept()
    if key not in kept:
        kept[key] = forecast(chosen.scenarios, chosen.catalogue, arguers, wordings, extracts, scorers.chat)
    found: list[Takes] = kept[key]
    return found


def _table(takes: Sequence[Takes]) -> str:
    rows = ""
    for t in takes:
        cost = "not known" if t.dollars is None else "nothing" if not t.dollars else f"at most {money(t.dollars)}"
        where = f"to {t.address}" if t.address not in _THIS_MACHINE else "stay on this machine"
        cells = (counted(t.calls, "call"), where, cost)
        rows += f"<tr><th scope='row'>{escape(t.title)}</th>{''.join(f'<td>{escape(c)}</td>' for c in cells)}</tr>"
    head = "".join(f"<th scope='col'>{h}</th>" for h in ("Part", "Takes", "Texts", "Costs"))
    return f"<table class='gs-counts'><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _plain(label: str) -> str:
    """Labels are markdown; a host's name has none."""
    return "".join(c if c.isalnum() or c in " .-,:" else " " for c in label)


def _start(name: str, chosen: ScenarioSet, arguers: Sequence[str], wordings: Sequence[str], extracts: str) -> None:
    try:
        plan = planned(name, chosen.catalogue, arguers, wordings, extracts, scorers.chat)
        go_on(runs.create(plan, chosen.scenarios))
    except (GroundscopeError, ValueError) as error:
        shell.notice("bad", str(error))
        return
    st.rerun()
