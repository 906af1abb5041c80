"""Folders of weights hold ordinary files of a size that models have; libraries would read anything else without an end."""

from collections.abc import Iterator
from pathlib import Path

from groundscope.errors import ScorerUnavailable
from groundscope.files.ordinary import TEXT, unreadable

_WEIGHTS = 200_000_000_000
"""Bytes of the largest file of weights."""
_LARGE = (".safetensors", ".bin", ".pt", ".pth", ".onnx", ".data", ".h5", ".msgpack", ".ot", ".gguf")
_TEMPLATES = "additional_chat_templates"
"""A folder that tokenizers read, too."""


def check_ordinary(folder: Path, called: str) -> None:
    """Refuse a folder of the model `called` in which anything but ordinary files could be read: `ScorerUnavailable` names it."""
    for path in (*_inside(folder), *_inside(folder / _TEMPLATES)):
        if path.is_dir():
            continue
        if why := unreadable(path, _WEIGHTS if path.suffix in _LARGE else TEXT):
            raise ScorerUnavailable(f"The folder of {called} holds {path.name[:60]!r}, which is {why}; get the model again.")


def _inside(folder: Path) -> Iterator[Path]:
    try:
        yield from folder.iterdir()
    except OSError:  # what reads from it says so
        return
