"""Session keys of the citation recall page, with typed get and set; see `components/state.py`."""

from typing import Any

from components.state import last_few, own
from components.worker.job import Job
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


def taken_apart() -> dict[tuple[tuple[str, ...], str, bool], Job]:
    """Texts that a model is taking apart for this session, by what was asked for."""
    return own("cites_taken_apart", {})


def under_way(measure: str) -> dict[tuple[str, str], Job]:
    """Comparisons under way in another process for this session, by the pair of texts."""
    return own(f"cites_under_way_{measure}", {})


def agreed(measure: str) -> set[tuple[str, str]]:
    """Pairs of claims that the user agreed to send to a measure's model."""
    return own(f"cites_agreed_{measure}", set())


def stopped() -> set[str]:
    """Measures whose comparison the user paused, or that failed; the user resumes them."""
    return own("cites_stopped", set())
