"""A lock that lets one process at a time work on a run; the system releases it when its holder dies."""

from pathlib import Path

from filelock import FileLock, Timeout

from groundscope.errors import StoreError

_PATIENCE = 1.0
"""Seconds to keep trying: a process that only checks the lock holds it for a moment."""


def busy(path: Path) -> bool:
    """Check whether a process holds the lock now; False also if the file, created if it does not exist, cannot be opened."""
    try:
        with _lock(path).acquire(timeout=0):
            return False
    except Timeout:
        return True
    except OSError:
        return False


def taken(path: Path) -> FileLock:
    """Take the lock, a file that is created if it does not exist; the caller releases it.

    Raises:
        StoreError: another process holds it.
        OSError: the folder cannot be written.
    """
    lock = _lock(path)
    try:
        lock.acquire(timeout=_PATIENCE, poll_interval=0.05)
    except Timeout:
        raise StoreError("Another process works on this job; pause it there first, or wait until it has finished.") from None
    return lock


def _lock(path: Path) -> FileLock:
    # Not a shared object: the lock holds between threads of this process too.
    return FileLock(path, is_singleton=False)
