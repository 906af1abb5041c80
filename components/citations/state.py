"""Session keys of the citation recall page, with typed get and set; see `components/state.py`."""

from typing import Any

import streamlit as st

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
