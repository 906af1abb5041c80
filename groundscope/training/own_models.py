"""The user's fine-tuned grounding classifiers: their folders and names."""

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
    try:
        folders = [path for path in _folder().glob(f"*{_ENDING}") if (path / "config.json").is_file()]
    except OSError:
        return ()
    return tuple(sorted(filter(is_short_name, map(name_of, folders))))


def _folder() -> Path:
    return data_folder() / "models" / "finetuned"
