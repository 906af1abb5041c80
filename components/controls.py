"""Widgets that many pages have: a choice of a few words, a file to download, the ticked row of a table."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeVar

import pandas as pd
import streamlit as st

from components.figure import slug
from groundscope.chat.budget import Limits
from groundscope.grounding.tables import frame_csv

Word = TypeVar("Word", bound=str)

_MIMES = {
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "md": "text/markdown",
    "tex": "application/x-tex",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}


def one_of(label: str, words: Mapping[Word, str], key: str, *, bind: Literal["query-params"] | None = None) -> Word:
    """The chosen one of a few words, at first the first; it stays while the user is on another page."""
    first = next(iter(words))
    chosen: Word | None = st.segmented_control(
        label,
        list(words),
        default=first,
        format_func=words.__getitem__,
        key=key,
        bind=bind,
        required=True,
        persist_state="session",
    )
    return chosen or first


def download(label: str, data: Callable[[], bytes | str] | str, name: str, key: str, *, disabled: bool = False) -> None:
    """A button for a file, whose ending says what it is; made when the button is pressed if `data` is a function."""
    mime = _MIMES[name.rpartition(".")[2]]
    st.download_button(label, data, name, mime, key=key, on_click="ignore", disabled=disabled)


def progress(share: float, words: str, key: str, cancel: Callable[..., None], *arguments: object) -> None:
    """How far work is, 0..1 and in words, and a button that cancels it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(share, text=words)
        st.button("Cancel", key=key, on_click=cancel, args=arguments)


def limit_fields(key: str, now: Limits, about_calls: str | None = None) -> Limits:
    """Two fields for what may be spent; an empty one is no limit."""
    # As session state, not as a default: a field that has one cannot be emptied.
    st.session_state.setdefault(f"{key}_dollars", now.dollars)
    st.session_state.setdefault(f"{key}_calls", now.calls)
    shared: dict[str, Any] = {"value": None, "placeholder": "no limit", "width": 200}
    dollars = st.number_input("US dollars at most", 0.0, 10_000.0, step=0.5, key=f"{key}_dollars", **shared)
    calls = st.number_input("Calls at most", 0, 1_000_000, step=100, key=f"{key}_calls", help=about_calls, **shared)
    return Limits(calls, dollars)


def table_csv(table: pd.DataFrame, name: str, key: str) -> None:
    """A button for a table as CSV, in a file named by a title."""
    download("CSV", lambda: frame_csv(table), f"{slug(name)}.csv", key)


def ticked(key: str, rows: int) -> int | None:
    """The row that is ticked in a table of so many rows."""
    found = st.session_state[key]["selection"]["rows"]
    return int(found[0]) if found and found[0] < rows else None
