"""Runs of arguments that the app has begun, each in a process of its own: the same command as in a shell. No streamlit."""

from collections.abc import Sequence
from functools import lru_cache

from components.processes import STOPPED, Processes


class Runner(Processes):
    """The processes that work on runs, by run."""

    def begin(self, run: str, limits: Sequence[str] = ()) -> None:
        """Do what is left of a run; where this app does already, nothing happens."""
        self.start(run, ["arguments-run", run, "--quiet", *limits])

    def trouble(self, name: str) -> list[str]:
        """Why work ended before it was finished, in sentences; empty where it was stopped, or is at work."""
        ended = self.ended(name)
        if ended is None or ended.code == 0:
            return []
        said = [line for line in ended.said if not line.startswith(("To go on: ", "Run ", "Stopped", "So far "))]
        if ended.code == STOPPED or ended.stopped or said:
            return said
        return ["Its process ended (memory may have run out). What was done is kept: go on with it."]


@lru_cache(maxsize=1)
def runner() -> Runner:
    """The one of this app."""
    return Runner()
