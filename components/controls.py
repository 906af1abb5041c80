"""Controls that many pages share: choices, filters, tables to tick, charts, downloads, tabs, progress and loaded files."""

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components import shell
from components.state import own
from components.team.person import for_person
from components.worker.reading import reading
from groundscope.chat.budget import Limits
from groundscope.errors import DataError, GroundscopeError
from groundscope.files.rows import Rejected
from groundscope.grounding.tables import frame_csv
from groundscope.storage.team import Role, lacks, role_of
from groundscope.text.humanize import plural

T = TypeVar("T")
Word = TypeVar("Word", bound=str)

_ALL = "All"
clickable_matrix = shell.component("errors_matrix", root="errors", css=("errors",), scripts=("text", "errors_matrix"))
"""A table in the browser whose cells can be clicked: figures of methods, by part."""
_MIMES = {
    "csv": "text/csv",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "html": "text/html",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "md": "text/markdown",
    "pdf": "application/pdf",
    "tex": "application/x-tex",
    "toml": "application/toml",
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


def download(label: str, data: Any, name: str, key: str, **more: Any) -> None:
    """A button that saves a file, of the type that its ending says; `data` may be a function that makes it."""
    data = for_person(data, name) if callable(data) else data
    st.download_button(label, data, name, _MIMES[name.rpartition(".")[2]], key=key, on_click="ignore", **more)


def files_in(folder: Path) -> list[Path]:
    """The folder's own files; none where it cannot be read. Links out of it are left out."""
    try:
        return sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink())
    except OSError:
        return []


def zipped(folder: Path, name: str) -> bytes:
    """The folder's own files as ZIP, under a name."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for path in files_in(folder):
            archive.write(path, f"{name}/{path.name}")
    return out.getvalue()


def needs(what: Role | Callable[..., Any], *, disabled: bool = False) -> dict[str, Any]:
    """Arguments of a button for those with a role, or with that of a use case: off for others, with the reason as its help."""
    role = what if isinstance(what, Role) else role_of(what)
    why = lacks(role) if role else ""
    return {"disabled": disabled or bool(why)} | ({"help": why} if why else {})


def action(label: str, key: str, do: Callable[..., Any], *arguments: object, **more: Any) -> None:
    """A button that does something with the arguments when it is pressed; a use case is for those with its role."""
    st.button(label, key=key, on_click=do, args=arguments, **more | needs(do, disabled=more.get("disabled", False)))


def progress(share: float, words: str, key: str, cancel: Callable[..., None], *arguments: object) -> None:
    """Progress, 0..1 and in words, and a button that cancels it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(share, text=words)
        action("Cancel", key, cancel, *arguments)


def limit_fields(key: str, now: Limits, about_calls: str | None = None) -> Limits:
    """Two fields for what may be spent; an empty one is no limit."""
    # As session state, not as a default: a field that has one cannot be emptied. Limits that were changed elsewhere come in.
    if st.session_state.setdefault(f"{key}_now", now) != now:
        st.session_state.update({f"{key}_now": now, f"{key}_dollars": now.dollars, f"{key}_calls": now.calls})
    st.session_state.setdefault(f"{key}_dollars", now.dollars)
    st.session_state.setdefault(f"{key}_calls", now.calls)
    most = max(10_000.0, now.dollars or 0.0), max(1_000_000, now.calls or 0)
    shared: dict[str, Any] = {"value": None, "placeholder": "no limit", "width": 200, "persist_state": "session"}
    dollars = st.number_input("US dollars at most", 0.0, most[0], step=0.5, key=f"{key}_dollars", **shared)
    calls = st.number_input("Calls at most", 0, most[1], step=100, key=f"{key}_calls", help=about_calls, **shared)
    return Limits(calls, dollars)


def table_csv(table: pd.DataFrame, name: str, key: str) -> None:
    """A button for a table as CSV, in a file named by a title."""
    download("CSV", lambda: frame_csv(table), f"{slug(name)}.csv", key)


@contextmanager
def errors_shown(*kinds: type[Exception], place: str = "") -> Iterator[None]:
    """Errors of the library, and of these kinds, end the block and are shown: here, or at a place when the page is drawn next."""
    shown: tuple[type[Exception], ...] = (GroundscopeError, *kinds)
    try:
        yield
    except shown as error:
        if place:
            shell.say(place, "bad", str(error))
        else:
            shell.notice("bad", str(error))


def tabs(parts: Mapping[str, Callable[..., None]], key: str, *arguments: Any) -> None:
    """Tabs by title; only the open one is drawn, with the arguments."""
    for tab, draw in zip(st.tabs(list(parts), key=key, on_change="rerun"), parts.values(), strict=True):
        if tab.open:
            with tab:
                draw(*arguments)


def unfolded(label: str, key: str, draw: Callable[..., None], *arguments: Any, expanded: bool = False) -> None:
    """An expander whose content is drawn, with the arguments, only while it is open."""
    with st.expander(label, expanded=expanded, key=key, on_change="rerun") as panel:
        if panel.open:
            draw(*arguments)


def removable(label: str, loaded: Mapping[str, str], key: str, remove: Callable[[str], Any]) -> None:
    """What was loaded, by name with how much it holds, each with a button that removes it."""
    for name, size in loaded.items():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(f"<span class='gs-note'>{escape(f'{name}: {size}')}</span>", width="content")
            action(label, f"{key}_{name}", remove, name)


def select_one(place: Any, label: str, titles: Mapping[str, str], key: str, first: str = "", **more: Any) -> str:
    """A choice of one, shown by its title and kept while the session lasts; `first` is chosen where it is there."""
    options = list(titles)
    more |= {"index": options.index(first) if first in titles else 0, "format_func": titles.__getitem__}
    return str(place.selectbox(label, options, key=key, persist_state="session", **more))


def several_of(place: Any, label: str, titles: Mapping[Word, str], key: str, **more: Any) -> list[Word]:
    """A choice of several, shown by their titles."""
    return list(place.multiselect(label, list(titles), format_func=titles.__getitem__, key=key, **more))


class SourceChoice(NamedTuple, Generic[T]):
    """Results that can be opened."""

    id: str
    label: str
    open: Callable[[], T]


def choose_source(choices: Sequence[SourceChoice[T]], label: str, link: str, key: str) -> T | None:
    """Let the user choose what to open, which the address then names; None, and why on the page, where it cannot be read.

    What the session has under `KEY_open` is chosen as soon as it is there.
    """
    by_id = {c.id: c for c in choices}
    asked, shown, chosen = f"{key}_open", f"{key}_linked", f"{key}_results"
    linked = st.query_params.get(link, "")
    news = linked and linked != st.session_state.get(shown)
    if st.session_state.get(asked) in by_id:
        st.session_state[chosen] = st.session_state.pop(asked)
    elif news and linked in by_id:
        st.session_state[chosen] = linked
    elif news:
        shell.notice("info", f"The {label.lower()} that the link names are not here; others are shown.")
    if st.session_state.get(chosen) not in by_id:
        st.session_state[chosen] = next(iter(by_id))
    opened = st.session_state[chosen]
    if len(by_id) > 1:
        opened = select_one(st, label, {i: c.label for i, c in by_id.items()}, chosen)
    # What a link says from now on is news only where it says something else.
    st.query_params[link] = st.session_state[shown] = opened
    with errors_shown():
        return by_id[opened].open()
    return None


def typed_line(label: str, key: str, check: Callable[[str], object], examples: str) -> str:
    """A line behind a button; empty where the check refuses it."""
    with st.popover(label, key=f"{key}_panel"):
        line = st.text_input(label, key=key, max_chars=300, persist_state="session").strip()
        st.html(f"<p class='gs-note'>{examples}</p>")
    if line:
        with errors_shown(ValueError):
            check(line)
            return line
    return ""


def filters(
    now: object, levels: Mapping[str, tuple[str, Sequence[Any]]], title: Callable[[str, Any], str], key: str, of: str, width: int
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


def ticked_list(rows: pd.DataFrame, key: str, most: int, alt: str, columns: Mapping[str, Any] | None = None) -> int | None:
    """A list with at most so many rows in view; gives the ticked row. `columns` have a width in pixels, or a whole setting."""
    wide = {name: st.column_config.TextColumn(width=c) if isinstance(c, int) else c for name, c in (columns or {}).items()}
    st.dataframe(
        rows,
        column_config=wide,
        hide_index=True,
        width="stretch",
        height=38 + 35 * min(len(rows), most),
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        alt=alt,
    )
    return ticked(key, len(rows))


def ticked(key: str, rows: int) -> int | None:
    """The row that is ticked in a table of so many rows."""
    selected = st.session_state[key]["selection"]["rows"]
    return int(selected[0]) if selected and selected[0] < rows else None


def just_clicked(key: str, points: Sequence[Any]) -> Any:
    """The point of a figure that has just been clicked, else None: a selection stays until another one is made."""
    before, now = st.session_state.get(f"{key}_clicked"), points[0] if points else None
    st.session_state[f"{key}_clicked"] = now
    return None if now == before else now


def left_out(rejected: Sequence[Rejected], most: int = 5) -> list[str]:
    """Which rows of a file, or of several, cannot be used, and why, in sentences."""
    more = len(rejected) - most
    several = len({one.file for one in rejected}) > 1
    lines = [f"{f'{one.file}, row' if several else 'Row'} {one.row:,} was left out: {one.reason}" for one in rejected[:most]]
    return [*lines, f"{plural(more, 'more row was', 'more rows were')} left out."] if more > 0 else lines


def read_uploads(files: Iterable[UploadedFile], key: str, read: Callable[[UploadedFile], str]) -> bool:
    """Read each upload once and show its message while it is listed; True if a new one could be read.

    The session has under the key a message an upload: one whose content was removed must not come back at the next redraw.
    """
    messages, new = own(key, dict[str, str]()), False
    for file in files:
        if file.file_id not in messages:
            stop = partial(
                messages.__setitem__, file.file_id, f"{file.name} was not read: you cancelled it. Load it again to read it."
            )
            try:
                with reading(stop):
                    messages[file.file_id] = read(file)
                new = True
            except DataError as error:
                messages[file.file_id] = str(error)
        if messages[file.file_id]:
            shell.notice("bad", messages[file.file_id])
    return new


def show_figure(figure: go.Figure, *, key: str, name: str, alt: str, data: pd.DataFrame, select: bool = False) -> list[Any]:
    """Draw a chart and its downloads; gives the customdata of the selected points, one entry a point.

    `key` is unique on the page, `name` makes the files' names, `alt` is what the chart shows for those who do not see it,
    `data` is for the CSV, and `select` lets points be clicked.
    """
    place = st.container(key=f"chart_{key}")
    with st.popover("Download this figure", key=f"download_{key}"):
        kind = st.radio("Image", ("PNG", "SVG"), horizontal=True, key=f"image_{key}")
        st.html('<p class="gs-note">Choose PNG or SVG, then point at the chart and click the camera above it.</p>')
        st.download_button(
            "Data as CSV", frame_csv(data), f"{slug(name)}.csv", "text/csv", key=f"csv_{key}", on_click="ignore", width="stretch"
        )
    image = {"format": (kind or "PNG").lower(), "filename": slug(name), "scale": 2}
    config = {"toImageButtonOptions": image, "displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d"]}
    with place:
        if not select:
            st.plotly_chart(figure, key=f"plot_{key}", config=config, alt=alt, width="stretch")
            return []
        event: Any = st.plotly_chart(
            figure, key=f"plot_{key}", config=config, alt=alt, width="stretch", on_select="rerun", selection_mode="points"
        )
    return [point.get("customdata") for point in event["selection"]["points"] if point.get("customdata") is not None]


def slug(name: str) -> str:
    """A file name of a title: letters, digits and dashes."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:60] or "figure"
