"""Runs that the app has begun: each is a process of its own, so that pages stay quick and a run outlives the page. No streamlit.

The process is the same command that a shell would use; it ends when the app ends, and the run can then be resumed.
"""

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import IO

from evaluation.store import now

_REFUSED, _STOPPED = 2, 3


@dataclass
class Runner:
    """The processes that this app has begun, by run; all sessions share it."""

    _processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _said: dict[str, IO[bytes]] = field(default_factory=dict)
    _begun: dict[str, str] = field(default_factory=dict)
    _paused: set[str] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    def begin(self, run: str, *, retry: bool = False) -> None:
        """Work on a run; where this app does already, nothing happens."""
        with self._lock:
            if self._works(run):
                return
            command = [sys.executable, "-m", "groundscope", "run", "--resume", run, "--quiet", "--yes", "--with-parent"]
            self._forget(run)
            said = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
            self._said[run], self._begun[run] = said, now()
            self._processes[run] = subprocess.Popen(  # noqa: S603 - our own interpreter and module, no shell
                [*command, *(["--retry-failed"] if retry else [])],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=said,
                cwd=Path(__file__).resolve().parent.parent,
                env={"OMP_WAIT_POLICY": "PASSIVE", **os.environ},
            )

    def begun(self, run: str) -> str:
        """When this app last began work on a run, as an ISO time; empty where it did not."""
        return self._begun.get(run, "")

    def works(self, run: str) -> bool:
        """Whether this app works on a run now."""
        with self._lock:
            return self._works(run)

    def _works(self, run: str) -> bool:
        process = self._processes.get(run)
        return process is not None and process.poll() is None

    def pause(self, run: str) -> None:
        """Stop after what is being judged now; it can be resumed."""
        with self._lock:
            if self._works(run):
                self._paused.add(run)
                with suppress(OSError):
                    self._processes[run].send_signal(signal.SIGTERM)

    def wait(self, run: str, seconds: float) -> bool:
        """Wait until the process has ended; whether it has."""
        process = self._processes.get(run)
        if process is None:
            return True
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=seconds)
        return process.poll() is not None

    def trouble(self, run: str) -> str:
        """Why work on a run ended before it was finished, in a sentence; empty where it was paused, or is at work."""
        with self._lock:
            process = self._processes.get(run)
            if process is None or process.poll() in (None, 0):
                return ""
            said = self._said[run]
            said.seek(0)
            lines = [line for line in said.read().decode("utf-8", "replace").splitlines() if line.strip()]
            paused = run in self._paused
        if process.returncode == _STOPPED:
            # The last line tells how to go on from a shell; the one before says why it stopped.
            return "" if len(lines) < 2 or lines[-2].startswith("Stopped. ") else lines[-2]
        if process.returncode != _REFUSED or not lines:
            # Paused so soon that the process had not yet learnt to stop in its own way.
            return "" if paused else "Its process ended (memory may have run out). What was judged is kept: resume it."
        return lines[-1]

    def _forget(self, run: str) -> None:
        """Let go of what an ended process leaves open."""
        self._paused.discard(run)
        if process := self._processes.pop(run, None):
            self._said.pop(run).close()
            if process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()


@lru_cache(maxsize=1)
def runner() -> Runner:
    """The one runner of this app."""
    return Runner()
