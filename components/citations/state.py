"""Session keys of the citation recall page, with typed get and set; see `components/state.py`."""

from typing import Any

import streamlit as st

from components.worker import Job
from evaluation.citations.batch import Batch

KEPT = 8


def _own(key: str, default: Any) -> Any:
    if key not in st.session_state:
        st.session_state[key] = default
    return st.session_state[key]


def batches() -> dict[str, Batch]:
    """Texts that this session pasted or loaded, by name; the last few."""
    kept: dict[str, Batch] = _own("cites_batches", {})
    while len(kept) > KEPT:
        kept.pop(next(iter(kept)))
    return kept


def seen() -> set[str]:
    """Uploads that were read: one that is forgotten must not come back at the next redraw."""
    found: set[str] = _own("cites_seen", set())
    return found


def values() -> dict[str, dict[tuple[str, str], float]]:
    """Similarities that were worked out, by measure, then by pair of claims."""
    found: dict[str, dict[tuple[str, str], float]] = _own("cites_values", {})
    return found


def under_way(measure: str) -> dict[tuple[str, str], Job]:
    """Comparisons that another process works on for this session, by pair of claims."""
    found: dict[str, dict[tuple[str, str], Job]] = _own("cites_under_way", {})
    return found.setdefault(measure, {})


def agreed(measure: str) -> set[tuple[str, str]]:
    """Pairs of claims that the user agreed to send to a measure's model."""
    found: dict[str, set[tuple[str, str]]] = _own("cites_agreed", {})
    return found.setdefault(measure, set())


def stopped() -> set[str]:
    """Measures whose comparison the user stopped, or that failed: they begin again at the user's word."""
    found: set[str] = _own("cites_stopped", set())
    return found
