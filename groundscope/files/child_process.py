"""A child process for code that reads untrusted files or long texts: the child may crash or be slow, the app is neither.

One such child works at a time; others wait in turn, so that many large files together cannot fill the machine.
"""

import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Thread, get_ident
from typing import BinaryIO, NamedTuple

from groundscope.paths import ROOT
from groundscope.runtime.progress import still_wanted

_LOOK = 0.2
"""Seconds between two checks whether the child is still wanted."""
_line: deque[int] = deque()
"""The threads that wait for their child, the one whose child works first."""


class ChildResult(NamedTuple):
    """How a child process ended: its exit code, None if it ran out of time, and its output."""

    code: int | None
    out: bytes


def before() -> int:
    """Count the children that this thread waits for."""
    return _line.index(get_ident()) if get_ident() in _line else 0


def child(
    module: str, *arguments: str, data: bytes = b"", seconds: float, environment: Mapping[str, str] | None = None
) -> ChildResult:
    """Run a module of this project in a child process, after those that were asked for before."""
    with _turn():
        return beside(module, *arguments, data=data, seconds=seconds, environment=environment)


def beside(
    module: str, *arguments: str, data: bytes = b"", seconds: float, environment: Mapping[str, str] | None = None
) -> ChildResult:
    """Run a module in a child process at once, beside others: for one that waits for a network."""
    command = [sys.executable, "-m", module, *arguments]
    pipe, deadline = subprocess.PIPE, time.monotonic() + seconds
    # What libraries print quotes the file, and a broken one makes them print without end.
    with subprocess.Popen(  # noqa: S603 - our own interpreter and module, no shell
        command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env={**os.environ, **(environment or {})}, cwd=ROOT
    ) as process:
        # Python 3.11's `communicate` does not send the rest of its input once it has timed out.
        Thread(target=_give, args=(process.stdin, data), daemon=True).start()
        process.stdin = None
        try:
            while time.monotonic() < deadline:
                still_wanted()
                with suppress(subprocess.TimeoutExpired):
                    out, _ = process.communicate(timeout=min(_LOOK, seconds))
                    return ChildResult(process.returncode, out)
            return ChildResult(None, b"")
        finally:
            process.kill()


def _give(to: BinaryIO, data: bytes) -> None:
    # The child may end before it has read everything.
    with suppress(OSError), to:
        to.write(data)


@contextmanager
def _turn() -> Iterator[None]:
    _line.append(mine := get_ident())
    try:
        while _line[0] != mine:
            still_wanted()
            time.sleep(_LOOK)
        yield
    finally:
        _line.remove(mine)


def limit(memory: int, seconds: int) -> None:
    """Limit this process, on systems that support it: it ends also if the app that started it is gone."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    except (ImportError, ValueError, OSError):
        pass  # No such limit on this system: the time and the sizes that are counted still hold.
