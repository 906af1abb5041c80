"""Session keys of the pages about runs, with typed get and set; see `state.py`."""

from typing import Any

import streamlit as st

from components.state import own
from groundscope.grounding.imported.scores import Recorded
from groundscope.grounding.parts import NamedPart

SET = "run_set"
"""The field of a new run that says which cases are judged."""


def judge_next(group: str) -> None:
    """Have the form of a new run name a set."""
    st.session_state[SET] = group


def run_folders() -> dict[str, None]:
    """Folders of runs that this session opened, the oldest first."""
    return own("run_folders", {})


def run_choices() -> dict[str, str]:
    """Which run, thresholds and split the pages of a run show: kept when the user goes from one to the other."""
    return own("run_choices", {})


def forecasts() -> dict[tuple[Any, ...], Any]:
    """What runs would take, as it was last counted."""
    return own("forecasts", {})


def parts() -> dict[str, NamedPart]:
    """Parts under names of the user's that this session added, by name."""
    return own("run_parts", {})


def scores() -> dict[tuple[Any, ...], Any]:
    """Files of other tools' scores beside the cases they were read for."""
    return own("run_scores_read", {})


def stored_scores() -> dict[str, tuple[Recorded, ...]]:
    """The scores that loaded files of cases held beside their cases, by the name of the set."""
    return own("stored_scores", {})
