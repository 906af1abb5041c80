"""The user's trained models: grounding classifiers, ensembles and cascades, their folders and names."""

from collections.abc import Callable
from pathlib import Path

from groundscope.errors import DataError
from groundscope.paths import data_folder, is_short_name, short_name
from groundscope.storage.team.acting import require
from groundscope.storage.team.roles import Role

_ENDING = "-folder"
"""The revision of weights that are a folder and no published commit."""


def folder_of(name: str) -> Path:
    """Find the folder of the model of this name; it may not exist yet."""
    return _folder("finetuned") / f"{short_name(name, 'A model')}{_ENDING}"


def name_of(folder: Path) -> str:
    """Find what the model in a folder is called; of a folder from elsewhere, the folder's own name."""
    return folder.name.removesuffix(_ENDING)


def own_models() -> tuple[str, ...]:
    """List the user's models."""
    return _names("finetuned", _ENDING, lambda path: (path / "config.json").is_file())


def unfinished() -> tuple[str, ...]:
    """List the models whose training runs or was stopped."""
    return _names("finetuned", f"{_ENDING}.partial")


def own_ensemble(name: str) -> Path:
    """Find the file of the fitted ensemble of this name; it may not exist yet."""
    return _folder("ensembles") / f"{short_name(name, 'An ensemble')}.json"


def ensembles() -> tuple[str, ...]:
    """List the user's ensembles."""
    return _names("ensembles", ".json")


def remove_ensemble(name: str) -> None:
    """Delete the fitted ensemble of this name; nothing happens where there is none.

    Raises:
        DataError: the name is not valid, or the file cannot be deleted.
    """
    _remove(own_ensemble(name), f"ensemble {name}")


def own_cascade(name: str) -> Path:
    """Find the file of the fitted cascade of this name; it may not exist yet."""
    return _folder("cascades") / f"{short_name(name, 'A cascade')}.json"


def cascades() -> tuple[str, ...]:
    """List the user's cascades."""
    return _names("cascades", ".json")


def remove_cascade(name: str) -> None:
    """Delete the fitted cascade of this name; nothing happens where there is none.

    Raises:
        DataError: the name is not valid, or the file cannot be deleted.
    """
    _remove(own_cascade(name), f"cascade {name}")


def _remove(file: Path, what: str) -> None:
    require(Role.LEAD)
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"The {what} cannot be deleted ({error.strerror}); check the data folder.") from None


def _names(kind: str, ending: str, whole: Callable[[Path], bool] = lambda path: True) -> tuple[str, ...]:
    try:
        found = [path.name.removesuffix(ending) for path in _folder(kind).glob(f"*{ending}") if whole(path)]
    except OSError:
        return ()
    return tuple(sorted(filter(is_short_name, found)))


def _folder(kind: str) -> Path:
    return data_folder() / "models" / kind
