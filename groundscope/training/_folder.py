"""The folder of a training: one process at a time, complete checkpoints, and messages for failed writes."""

import errno
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from groundscope.errors import Cancelled, DataError, ScorerUnavailable

PROGRESS = "progress.jsonl"
"""File in the partial folder with one line a report, for pages that watch from another process."""

SEARCH = "search"
"""Folder in the partial folder with one folder a setting of a search."""
PLAN = "plan.json"
"""What is trained, in the partial folder."""
_NEW, _LOCK, _STATE = "plan.new", "lock", "trainer_state.json"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def checkpoints(partial: Path) -> Path:
    """The folder of the checkpoints, inside that of the training; it may not exist yet."""
    return partial / "checkpoints"


def is_partial(path: Path) -> bool:
    """Whether a folder holds a training, also one that was killed at its very beginning, and not something else of this name."""
    try:
        inside = {p.name for p in path.iterdir()}
    except OSError:
        return False
    return PLAN in inside or inside <= {_LOCK, _NEW}


def reached(partial: Path) -> Path | None:
    """The folder of the complete checkpoint with the most steps; None without one."""
    return next(filter(_whole, _newest_first(partial)), None)


def begin_or_resume(partial: Path, plan: Mapping[str, Any]) -> None:
    """Record what is trained, and remove what a kill or a full disk left half-written."""
    recorded, text = partial / PLAN, json.dumps(plan, sort_keys=True)
    if recorded.exists() and recorded.read_text(encoding="utf-8") != text:
        if reached(partial) or (partial / SEARCH).exists():
            raise DataError(
                f"An unfinished training with other data or options lies in {partial.name}; discard it, or choose another name."
            )
        (partial / PROGRESS).unlink(missing_ok=True)
    for path in _newest_first(partial):
        if not _whole(path):
            shutil.rmtree(path)
    new = partial / _NEW
    new.write_text(text, encoding="utf-8")
    new.replace(recorded)


def _newest_first(partial: Path) -> list[Path]:
    paths = [p for p in checkpoints(partial).glob("checkpoint-*") if p.name.rpartition("-")[2].isdecimal()]
    return sorted(paths, key=lambda p: -int(p.name.rpartition("-")[2]))


def _whole(checkpoint: Path) -> bool:
    """Whether its state is there, which is written last."""
    try:
        json.loads((checkpoint / _STATE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return True


@contextmanager
def alone(partial: Path) -> Iterator[None]:
    """Prevent a second process from training into the same folder; the lock is released when the process ends."""
    lock = FileLock(partial / _LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise DataError(f"Another process is training {partial.stem} now; wait for it, or choose another name.") from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def writable(partial: Path) -> Iterator[None]:
    """Create the folder with its parents, and convert write errors of the block."""
    try:
        partial.mkdir(parents=True, exist_ok=True)
        yield
    except (Cancelled, DataError, ScorerUnavailable):
        raise
    except OSError as error:
        raise DataError(_told(error)) from error
    except Exception as error:
        # Libraries write weights too, and wrap the system's error in their own; torch does not even name it.
        words = str(error)
        if "inline_container" in words or any(os.strerror(number) in words for number in _FULL):
            raise DataError(_told(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))) from error
        raise


def _told(error: OSError) -> str:
    if error.errno in _FULL:
        return "The disk is full: the model could not be written. Free some space and start again; the training resumes."
    return f"The model's folder cannot be written ({error.strerror or type(error).__name__}); check the folder for models."
