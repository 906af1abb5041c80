"""Experiments on a page, and the processes that leave passages out of single answers."""

from components.experiments.jobs import jobs
from components.experiments.panel import Panel
from components.rag import state
from groundscope.experiments.plan import Place
from groundscope.rag.experiments import KIND

PANEL = Panel(KIND, "Its questions, passages, answers and verdicts", state.forget_link)


def start(experiment: str) -> None:
    """Work on an experiment, and show its results as they come."""
    jobs().resume(experiment)
    state.show_results(experiment)


def drop(experiment: str, place: Place) -> None:
    """Answer a question again without each passage."""
    numbers = ["--retriever", str(place.other), "--generator", str(place.part), "--question", str(place.row)]
    jobs().start(drop_name(experiment, place), ["rag-drop", experiment, *numbers, "--quiet"])


def drop_name(experiment: str, place: Place) -> str:
    """The name of the process of one answer."""
    return f"{experiment} {place.other} {place.part} {place.row}"
