"""Jobs that the app has started: each is a process of its own, the same command as in a shell. No streamlit.

Pages stay responsive meanwhile. A process ends when the app ends; the job can then be resumed.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock, Thread
from typing import IO, NamedTuple

from groundscope.experiments.listing import Listed
from groundscope.paths import ROOT
from groundscope.storage.team import Role, use_case

DONE, REFUSED, STOPPED, NOTHING = 0, 2, 3, 4
"""Exit codes of the command: all is done; nothing was done, and its last line says why; something is left to resume; all is done,
and every result failed."""


class ProcessExit(NamedTuple):
    """How a process ended: exit code, negative of a signal; lines of standard error; whether the app asked it to stop."""

    code: int
    said: list[str]
    stopped: bool


@dataclass
class Processes:
    """The processes that this app started, by name; all sessions share them."""

    _processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _said: dict[str, IO[bytes]] = field(default_factory=dict)
    _stopped: set[str] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    @use_case(Role.REVIEWER)
    def start(self, name: str, arguments: Sequence[str], then: Callable[[], None] | None = None) -> None:
        """Begin `python -m groundscope ARGUMENTS --with-parent`; where this app does already, nothing happens.

        `then` is called when the process has ended, in a thread of its own.
        """
        with self._lock:
            if self._works(name):
                return
            self._forget(name)
            self._said[name] = stderr = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
            self._processes[name] = subprocess.Popen(  # noqa: S603 - our own interpreter and module, no shell
                [sys.executable, "-m", "groundscope", *arguments, "--with-parent"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                cwd=ROOT,
                env={"OMP_WAIT_POLICY": "PASSIVE", **os.environ},
            )
            if then is not None:
                Thread(target=_after, args=(self._processes[name], then), name=f"after {name}", daemon=True).start()

    def works(self, name: str) -> bool:
        """Whether this app works on it now."""
        with self._lock:
            return self._works(name)

    def _works(self, name: str) -> bool:
        process = self._processes.get(name)
        return process is not None and process.poll() is None

    @use_case(Role.REVIEWER)
    def stop(self, name: str) -> None:
        """Stop after the current piece of work; a second call stops at once."""
        self._send(name, signal.SIGTERM)

    @use_case(Role.REVIEWER)
    def end(self, name: str) -> None:
        """Stop at once, whatever it is at."""
        self._send(name, signal.SIGKILL)

    def _send(self, name: str, number: signal.Signals) -> None:
        with self._lock:
            if self._works(name):
                self._stopped.add(name)
                with suppress(OSError):
                    self._processes[name].send_signal(number)

    def stopping(self, name: str) -> bool:
        """Whether it was asked to stop."""
        return name in self._stopped

    def wait(self, name: str, seconds: float) -> bool:
        """Wait until the process has ended; whether it has."""
        process = self._processes.get(name)
        if process is None:
            return True
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=seconds)
        return process.poll() is not None

    def ended(self, name: str) -> ProcessExit | None:
        """How it ended; None where it is at work, or was never begun."""
        with self._lock:
            process = self._processes.get(name)
            code = None if process is None else process.poll()
            if code is None:
                return None
            return ProcessExit(code, self._lines(name), name in self._stopped)

    def lines(self, name: str) -> list[str]:
        """What a process has written to standard error so far, line by line; empty where it was never begun."""
        with self._lock:
            return self._lines(name) if name in self._said else []

    def _lines(self, name: str) -> list[str]:
        # Not by seeking: the process writes at the place that both share.
        stderr = self._said[name].fileno()
        text = os.pread(stderr, os.fstat(stderr).st_size, 0).decode("utf-8", "replace")
        return [line for line in text.splitlines() if line.strip()]

    def forget(self, name: str) -> None:
        """Discard the output of an ended process: it may quote a name or a text of a deleted job."""
        with self._lock:
            if not self._works(name):
                self._forget(name)

    def _forget(self, name: str) -> None:
        """Close the files of an ended process."""
        self._stopped.discard(name)
        if process := self._processes.pop(name, None):
            self._said.pop(name).close()
            if process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()


def _after(process: subprocess.Popen[bytes], then: Callable[[], None]) -> None:
    process.wait()
    then()


@dataclass
class Jobs(Processes):
    """The processes that work on jobs, by job id."""

    _last: dict[str, str] = field(default_factory=dict)

    @use_case(Role.REVIEWER)
    def resume(self, job: str, last: str = "", *, retry: bool = False) -> None:
        """Do what is left of a job, and with `retry` what failed; where this app does already, nothing happens.

        `last` is when the job says that work on it began last; empty where it never did.
        """
        if not self.works(job):
            self._last[job] = last
        self.start(job, ["resume", job, "--quiet", *(["--retry-failed"] if retry else [])])

    def loading(self, job: Listed) -> bool:
        """Whether its process has not begun to work yet; independent of the clock."""
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
        return "Its process ended (memory may have run out). Every result so far is saved; resume the job."


@lru_cache(maxsize=1)
def jobs() -> Jobs:
    """The jobs of this app."""
    return Jobs()
