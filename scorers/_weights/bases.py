"""Encoders to fine-tune, from a line of text."""

from pathlib import Path

from groundscope.errors import ScorerUnavailable
from scorers._embedders.sentences import MINILM
from scorers._weights.files import WeightFiles
from scorers._weights.local import named_folder
from scorers._weights.ordinary import check_ordinary


def folder(line: str) -> Path:
    """Find the folder, with a config.json, of `minilm`, a folder, or a hub id with `@revision` unless it is main.

    Raises:
        ScorerUnavailable: it is not here, or holds what is no ordinary file.
    """
    if line == "minilm":
        return MINILM.folder()
    if path := named_folder(line):
        check_ordinary(path, path.name)
        return path
    model, _, revision = line.partition("@")
    try:
        if model.count("/") == 1 and not model.startswith((".", "/", "~")):
            return WeightFiles(model, revision or "main").folder()
    except ValueError:
        pass  # no hub id either: said below
    raise ScorerUnavailable(f"There is no folder {line!r} with a config.json; write minilm, a folder, or a hub id.")
