"""What a session may spend on models that are asked, and the table of prices that costs are reckoned by."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from components import asking, shell, state
from evaluation import prices
from evaluation.errors import DataError
from evaluation.words import money

_SAID = "prices_said"
"""Where what became of a table is kept until it is shown."""

_COLUMNS = {
    "model": ("Model", "The name as the provider writes it, without the date of a snapshot"),
    "above": ("Longer than", "This price is for prompts of more tokens than this; mostly 0"),
    "input": ("Read", "US dollars per million tokens of the prompt"),
    "output": ("Written", "US dollars per million tokens of the reply, thinking included"),
    "cache_read": ("From cache", "US dollars per million tokens read from the provider's prompt cache"),
    "cache_write": ("To cache", "US dollars per million tokens written to it"),
    "date": ("Date", "When this was read"),
    "source": ("Source", "Where this was read"),
}
"""The table's columns as people read them, and what each means."""


def show() -> None:
    """Both, each folded up."""
    with st.expander("Budget of this session", key="model_budget"):
        _budget()
    with st.expander("Prices", key="model_prices"):
        _prices()


def left() -> str:
    """What is left of this session's budget, as a sentence."""
    limits, (calls, dollars) = state.limits(), asking.spent()
    parts = []
    if limits.dollars is not None:
        parts.append(f"{money(max(0.0, limits.dollars - dollars))} of {money(limits.dollars)}")
    if limits.calls is not None:
        parts.append(f"{max(0, limits.calls - calls):,} of {limits.calls:,} {'call' if limits.calls == 1 else 'calls'}")
    return f"This session's budget: {' and '.join(parts)} left." if parts else "This session has no budget."


def _budget() -> None:
    limits = state.limits()
    st.html(
        "<p class='gs-sub gs-measure'>A run stops before the call that would go over it, and goes on when you raise it: kept "
        "replies are not paid for twice. What a call can cost at most is set aside before it is made. An empty field is no "
        "limit. A limit in dollars also stops models whose price is not known.</p>"
    )
    # As session state, not as a default: a field that has one cannot be emptied.
    st.session_state.setdefault("budget_dollars", limits.dollars)
    st.session_state.setdefault("budget_calls", limits.calls)
    with st.form("budget", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        shared: dict[str, Any] = {"value": None, "placeholder": "no limit", "width": 200}
        dollars = st.number_input("US dollars at most", 0.0, 10_000.0, step=0.5, key="budget_dollars", **shared)
        calls = st.number_input("Calls at most", 0, 1_000_000, step=100, key="budget_calls", **shared)
        if st.form_submit_button("Set the budget"):
            state.limits(state.Limits(dollars, calls))
            asking.forget_failures()
            st.rerun()
    st.html(f"<p class='gs-left' role='status'>{escape(left())}</p>")


def _prices() -> None:
    try:
        table = prices.prices()
    except DataError as error:
        shell.notice("bad", f"{error} Until then nothing is sent. The prices that ship are shown.")
        table = prices.shipped()
    st.html(
        "<p class='gs-sub gs-measure'>US dollars per million tokens, with the date at which each was read. Check them against "
        "your provider's page; a model that is not here has no known price. They hold for everyone who uses this app.</p>"
    )
    # Named columns also where no row is left, or none could be added again.
    frame = pd.DataFrame([prices.fields_of(p) for p in table], columns=list(_COLUMNS))
    edited = st.data_editor(
        frame,
        num_rows="dynamic",
        key="price_table",
        hide_index=True,
        column_config={name: _column(name, label, help_) for name, (label, help_) in _COLUMNS.items()},
        alt=f"Prices of models: {len(frame)} rows",
    )
    if said := st.session_state.pop(_SAID, None):
        shell.notice(*said)
    with st.container(horizontal=True):
        st.button("Keep these prices", on_click=_keep, args=(edited,))
        if prices.own_table().exists():
            st.button("Back to the prices that ship", on_click=_back)


def _column(name: str, label: str, help_: str) -> Any:
    config = st.column_config
    if name in ("model", "source"):
        return config.TextColumn(label, help=help_)
    if name == "date":
        return config.TextColumn(label, help=help_, default=datetime.now(UTC).date().isoformat())
    # A price has no default: one that was not stated is not nothing.
    number: Callable[..., Any] = config.NumberColumn
    whole = {"step": 1, "default": 0} if name == "above" else {"format": "%g"}
    return number(label, help=help_, min_value=0, **whole)


def _keep(edited: pd.DataFrame) -> None:
    # An added row makes whole numbers into fractions, which the table does not take.
    table = edited.assign(above=pd.to_numeric(edited["above"], errors="coerce").fillna(0).astype("int64"))
    try:
        prices.keep(prices.read(table.to_csv(index=False), "The table"))
    except DataError as error:
        st.session_state[_SAID] = ("bad", _words(str(error)))
    except OSError as error:
        st.session_state[_SAID] = (
            "bad",
            f"The prices cannot be kept ({type(error).__name__}); check that the data folder can be written.",
        )
    else:
        # What was typed is in the table now.
        st.session_state.pop("price_table", None)
        asking.forget_failures()
        st.session_state[_SAID] = ("good", "These prices are used from now on.")


def _words(problem: str) -> str:
    """What is wrong with the file, in words of the table on the page: rows without the heads, columns by their titles."""
    problem = re.sub(r"line (\d+)", lambda m: f"row {int(m[1]) - 1}", problem)
    return re.sub(r"\b(above|input|output|cache_read|cache_write)\b", lambda m: f"“{_COLUMNS[m[1]][0]}”", problem)


def _back() -> None:
    prices.own_table().unlink(missing_ok=True)
    st.session_state.pop("price_table", None)
    asking.forget_failures()
    st.session_state[_SAID] = ("good", "The prices that ship are used again.")
