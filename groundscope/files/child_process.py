"""A child process for third-party code that reads untrusted files: the child may crash, the app does not."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from threading import Event
from typing import NamedTuple

from groundscope.errors import Cancelled
from groundscope.paths import ROOT

_LOOK = 0.2
"""Seconds between two checks whether the child is still wanted."""


class ChildResult(NamedTuple):
    """How a child process ended: its exit code, None if it ran out of time, and its output."""

    code: int | None
    out: bytes


def child(
    module: str,
    *arguments: str,
    data: bytes = b"",
    seconds: float,
    environment: Mapping[str, str] | None = None,
    stop: Event | None = None,
) -> ChildResult:
    """Run a module of this project in a child process.

    Args:
        module: its name, such as `groundscope.files._document_reader`.
        *arguments: command line of the module.
        data: bytes for its standard input.
        seconds: wall clock, after which it is killed.
        environment: variables set in addition to the app's own environment.
        stop: set it to kill the child; None = it cannot be stopped.

    Returns:
        Exit code and standard output; code None and no output if it ran out of time.

    Raises:
        Cancelled: `stop` was set.
    """
    command = [sys.executable, "-m", module, *arguments]
    pipe, deadline = subprocess.PIPE, time.monotonic() + seconds
    given: bytes | None = data
    with subprocess.Popen(  # noqa: S603 - our own interpreter and module, no shell
        command, stdin=pipe, stdout=pipe, stderr=pipe, env={**os.environ, **(environment or {})}, cwd=ROOT
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
                return ChildResult(process.returncode, out)
            return ChildResult(None, b"")
        finally:
            process.kill()


def limit_memory(size: int) -> None:
    """Limit the memory of this process, on systems that support it.

    Args:
        size: bytes of address space.
    """
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    except (ImportError, ValueError, OSError):
        pass  # No such limit on this system: the time and the sizes that are counted still hold.
