"""Session keys of the citation recall page, with typed get and set; see `components/state.py`."""

from typing import Any

import streamlit as st

from components.worker.process import Job
from groundscope.citations.batch import Batch

KEPT = 8


def _own(key: str, default: Any) -> Any:
    if key not in st.session_state:
        st.session_state[key] = default
    return st.session_state[key]


def batches() -> dict[str, Batch]:
    """Texts pasted or loaded in this session, by name; the last few."""
    found: dict[str, Batch] = _own("cites_batches", {})
    while len(found) > KEPT:
        found.pop(next(iter(found)))
    return found


def seen() -> set[str]:
    """Ids of uploads that were read: one that the user removed must not come back at the next redraw."""
    found: set[str] = _own("cites_seen", set())
    return found


def values() -> dict[str, dict[tuple[str, str], float]]:
    """Cached similarities by measure, then by pair of claims."""
    found: dict[str, dict[tuple[str, str], float]] = _own("cites_values", {})
    return found


def under_way(measure: str) -> dict[tuple[str, str], Job]:
    """Comparisons under way in another process for this session, by pair of claims."""
    found: dict[str, dict[tuple[str, str], Job]] = _own("cites_under_way", {})
    return found.setdefault(measure, {})


def agreed(measure: str) -> set[tuple[str, str]]:
    """Pairs of claims that the user agreed to send to a measure's model."""
    found: dict[str, set[tuple[str, str]]] = _own("cites_agreed", {})
    return found.setdefault(measure, set())


def stopped() -> set[str]:
    """Measures whose comparison the user paused, or that failed; the user resumes them."""
    found: set[str] = _own("cites_stopped", set())
    return found
