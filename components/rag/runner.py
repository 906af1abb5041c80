"""Experiments that the app has begun, each in a process of its own: the same command as in a shell. No streamlit."""

from collections.abc import Sequence
from functools import lru_cache

from components.processes import STOPPED, Processes
from evaluation.rag.experiment_file import Place


class Experimenter(Processes):
    """The processes that work on experiments, by experiment, and on single answers of them."""

    def begin(self, experiment: str, limits: Sequence[str] = ()) -> None:
        """Do what is left of an experiment; where this app does already, nothing happens."""
        self.start(experiment, ["rag-run", experiment, "--quiet", *limits])

    def drop(self, experiment: str, place: Place, limits: Sequence[str] = ()) -> None:
        """Answer a question again without each passage."""
        numbers = [word for name, n in place._asdict().items() for word in (f"--{name}", str(n))]
        self.start(drop_name(experiment, place), ["rag-drop", experiment, *numbers, "--quiet", *limits])

    def trouble(self, name: str) -> list[str]:
        """Why work ended before it was finished, in sentences; empty where it was stopped, or is at work."""
        ended = self.ended(name)
        if ended is None or ended.code == 0:
            return []
        said = [line for line in ended.said if not line.startswith(("To go on: ", "Experiment ", "Stopped"))]
        if ended.code == STOPPED or ended.stopped or said:
            return said
        return ["Its process ended (memory may have run out). What was done is kept: go on with it."]


def drop_name(experiment: str, place: Place) -> str:
    """What the process of one answer is called."""
    return f"{experiment} {place.retriever} {place.generator} {place.question}"


@lru_cache(maxsize=1)
def experimenter() -> Experimenter:
    """The one of this app."""
    return Experimenter()
