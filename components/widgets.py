"""Pieces of pages that several rooms draw: tabs, choices, filters, lists to tick, downloads, and what was loaded."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from html import escape
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components import shell
from groundscope.errors import DataError, GroundscopeError
from groundscope.files.rows import Rejected
from groundscope.humanize import plural

_ALL = "All"
_TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "md": "text/markdown",
    "zip": "application/zip",
}


@contextmanager
def errors_told(*kinds: type[Exception]) -> Iterator[None]:
    """Errors of the library, and of these kinds, end the block and are shown on the page."""
    told: tuple[type[Exception], ...] = (GroundscopeError, *kinds)
    try:
        yield
    except told as error:
        shell.notice("bad", str(error))


def tabs(parts: Mapping[str, Callable[..., None]], key: str, *given: Any) -> None:
    """Tabs by title; only the open one is drawn, with what is given."""
    for tab, draw in zip(st.tabs(list(parts), key=key, on_change="rerun"), parts.values(), strict=True):
        if tab.open:
            with tab:
                draw(*given)


def unfolded(label: str, key: str, draw: Callable[..., None], *given: Any, expanded: bool = False) -> None:
    """An expander whose inside is drawn only while it is open, with what is given."""
    with st.expander(label, expanded=expanded, key=key, on_change="rerun") as panel:
        if panel.open:
            draw(*given)


def download(label: str, data: Any, name: str, key: str, **more: Any) -> None:
    """A button that saves a file, of the type that its ending says; `data` may be a function that makes it."""
    st.download_button(label, data, name, _TYPES[name.rpartition(".")[2]], key=key, on_click="ignore", **more)


def removable(label: str, loaded: Mapping[str, str], key: str, remove: Callable[[str], Any]) -> None:
    """What was loaded, by name with how much it holds, each with a button that removes it."""
    for name, size in loaded.items():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(f"<span class='gs-note'>{escape(f'{name}: {size}')}</span>", width="content")
            st.button(label, key=f"{key}_{name}", on_click=remove, args=(name,))


def one_of(place: Any, label: str, titles: Mapping[str, str], key: str, first: str = "", **more: Any) -> str:
    """A choice of one, shown by its title and kept while the session lasts; `first` is chosen where it is there."""
    options = list(titles)
    more |= {"index": options.index(first) if first in titles else 0, "format_func": titles.__getitem__}
    return str(place.selectbox(label, options, key=key, persist_state="session", **more))


def several_of(place: Any, label: str, titles: Mapping[str, str], key: str, **more: Any) -> list[str]:
    """A choice of several, shown by their titles."""
    return list(place.multiselect(label, list(titles), format_func=titles.__getitem__, key=key, **more))


def typed_line(label: str, key: str, check: Callable[[str], object], placeholder: str = "", examples: str = "") -> str:
    """A line behind a button; empty where the check refuses it."""
    with st.popover(label, key=f"{key}_panel"):
        line = st.text_input(label, key=key, placeholder=placeholder, max_chars=300, persist_state="session").strip()
        if examples:
            st.html(f"<p class='gs-note'>{examples}</p>")
    if line:
        with errors_told(ValueError):
            check(line)
            return line
    return ""


def filters(
    now: object,
    levels: Mapping[str, tuple[str, Sequence[Any]]],
    title: Callable[[str, Any], str],
    key: str,
    of: str,
    width: int,
) -> dict[str, Any]:
    """A row of filters of what `of` names; what was chosen by field, None where all pass.

    `levels` has the label and the options of each field, `title` the words for an option of a field.
    """
    chosen: dict[str, Any] = {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, (label, options) in levels.items():
            value = getattr(now, name)
            # A click on a figure sets another filter: a widget of another key starts with it.
            picked = st.selectbox(
                label,
                [_ALL, *options],
                index=options.index(value) + 1 if value in options else 0,
                format_func=partial(_title, name, title),
                key=f"{key}_{name}_{hash((of, value, tuple(options)))}",
                width=width,
            )
            chosen[name] = None if picked == _ALL else picked
    return chosen


def _title(name: str, title: Callable[[str, Any], str], option: Any) -> str:
    return _ALL if option == _ALL else title(name, option)


def ticked(rows: pd.DataFrame, key: str, most: int, alt: str, widths: Mapping[str, int] | None = None) -> int | None:
    """A list with at most so many rows in view, of which one can be ticked; which one is."""
    event: Any = st.dataframe(
        rows,
        column_config={name: st.column_config.TextColumn(width=width) for name, width in (widths or {}).items()},
        hide_index=True,
        width="stretch",
        height=38 + 35 * min(len(rows), most),
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        alt=alt,
    )
    found: Sequence[int] = event["selection"]["rows"]
    return found[0] if found and found[0] < len(rows) else None


def just_clicked(key: str, points: Sequence[Any]) -> Any:
    """The point of a figure that has just been clicked, else None: a selection stays until another one is made."""
    before, now = st.session_state.get(f"{key}_clicked"), points[0] if points else None
    st.session_state[f"{key}_clicked"] = now
    return None if now == before else now


def left_out(rejected: Sequence[Rejected], most: int = 5) -> list[str]:
    """Which rows of a file cannot be used, and why, in sentences."""
    more = len(rejected) - most
    said = [f"Row {one.row:,} was left out: {one.reason}" for one in rejected[:most]]
    return [*said, f"{plural(more, 'more row was', 'more rows were')} left out."] if more > 0 else said


def read_uploads(files: Iterable[UploadedFile], said: dict[str, str], read: Callable[[UploadedFile], str]) -> bool:
    """Read each upload once, and show what is to be said of it as long as it is there; whether a new one could be read.

    `said` keeps that by upload: one whose content was removed must not come back at the next redraw.
    """
    new = False
    for file in files:
        if file.file_id not in said:
            try:
                said[file.file_id] = read(file)
                new = True
            except DataError as error:
                said[file.file_id] = str(error)
        if said[file.file_id]:
            shell.notice("bad", said[file.file_id])
    return new
