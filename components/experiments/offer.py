"""Before a job starts: time and cost of each part, where texts go, the job's budget, and the button that starts it."""

from collections.abc import Sequence

import streamlit as st

from components import shell, state
from components.controls import limit_fields, needs
from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.drawing.html import Html, table, tag
from groundscope.experiments.forecast import UNPRICED, CostEstimate, lacking
from groundscope.storage.team.acting import lacks
from groundscope.storage.team.roles import Role
from groundscope.text.humanize import money, spell

_ABOUT = "An unreadable reply is requested once more, which may double its cost. Replies are saved, so nothing is paid for twice."


def offer(takes: Sequence[CostEstimate], key: str, *, caption: str = "", left: str = "", what: str = "") -> Limits | None:
    """Show what a job takes, and a button that names where texts go; once it is pressed, give what the job may spend.

    `what` starts, on a page where several things do.
    `left` says what is left of the session's budget, where the job spends of that: then there is no limit of its own.
    """
    limited = any(t.limited for t in takes)
    asks = any(t.calls and t.unit == "call" for t in takes)
    if takes:
        st.html(_table(takes, caption) + (tag("p", _ABOUT, class_="gs-note") if asks else ""))
    for why in lacking(takes):
        shell.notice("bad", why)
    for note in filter(None, (t.note for t in takes)):
        shell.notice("info", note)
    if any(t.unpriced for t in takes):
        shell.notice("info", UNPRICED)
    if left:
        st.html(shell.note(left))
    limits = limits_form(key, state.limits()) if limited and not left else NO_LIMITS
    addresses = sorted({t.leaves for t in takes} - {""})
    label = " ".join(filter(None, [f"Send to {', '.join(addresses)} and start" if addresses else "Start", what]))
    if why := lacks(Role.REVIEWER):
        shell.notice("info", why)
    allowed = needs(Role.REVIEWER, disabled=any(t.missing for t in takes))
    pressed = st.button(shell.plain(label), type="primary", key=f"{key}_start", **allowed)
    return limits if pressed else None


def limits_form(key: str, now: Limits) -> Limits:
    """Two fields for what a whole job may spend; an empty one is no limit."""
    about = "For the whole job, however often it is paused and resumed. Each request that a server takes is a call."
    with st.container(horizontal=True):
        return limit_fields(key, now, about)


def _table(takes: Sequence[CostEstimate], caption: str) -> Html:
    timed = any(t.seconds is not None for t in takes)
    rows = ((t.title, *([_time(t)] if timed else []), t.amount if t.calls else "no call", _where(t), _cost(t)) for t in takes)
    return table(("Part", *(["Time"] if timed else []), "Takes", "Texts", "Costs"), rows, caption=caption)


def _time(t: CostEstimate) -> str:
    return "not known yet" if t.seconds is None else f"about {spell(t.seconds)}"


def _where(t: CostEstimate) -> str:
    return f"go to {t.leaves}" if t.leaves else "stay on this machine"


def _cost(t: CostEstimate) -> str:
    return "not known" if t.dollars is None else "nothing" if not t.dollars else f"at most {money(t.dollars)}"
