"""Before a chat model is asked about arguments: which one, what it takes, where texts go, and the button that sends them."""

from collections.abc import Sequence
from html import escape

import streamlit as st

import scorers
from components import asking, shell
from evaluation.arguments.loading import Takes
from evaluation.errors import GroundscopeError
from evaluation.words import money, plural

NO_CHAT = "No chat model is chosen yet: on the Methods page, or beside."
_THIS_MACHINE = {"", "localhost", "127.0.0.1", "::1"}
_ONCE_MORE = "A reply that cannot be read is asked for once more; that is not counted here."


def chats(key: str) -> list[str]:
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


def agreed(takes: Sequence[Takes], key: str) -> bool:
    """Say what it takes, and give a button that names where texts go; whether it was pressed."""
    if takes:
        st.html(f"{_table(takes)}<p class='gs-note'>{escape(_ONCE_MORE)}</p>")
    for one in takes:
        if one.missing:
            shell.notice("bad", f"{one.title}: {one.missing}")
    addresses = sorted({t.address for t in takes} - _THIS_MACHINE)
    label = f"Send to {', '.join(addresses)} and start" if addresses else "Start"
    return bool(st.button(_plain(label), type="primary", key=key, disabled=any(t.missing for t in takes)))


def _table(takes: Sequence[Takes]) -> str:
    rows = ""
    for t in takes:
        cost = "not known" if t.dollars is None else "nothing" if not t.dollars else f"at most {money(t.dollars)}"
        where = f"to {t.address}" if t.address not in _THIS_MACHINE else "stay on this machine"
        cells = (plural(t.calls, "call"), where, cost)
        rows += f"<tr><th scope='row'>{escape(t.title)}</th>{''.join(f'<td>{escape(c)}</td>' for c in cells)}</tr>"
    head = "".join(f"<th scope='col'>{h}</th>" for h in ("Part", "Takes", "Texts", "Costs"))
    return f"<table class='gs-counts'><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _plain(label: str) -> str:
    """Labels are markdown; a host's name has none."""
    return "".join(c if c.isalnum() or c in " .-,:" else " " for c in label)
