"""Folders: of the user's fine-tuned classifiers, and the one that a training works in, with its complete checkpoints."""

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from groundscope.errors import Cancelled, DataError, ScorerUnavailable
from groundscope.paths import data_folder, is_short_name, short_name

PROGRESS = "progress.jsonl"
"""File with one line a report, for pages that watch from another process."""
SEARCH = "search"
"""Folder with one folder a setting of a search."""
MODEL = "model"
"""Folder of the finished model."""
_STATE = "trainer_state.json"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


_ENDING = "-folder"
"""The revision of weights that are a folder and no published commit."""


def folder_of(name: str) -> Path:
    """Find the folder of the model of this name; it may not exist yet."""
    return _folder() / f"{short_name(name, 'A model')}{_ENDING}"


def name_of(folder: Path) -> str:
    """Find what the model in a folder is called; of a folder from elsewhere, the folder's own name."""
    return folder.name.removesuffix(_ENDING)


def own_models() -> tuple[str, ...]:
    """List the user's models."""
    try:
        folders = [path for path in _folder().glob(f"*{_ENDING}") if (path / "config.json").is_file()]
    except OSError:
        return ()
    return tuple(sorted(filter(is_short_name, map(name_of, folders))))


def _folder() -> Path:
    return data_folder() / "models" / "finetuned"


def checkpoints(place: Path) -> Path:
    """The folder of the checkpoints; it may not exist yet."""
    return place / "checkpoints"


def reached(place: Path) -> Path | None:
    """The folder of the complete checkpoint with the most steps; None without one."""
    return next(filter(_whole, _newest_first(place)), None)


def drop_half(place: Path) -> None:
    """Delete what a kill or a full disk left half-written."""
    for path in _newest_first(place):
        if not _whole(path):
            shutil.rmtree(path)


def _newest_first(place: Path) -> list[Path]:
    paths = [p for p in checkpoints(place).glob("checkpoint-*") if p.name.rpartition("-")[2].isdecimal()]
    return sorted(paths, key=lambda p: -int(p.name.rpartition("-")[2]))


def _whole(checkpoint: Path) -> bool:
    """Whether its state is there, which is written last."""
    try:
        json.loads((checkpoint / _STATE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return True


@contextmanager
def writable(place: Path) -> Iterator[None]:
    """Create the folder with its parents, and convert write errors of the block."""
    try:
        place.mkdir(parents=True, exist_ok=True)
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
