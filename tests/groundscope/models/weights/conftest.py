"""What the tests of downloads share: hubs on loopback with two made-up repositories, and a watch on every other host."""

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from huggingface_hub import constants
from huggingface_hub.utils._http import close_session

from groundscope.models.weights import download, memory
from tests.groundscope.models.weights.fetching import ORG, SECOND, SIZE
from tests.hub import Hub


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, none_shipped: Path) -> Iterator[None]:
    """Own folders, no proxy, no token, no waiting; and whoever connects to anything but loopback fails the test."""
    for name in [n for n in os.environ if n.lower().endswith("_proxy") or n.startswith(("HF_", "HUGGING_FACE_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(memory, "_loaded", {})
    monkeypatch.setattr(download, "_PAUSE", 0.01)
    look_up, asked = socket.getaddrinfo, set()

    def watched(host: Any, *rest: Any, **named: Any) -> Any:
        asked.add(host)
        return look_up("127.0.0.1", *rest, **named)

    monkeypatch.setattr(socket, "getaddrinfo", watched)
    close_session()
    yield
    close_session()
    assert asked <= {"127.0.0.1"}


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[[Hub], Hub]:
    """Makes a hub the one that is asked. huggingface_hub reads HF_ENDPOINT when it is imported; children have it really set."""

    def use(hub: Hub) -> Hub:
        monkeypatch.setattr(constants, "ENDPOINT", hub.url)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", hub.url + "/{repo_id}/resolve/{revision}/{filename}")
        return hub

    return use


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    """Two repositories with made-up content, of which some is not wanted."""
    random = Random(7)  # noqa: S311 - no secret
    first, second = tmp_path / "hub" / "first", tmp_path / "hub" / "second"
    for folder in (first, second):
        (folder / "onnx").mkdir(parents=True)
        for name in (".gitattributes", "README.md", "config.json", "modeling_model.py", "tokenizer.json", "training_args.bin"):
            (folder / name).write_bytes(f'{{"file": "{name}"}}'.encode())
        for name in ("model.safetensors", "pytorch_model.bin", "tf_model.h5", "onnx/model.onnx"):
            (folder / name).write_bytes(random.randbytes(SIZE))
    return {ORG.model: first, SECOND.model: second}


@pytest.fixture
def hub(folders: dict[str, Path], use: Callable[[Hub], Hub]) -> Iterator[Hub]:
    with Hub(folders) as hub:
        yield use(hub)
