"""Session keys of the Legal RAG page, with typed get and set; see `components/state.py`."""

from typing import Any, NamedTuple

import streamlit as st

from evaluation.rag.records import Results
from evaluation.rag.types import Benchmark

FILES_KEPT = 8


class Filter(NamedTuple):
    """Which answers are listed; None = all."""

    embedder: str | None = None
    model: str | None = None
    outcome: str | None = None


def _own(key: str, default: Any) -> Any:
    if key not in st.session_state:
        st.session_state[key] = default
    return st.session_state[key]


def files() -> dict[str, Results]:
    """Results that this session loaded, by name; the last few."""
    kept: dict[str, Results] = _own("rag_files", {})
    while len(kept) > FILES_KEPT:
        kept.pop(next(iter(kept)))
    return kept


def seen() -> set[str]:
    """Uploads that were read: one that is forgotten must not come back at the next redraw."""
    found: set[str] = _own("rag_seen", set())
    return found


def benchmarks() -> dict[str, Benchmark]:
    """Corpora with questions that this session loaded, by name; the last few."""
    kept: dict[str, Benchmark] = _own("rag_benchmarks", {})
    while len(kept) > FILES_KEPT:
        kept.pop(next(iter(kept)))
    return kept


def reports() -> dict[tuple[Any, ...], Any]:
    """Analyses that were made, by what they are of: a click must not make them anew."""
    kept: dict[tuple[Any, ...], Any] = _own("rag_reports", {})
    while len(kept) > FILES_KEPT:
        kept.pop(next(iter(kept)))
    return kept


def wanted(new: Filter | None = None) -> Filter:
    """Which answers are listed; give one to keep it."""
    if new is not None:
        st.session_state["rag_filter"] = new
    value = st.session_state.get("rag_filter")
    return value if isinstance(value, Filter) else Filter()


def said(text: str | None = None) -> str:
    """What went wrong, until it is shown; give a text to keep it."""
    if text is not None:
        st.session_state["rag_said"] = text
    value = st.session_state.get("rag_said")
    return value if isinstance(value, str) else ""
