"""Runs that the app has begun: each is a process of its own, so that pages stay quick and a run outlives the page. No streamlit.

The process is the same command that a shell would use; it ends when the app ends, and the run can then be resumed.
"""

from functools import lru_cache

from components.processes import REFUSED, STOPPED, Processes


class Runner(Processes):
    """The processes that work on runs, by run."""

    def begin(self, run: str, *, retry: bool = False) -> None:
        """Work on a run; where this app does already, nothing happens."""
        self.start(run, ["run", "--resume", run, "--quiet", "--yes", *(["--retry-failed"] if retry else [])])

    def pause(self, run: str) -> None:
        """Stop after what is being judged now; it can be resumed."""
        self.stop(run)

    def trouble(self, run: str) -> str:
        """Why work on a run ended before it was finished, in a sentence; empty where it was paused, or is at work."""
        ended = self.ended(run)
        if ended is None or ended.code == 0:
            return ""
        if ended.code == STOPPED:
            # The last line tells how to go on from a shell; the one before says why it stopped.
            return "" if len(ended.said) < 2 or ended.said[-2].startswith("Stopped. ") else ended.said[-2]
        if ended.code != REFUSED or not ended.said:
            # Paused so soon that the process had not yet learnt to stop in its own way.
            return "" if ended.stopped else "Its process ended (memory may have run out). What was judged is kept: resume it."
        return ended.said[-1]


@lru_cache(maxsize=1)
def runner() -> Runner:
    """The one runner of this app."""
    return Runner()
