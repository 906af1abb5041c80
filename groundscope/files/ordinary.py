"""Read ordinary files only: a device, a pipe or a socket would be read forever."""

import stat
from pathlib import Path

TEXT = 200_000_000
"""Bytes of the largest configuration, vocabulary or card that is read; published models have at most some tens of millions."""


def unreadable(path: Path, most: int = TEXT) -> str:
    """Say why a file should not be read; links are followed."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return ""
    if not stat.S_ISREG(status.st_mode):
        return "a folder" if stat.S_ISDIR(status.st_mode) else "a device, a pipe or a socket and no file"
    return f"larger than {most // 1_000_000:,} MB" if status.st_size > most else ""


def read_ordinary(path: Path, most: int = TEXT) -> bytes:
    """Read a file that someone else may have put there."""
    if why := unreadable(path, most):
        raise OSError(f"{path.name} is {why}")
    with path.open("rb") as file:
        # A file of the system can say that it has no bytes, and still never end.
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(f"{path.name} is larger than {most // 1_000_000:,} MB")
    return data
