"""Weights to fetch from a made-up hub, how to fetch them, and what must lie here afterwards."""

import re
from pathlib import Path

import pytest

from groundscope.errors import ScorerUnavailable
from groundscope.models.weights import download
from groundscope.models.weights.files import MANIFEST, WeightFiles
from groundscope.runtime.progress import listening
from tests.hub import Hub

SIZE = 300_000
ORG = WeightFiles("org/model", "a" * 40, megabytes=1)
SECOND = WeightFiles("org/second", "b" * 40, tokenizer_only=True)
MAIN = WeightFiles("org/model", "main", pickled=True)
PIECES = {"config.json", "tokenizer.json", "README.md", "model.safetensors"}
STOPPED = "the download resumes."
FOREVER = "model.safetensors"


def fetch(*wanted: WeightFiles) -> list[tuple[int, int]]:
    """Fetch; gives the progress that was said."""
    said: list[tuple[int, int]] = []
    with listening(lambda done, total: said.append((done, total))):
        download.fetch(wanted or (ORG,))
    return said


def refusal(*wanted: WeightFiles) -> str:
    """Why a fetch fails: one sentence with a mend; nothing stands where finished weights lie."""
    with pytest.raises(ScorerUnavailable) as refused:
        fetch(*wanted)
    sentence = str(refused.value)
    assert sentence.endswith(".")
    assert not re.search(r"[.!?]\s", sentence)
    assert "\n" not in sentence
    assert "; " in sentence
    assert not any(w.own_folder().exists() for w in wanted or (ORG,))
    return sentence


def partial(weights: WeightFiles = ORG) -> Path:
    own = weights.own_folder()
    return own.with_name(f"{own.name}.partial")


def names_in(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*")}


def check_complete(folders: dict[str, Path], weights: WeightFiles = ORG) -> None:
    """What was wanted is there to the byte, and nothing else."""
    own = weights.own_folder()
    wanted = PIECES - ({"model.safetensors"} if weights.tokenizer_only else set())
    assert names_in(own) == {*wanted, MANIFEST}
    for name in wanted:
        assert (own / name).read_bytes() == (folders[weights.model] / name).read_bytes()
    assert not partial(weights).exists()


def starts(hub: Hub, file: str = "model.safetensors") -> list[int]:
    """From which byte on a file was asked for, each time."""
    return [int(r.range.removeprefix("bytes=").removesuffix("-") or 0) for r in hub.asked(file)]
