"""The user's fine-tuned grounding classifiers: their folders and names."""

from collections.abc import Callable
from pathlib import Path

from groundscope.paths import data_folder, is_short_name, short_name

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
    return _names(_ENDING, lambda path: (path / "config.json").is_file())


def unfinished() -> tuple[str, ...]:
    """List the models whose training runs or was stopped."""
    return _names(f"{_ENDING}.partial")


def _names(ending: str, whole: Callable[[Path], bool] = lambda path: True) -> tuple[str, ...]:
    try:
        names = [path.name.removesuffix(ending) for path in _folder().glob(f"*{ending}") if whole(path)]
    except OSError:
        return ()
    return tuple(sorted(filter(is_short_name, names)))


def _folder() -> Path:
    return data_folder() / "models" / "finetuned"
