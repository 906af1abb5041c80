"""Progress of a file or a long text that a child process reads: elapsed time, place in the queue, and Cancel."""

import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TypeVar
from uuid import uuid4

import streamlit as st

from groundscope.errors import DataError
from groundscope.runtime.progress import listening

T = TypeVar("T")

_QUICK = 1.0
"""Seconds that pass before anything is shown."""


@contextmanager
def reading(cancelled: Callable[..., None] | None = None, doing: str = "Reading", quick: float = _QUICK) -> Iterator[None]:
    """Show how long the block takes, if it lasts longer than `quick` seconds; any click ends it, Cancel calls a function first.

    What the block reads by `groundscope.files.sandbox` asks here if it is still wanted. A click ends a page's script where it
    draws next, which is here.
    """
    place, began = st.empty(), time.monotonic()
    line = None

    def heard(done: int, total: int) -> None:
        nonlocal line
        passed = time.monotonic() - began
        if passed < quick:
            return
        if line is None:
            with place.container(horizontal=True, vertical_alignment="center"):
                line = st.empty()
                # The same file may be read twice in one run of the page's script.
                st.button("Cancel", key=f"reading_{uuid4().hex}", on_click=cancelled)
        line.html(f"<p class='gs-note' role='status'>{doing}, {passed:.0f} s</p>")

    try:
        with listening(heard):
            yield
    finally:
        place.empty()


def read_once(key: Hashable, read: Callable[[], T], doing: str = "Reading") -> T | None:
    """The result of a reader; after an error or a cancellation, the reason and a button to read again."""
    stopped: dict[Hashable, str] = st.session_state.setdefault("reading_stopped", {})
    if key not in stopped:
        try:
            with reading(partial(stopped.__setitem__, key, f"{doing} was cancelled."), doing):
                return read()
        except DataError as error:
            stopped[key] = str(error)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text(stopped[key])
        st.button("Read it again", key=f"reading_again_{hash(key)}", on_click=stopped.__delitem__, args=(key,))
    return None
