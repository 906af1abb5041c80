"""Jobs that the app has started: each is a process of its own, the same command as in a shell. No streamlit.

Pages stay responsive meanwhile. A process ends when the app ends; the job can then be resumed.
"""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from typing import IO, NamedTuple

from groundscope.experiments.listing import Listed
from groundscope.paths import ROOT
from groundscope.storage.team import Role, use_case

DONE, REFUSED, STOPPED, NOTHING = 0, 2, 3, 4
"""Exit codes of the command: all is done; nothing was done, and its last line says why; something is left to resume; all is done,
and every result failed."""


class _Process(NamedTuple):
    """A process, its standard error, and when the job said before it that work began last."""

    process: subprocess.Popen[bytes]
    stderr: IO[bytes]
    last: str


@dataclass
class Jobs:
    """The processes that work on jobs, by job id; all sessions share them."""

    _processes: dict[str, _Process] = field(default_factory=dict)
    _stopped: set[str] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    @use_case(Role.REVIEWER)
    def resume(self, job: str, last: str = "", *, retry: bool = False) -> None:
        """Do what is left of a job, and with `retry` what failed; where this app does already, nothing happens.

        `last` is when the job says that work on it began last; empty where it never did.
        """
        with self._lock:
            if self.works(job):
                return
            self._forget(job)
            stderr = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
            process = subprocess.Popen(  # noqa: S603 - our own interpreter and module, no shell
                [sys.executable, "-m", "groundscope", "resume", job, "--quiet", *["--retry-failed"] * retry, "--with-parent"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                cwd=ROOT,
                env={"OMP_WAIT_POLICY": "PASSIVE", **os.environ},
            )
            self._processes[job] = _Process(process, stderr, last)

    def works(self, job: str) -> bool:
        """Whether this app works on it now."""
        mine = self._processes.get(job)
        return mine is not None and mine.process.poll() is None

    @use_case(Role.REVIEWER)
    def stop(self, job: str) -> None:
        """Stop after the current piece of work; a second call stops at once."""
        with self._lock:
            if self.works(job):
                self._stopped.add(job)
                with suppress(OSError):
                    self._processes[job].process.send_signal(signal.SIGTERM)

    def wait(self, job: str, seconds: float) -> bool:
        """Wait until its process has ended; whether it has."""
        mine = self._processes.get(job)
        if mine is not None:
            with suppress(subprocess.TimeoutExpired):
                mine.process.wait(timeout=seconds)
        return not self.works(job)

    def forget(self, job: str) -> None:
        """Discard the output of an ended process: it may quote a name or a text of a deleted job."""
        with self._lock:
            if not self.works(job):
                self._forget(job)

    def _forget(self, job: str) -> None:
        """Close the files of an ended process."""
        self._stopped.discard(job)
        if mine := self._processes.pop(job, None):
            mine.stderr.close()
            if mine.process.stdin is not None:
                with suppress(OSError):
                    mine.process.stdin.close()

    def loading(self, job: Listed) -> bool:
        """Whether its process has not begun to work yet; independent of the clock."""
        return self.works(job.id) and job.started == self._processes[job.id].last

    def problem(self, job: Listed) -> str:
        """Why work on a job ended before it was finished, in sentences; empty where it was paused, or is at work."""
        with self._lock:
            mine = self._processes.get(job.id)
            code = None if mine is None else mine.process.poll()
            if mine is None or code is None:
                return job.why
            if job.id in self._stopped:
                return ""
            if job.why or code in (DONE, NOTHING):
                return job.why
            # Not by seeking: the process wrote at the place that both share.
            stderr = mine.stderr.fileno()
            lines = os.pread(stderr, os.fstat(stderr).st_size, 0).decode("utf-8", "replace").splitlines()
        written = [line for line in lines if line.strip()]
        if code == STOPPED:
            return ""
        if code == REFUSED and written:
            return next((line for line in reversed(written) if not line.startswith("To resume: ")), "")
        return "Its process ended (memory may have run out). Every result so far is saved; resume the job."


@lru_cache(maxsize=1)
def jobs() -> Jobs:
    """The jobs of this app."""
    return Jobs()
