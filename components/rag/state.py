"""Session keys of the Legal RAG page, with typed get and set; see `components/state.py`."""

from collections.abc import Collection
from itertools import count
from typing import NamedTuple

import streamlit as st

from components.opened.rag_results import FILES_KEPT
from components.state import last_few, own, value
from groundscope.rag.types import Benchmark

LINK = "results"
"""What the address calls the results that are shown."""
RESULTS, QUESTIONS = "Results", "Questions"
"""Tabs that something else on the page turns to."""
_TURNS = {"rag_turn_page": "rag_page", "rag_turn_tab": "rag_tab"}


class AnswerFilter(NamedTuple):
    """Which answers are listed; None = all."""

    embedder: str | None = None
    model: str | None = None
    outcome: str | None = None


def benchmarks() -> dict[str, Benchmark]:
    """Corpora with questions that this session loaded, by name; the last few."""
    return last_few(own("rag_benchmarks", {}), FILES_KEPT)


def unused(name: str, taken: Collection[str]) -> str:
    """The name, or with a number where it is taken: files of one name are not the same file."""
    return next(n for i in count(1) if (n := name if i == 1 else f"{name} ({i})") not in taken)


def show_results(source: str) -> None:
    """Turn to these results at the next run: an experiment's id, or a file's."""
    st.session_state["rag_turn_page"], st.session_state["rag_open"] = RESULTS, source


def stay() -> None:
    """Keep the page's tab; the results that were asked for are chosen when it is turned to."""
    st.session_state.pop("rag_turn_page", None)


def show_questions(which: AnswerFilter) -> None:
    """Turn to these questions at the next run."""
    answer_filter(which)
    st.session_state["rag_turn_tab"] = QUESTIONS


def turn() -> None:
    """Open the tabs that were asked for: before they are drawn, later it is too late."""
    for asked, key in _TURNS.items():
        if (tab := st.session_state.pop(asked, None)) is not None:
            st.session_state[key] = tab


def answer_filter(new: AnswerFilter | None = None) -> AnswerFilter:
    """Which answers are listed; give one to keep it."""
    return value("rag_filter", AnswerFilter(), new)


def place(listing: str, new: tuple[int, int] | None = None) -> tuple[int, int]:
    """Which answer of a list is open, and which was ticked last (-1 = none); give both to keep them."""
    if new is not None:
        st.session_state["rag_place"] = (listing, new)
    stored = st.session_state.get("rag_place")
    return stored[1] if stored is not None and stored[0] == listing else (0, -1)
