"""Widgets that many pages have: a choice of a few words, a file to download, the ticked row of a table."""

from collections.abc import Callable, Mapping
from typing import Literal, TypeVar

import pandas as pd
import streamlit as st

from components.figure import slug
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


def table_csv(table: pd.DataFrame, name: str, key: str) -> None:
    """A button for a table as CSV, in a file named by a title."""
    download("CSV", lambda: frame_csv(table), f"{slug(name)}.csv", key)


def ticked(key: str, rows: int) -> int | None:
    """The row that is ticked in a table of so many rows."""
    found = st.session_state[key]["selection"]["rows"]
    return int(found[0]) if found and found[0] < rows else None
