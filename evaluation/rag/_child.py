"""A child process for what other people's code reads of files that nobody has looked at: it may fall, the app does not."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import NamedTuple

from evaluation.errors import Cancelled

_LOOK = 0.2
"""Seconds between two looks at whether the child is still wanted."""


class Ended(NamedTuple):
    """How a child ended: its exit code, None where its time was over; and what it wrote."""

    code: int | None
    out: bytes


def child(
    module: str,
    *arguments: str,
    data: bytes = b"",
    seconds: float,
    environment: Mapping[str, str] | None = None,
    stop: Event | None = None,
) -> Ended:
    """Run a module of this project.

    Args:
        module: its name, such as `evaluation.rag._document_reader`.
        arguments: its command line.
        data: its standard input.
        seconds: wall clock, after which it is ended.
        environment: what is set besides the app's own environment.
        stop: set it to end the child at once.

    Raises:
        Cancelled: `stop` was set.
    """
    command = [sys.executable, "-m", module, *arguments]
    root = Path(__file__).resolve().parents[2]
    pipe, deadline = subprocess.PIPE, time.monotonic() + seconds
    given: bytes | None = data
    with subprocess.Popen(  # noqa: S603 - our own interpreter and module, no shell
        command, stdin=pipe, stdout=pipe, stderr=pipe, env={**os.environ, **(environment or {})}, cwd=root
    ) as process:
        try:
            while time.monotonic() < deadline:
                if stop is not None and stop.is_set():
                    raise Cancelled("Loading was stopped.")
                try:
                    out, _ = process.communicate(given, timeout=min(_LOOK, seconds))
                except subprocess.TimeoutExpired:
                    # What was given once is still being sent.
                    given = None
                    continue
                return Ended(process.returncode, out)
            return Ended(None, b"")
        finally:
            process.kill()


def limit_memory(size: int) -> None:
    """Let this process have no more than `size` bytes of address space, where the system knows such a limit."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    except (ImportError, ValueError, OSError):
        pass  # No such limit on this system: the time and the sizes that are counted still hold.
