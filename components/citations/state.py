"""Session keys of the citation recall page, with typed get and set; see `components/state.py`."""

from typing import Any

from components.state import last_few, own
from groundscope.citations.batch import Batch
from groundscope.citations.decomposing import Decomposed
from groundscope.citations.whole_texts import WholeTextScore


def batches() -> dict[str, Batch]:
    """Texts pasted or loaded in this session, by name; the last few."""
    return last_few(own("cites_batches", {}))


def values(measure: str) -> dict[tuple[str, str], float]:
    """Cached similarities of a measure by pair of claims."""
    return own("cites_values", dict[str, dict[tuple[str, str], float]]()).setdefault(measure, {})


def whole() -> dict[tuple[Any, ...], list[WholeTextScore]]:
    """Measures of whole texts, by what they are of; the last few."""
    return last_few(own("cites_whole", {}))


def decomposed() -> dict[tuple[str, str, bool], Decomposed]:
    """What chat models made of texts, by text, model and whether subsections count by themselves."""
    return own("cites_decomposed", {})


def stopped() -> set[str]:
    """Measures of a method whose comparison the user paused, until the user resumes it."""
    return own("cites_stopped", set())
