"""A child process for what other people's code reads of files that nobody has looked at: it may fall, the app does not."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Ended(NamedTuple):
    """How a child ended: its exit code, None where its time was over; and what it wrote."""

    code: int | None
    out: bytes


def child(module: str, *arguments: str, data: bytes = b"", seconds: float, environment: Mapping[str, str] | None = None) -> Ended:
    """Run a module of this project.

    Args:
        module: its name, such as `evaluation.rag._document_reader`.
        arguments: its command line.
        data: its standard input.
        seconds: wall clock, after which it is ended.
        environment: what is set besides the app's own environment.
    """
    command = [sys.executable, "-m", module, *arguments]
    root = Path(__file__).resolve().parents[2]
    try:
        ended = subprocess.run(  # noqa: S603 - our own interpreter and module, no shell
            command,
            input=data,
            capture_output=True,
            timeout=seconds,
            env={**os.environ, **(environment or {})},
            cwd=root,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ended(None, b"")
    return Ended(ended.returncode, ended.stdout)


def limit_memory(size: int) -> None:
    """Let this process have no more than `size` bytes of address space, where the system knows such a limit."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    except (ImportError, ValueError, OSError):
        pass  # No such limit on this system: the time and the sizes that are counted still hold.
