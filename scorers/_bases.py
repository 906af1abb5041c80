"""Encoders to fine-tune, by the line that a user writes."""

from pathlib import Path

from evaluation.errors import ScorerUnavailable
from scorers._embedding import MINILM
from scorers._local import named_folder
from scorers._weights import Weights


def folder(line: str) -> Path:
    """`minilm`, the bundled model; a folder; or a hub id, with `@revision` where it is not main.

    Raises:
        ScorerUnavailable: not here.
    """
    if line == "minilm":
        return MINILM.folder()
    if found := named_folder(line):
        return found
    model, _, revision = line.partition("@")
    try:
        if model.count("/") == 1 and not model.startswith((".", "/", "~")):
            return Weights(model, revision or "main").folder()
    except ValueError:
        pass  # no hub id either: said below
    raise ScorerUnavailable(f"There is no folder {line!r} with a config.json; write minilm, a folder, or a hub id.")
