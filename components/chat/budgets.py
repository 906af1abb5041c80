"""What a session may spend on chat models, and the table of prices for estimating costs."""

import re
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from components import shell, state
from components.controls import action, limit_fields
from components.scoring import asking
from groundscope.chat import prices
from groundscope.errors import DataError
from groundscope.storage.team import Role, use_case
from groundscope.text.humanize import money, plural

_COLUMNS = {
    "model": ("Model", "The provider's name of the model, without a snapshot date"),
    "above": ("Longer than", "The price applies to prompts longer than this, in tokens; usually 0"),
    "input": ("Read", "US dollars per million tokens of the prompt"),
    "output": ("Written", "US dollars per million tokens of the reply, thinking included"),
    "cache_read": ("From cache", "US dollars per million tokens read from the provider's prompt cache"),
    "cache_write": ("To cache", "US dollars per million tokens written to it"),
    "date": ("Date", "The date when you read this price"),
    "source": ("Source", "Where you read this price"),
}
"""The columns of the table: title and help."""


def show() -> None:
    """Budget and prices, each in an expander."""
    with st.expander("Budget of this session", key="model_budget"):
        _budget()
    with st.expander("Prices", key="model_prices"):
        _prices()


def left() -> str:
    """The remaining budget of this session, as a sentence."""
    limits, cost = state.limits(), asking.spent()
    parts = []
    if limits.dollars is not None:
        parts.append(f"{money(max(0.0, limits.dollars - cost.dollars - cost.risk))} of {money(limits.dollars)}")
    if limits.calls is not None:
        parts.append(f"{max(0, limits.calls - cost.calls):,} of {plural(limits.calls, 'call')}")
    return f"This session's budget: {' and '.join(parts)} left." if parts else "This session has no budget."


def _budget() -> None:
    st.html(
        "<p class='gs-sub gs-measure'>A run pauses before the call that would exceed the budget. Raise the budget to resume: "
        "saved replies are not paid for twice. The highest possible cost of a call is reserved before it. An empty field means "
        "no limit. A limit in dollars also stops models whose price is unknown.</p>"
    )
    with st.form("budget", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = limit_fields("budget", state.limits())
        if st.form_submit_button("Set the budget"):
            state.limits(chosen)
            asking.forget_failures()
            st.rerun()
    st.html(f"<p class='gs-left' role='status'>{escape(left())}</p>")


def _prices() -> None:
    try:
        table = prices.prices()
    except DataError as error:
        shell.notice("bad", f"{error} Until then nothing is sent. The table shows the default prices.")
        table = prices.shipped()
    st.html(
        "<p class='gs-sub gs-measure'>US dollars per million tokens, with the date of each price. Check them against "
        "your provider's page. The price of a model not listed here is unknown. The prices apply to all users of this app.</p>"
    )
    # Named columns even without rows, or the user could not add one.
    frame = pd.DataFrame([asdict(p) for p in table], columns=list(_COLUMNS))
    edited = st.data_editor(
        frame,
        num_rows="dynamic",
        key="price_table",
        hide_index=True,
        column_config={name: _column(name, label, help_) for name, (label, help_) in _COLUMNS.items()},
        alt=f"Prices of models: {len(frame)} rows",
    )
    shell.show_said("prices")
    with st.container(horizontal=True):
        action("Save prices", "prices_save", _keep, edited)
        if prices.own_table().exists():
            action("Restore default prices", "prices_restore", _back)


def _column(name: str, label: str, help_: str) -> Any:
    config = st.column_config
    if name in ("model", "source"):
        return config.TextColumn(label, help=help_)
    if name == "date":
        return config.TextColumn(label, help=help_, default=datetime.now(UTC).date().isoformat())
    # A price has no default: a missing price is not a price of 0.
    number: Callable[..., Any] = config.NumberColumn
    whole = {"step": 1, "default": 0} if name == "above" else {"format": "%g"}
    return number(label, help=help_, min_value=0, **whole)


@use_case(Role.LEAD)
def _keep(edited: pd.DataFrame) -> None:
    # An added row makes whole numbers into fractions, which the table does not take.
    table = edited.assign(above=pd.to_numeric(edited["above"], errors="coerce").fillna(0).astype("int64"))
    try:
        prices.keep(prices.read(table.to_csv(index=False), "The table"))
    except DataError as error:
        shell.say("prices", "bad", _words(str(error)))
    except OSError as error:
        kind = type(error).__name__
        shell.say("prices", "bad", f"The prices cannot be saved ({kind}). Check that you can write to the data folder.")
    else:
        # The table now has the typed values.
        _changed("Prices saved.")


def _words(problem: str) -> str:
    """A problem of the file in words of the table on the page: rows without the header, columns by title."""
    problem = re.sub(r"line (\d+)", lambda m: f"row {int(m[1]) - 1}", problem)
    return re.sub(r"\b(above|input|output|cache_read|cache_write)\b", lambda m: f"“{_COLUMNS[m[1]][0]}”", problem)


@use_case(Role.LEAD)
def _back() -> None:
    prices.restore()
    _changed("Default prices restored.")


def _changed(message: str) -> None:
    st.session_state.pop("price_table", None)
    asking.forget_failures()
    shell.say("prices", "good", message)
