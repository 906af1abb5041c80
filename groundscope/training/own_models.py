"""The user's trained models: grounding classifiers and ensembles, their folders and names."""

import re
from pathlib import Path

from groundscope.errors import DataError
from groundscope.paths import data_folder

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_ENDING = "-folder"
"""The revision of weights that are a folder and no published commit."""


def folder_of(name: str) -> Path:
    """Find the folder of the model of this name.

    Args:
        name: 1 to 40 small letters, figures and hyphens, no hyphen at either end.

    Returns:
        The folder; it may not exist yet.

    Raises:
        DataError: the name is not valid.
    """
    if not _NAME.fullmatch(name):
        raise DataError("A model's name has 1 to 40 small letters, figures and hyphens, such as leases-2026.")
    return _root() / f"{name}{_ENDING}"


def name_of(folder: Path) -> str:
    """Find what the model in a folder is called.

    Args:
        folder: of the model, as `folder_of` gives it.

    Returns:
        The model's name; of a folder from elsewhere, the folder's own.
    """
    return folder.name.removesuffix(_ENDING)


def own_models() -> tuple[str, ...]:
    """List the user's models.

    Returns:
        Names, sorted; empty where there are none or the folder cannot be read.
    """
    try:
        found = [p for p in _root().iterdir() if p.name.endswith(_ENDING) and (p / "config.json").is_file()]
    except OSError:
        return ()
    return tuple(sorted(p.name.removesuffix(_ENDING) for p in found if _NAME.fullmatch(p.name.removesuffix(_ENDING))))


def unfinished() -> tuple[str, ...]:
    """List running and stopped trainings.

    Returns:
        Names of their models, sorted; empty where there are none or the folder cannot be read.
    """
    ending = f"{_ENDING}.partial"
    try:
        found = [p.name.removesuffix(ending) for p in _root().iterdir() if p.name.endswith(ending)]
    except OSError:
        return ()
    return tuple(sorted(name for name in found if _NAME.fullmatch(name)))


def own_ensemble(name: str) -> Path:
    """Find the file of the fitted ensemble of this name.

    Args:
        name: 1 to 40 small letters, figures and hyphens, no hyphen at either end.

    Returns:
        The file; it may not exist yet.

    Raises:
        DataError: the name is not valid.
    """
    if not _NAME.fullmatch(name):
        raise DataError("An ensemble's name has 1 to 40 small letters, figures and hyphens, such as leases-2026.")
    return _ensembles() / f"{name}.json"


def ensembles() -> tuple[str, ...]:
    """List the user's ensembles.

    Returns:
        Names, sorted; empty where there are none or the folder cannot be read.
    """
    try:
        return tuple(sorted(p.stem for p in _ensembles().glob("*.json") if _NAME.fullmatch(p.stem)))
    except OSError:
        return ()


def _ensembles() -> Path:
    return data_folder() / "models" / "ensembles"


def _root() -> Path:
    return data_folder() / "models" / "finetuned"
