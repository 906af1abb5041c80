"""Jobs that the app has started, each in a process of its own: the same command as in a shell. No streamlit."""

from dataclasses import dataclass, field
from functools import lru_cache

from components.experiments.processes import DONE, NOTHING, REFUSED, STOPPED, Processes
from groundscope.experiments.listing import Listed


@dataclass
class Jobs(Processes):
    """The processes that work on jobs, by job id."""

    _last: dict[str, str] = field(default_factory=dict)

    def resume(self, job: str, last: str = "", *, retry: bool = False) -> None:
        """Do what is left of a job, and with `retry` what failed; where this app does already, nothing happens.

        `last` is when the job says that work on it began last; empty where it never did.
        """
        if not self.works(job):
            self._last[job] = last
        self.start(job, ["resume", job, "--quiet", *(["--retry-failed"] if retry else [])])

    def loading(self, job: Listed) -> bool:
        """Whether its process has still to begin with the work; clocks that were set back do not matter."""
        return self.works(job.id) and job.started == self._last.get(job.id)

    def problem(self, job: Listed) -> str:
        """Why work on a job ended before it was finished, in sentences; empty where it was paused, or is at work."""
        ended = self.ended(job.id)
        if ended is not None and ended.stopped:
            return ""
        return job.why if ended is None or ended.code in (DONE, NOTHING, STOPPED) else job.why or self.why(job.id)

    def why(self, name: str) -> str:
        """Why a process ended before its work was done, in a sentence; empty where it was stopped, or is at work."""
        ended = self.ended(name)
        if ended is None or ended.code in (DONE, NOTHING) or ended.stopped:
            return ""
        if ended.code in (REFUSED, STOPPED) and ended.said:
            return next((line for line in reversed(ended.said) if not line.startswith("To resume: ")), "")
        return "Its process ended (memory may have run out). Every result so far is saved: resume it."


@lru_cache(maxsize=1)
def jobs() -> Jobs:
    """The ones of this app."""
    return Jobs()
