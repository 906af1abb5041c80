"""Devices, pipes, sockets and huge files in a folder of weights: one sentence names the file, and nothing is read from them."""

import os
import re
import shutil
import socket
import tempfile
from pathlib import Path

import pytest

from groundscope.errors import ScorerUnavailable
from groundscope.methods import registry
from groundscope.models import embedders
from groundscope.models.weights import grounding, local
from groundscope.models.weights.files import MINILM
from groundscope.types import Status
from tests.groundscope.models.model_folders.folders import (
    CONTEXT,
    RESPONSE,
    WEIGHTS,
    check_failed,
    check_sentence,
    load,
    weights_file,
)
from tests.scorers.conftest import MakeCase


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _socket(path: Path) -> None:
    # The name of a socket may be short only: it is made elsewhere and moved.
    made = Path(tempfile.gettempdir()) / f"gs-{os.getpid()}.sock"
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(made))
    shutil.move(made, path)


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(300_000_000_000)  # it takes no room on the disk


KINDS = {"a device": _device, "a pipe": lambda path: os.mkfifo(path), "a socket": _socket, "a huge file": _huge}
FILES = ("model.safetensors", "tokenizer.json", "tokenizer_config.json", "training.json", "README.md", "groundscope.json")


def _replaced(folder: Path, name: str, kind: str) -> None:
    (folder / name).unlink(missing_ok=True)
    KINDS[kind](folder / name)


@pytest.mark.parametrize(("name", "kind"), [*((name, "a device") for name in FILES[1:]), *((FILES[0], kind) for kind in KINDS)])
def test_a_folder_with_a_file_that_does_not_end_is_refused(name: str, kind: str, models: Path, case: MakeCase) -> None:
    _replaced(models / WEIGHTS["grounding_classifier"], name, kind)
    scorer = load("grounding_classifier")
    assert repr(name) in scorer.unavailable()
    assert scorer.card() == ""
    judgement = scorer.score(case(RESPONSE, CONTEXT))
    check_failed("grounding_classifier", judgement)
    assert re.search("larger than" if kind == "a huge file" else "a device, a pipe or a socket", judgement.note)


@pytest.mark.parametrize("method", sorted(set(WEIGHTS) - {"grounding_classifier"}))
def test_every_method_refuses_a_weights_file_that_is_a_device(method: str, models: Path, case: MakeCase) -> None:
    file = weights_file(models / WEIGHTS[method])
    _replaced(file.parent, file.name, "a device")
    check_failed(method, load(method).score(case(RESPONSE, CONTEXT)))


def test_a_link_to_an_ordinary_file_is_read(models: Path, tmp_path: Path, case: MakeCase) -> None:
    # The hub's own cache consists of links.
    file = models / WEIGHTS["grounding_classifier"] / "model.safetensors"
    shutil.move(file, tmp_path / "blob")
    file.symlink_to(tmp_path / "blob")
    assert load("grounding_classifier").score(case(RESPONSE, CONTEXT)).status is Status.SCORED


def test_a_folder_that_the_user_names_is_refused_and_not_kept(models: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(models / WEIGHTS["grounding_classifier"], tmp_path / "elsewhere")
    _replaced(folder, "model.safetensors", "a pipe")
    shutil.rmtree(models / WEIGHTS["grounding_classifier"])
    with pytest.raises(ScorerUnavailable, match=r"model\.safetensors") as found:
        load("grounding_classifier").accept(grounding.USERS.name, str(folder))  # type: ignore[attr-defined]
    check_sentence(str(found.value))
    assert "models/grounding-smollm2 of this project is incomplete" in load("grounding_classifier").unavailable()


def test_an_own_model_is_refused(models: Path) -> None:
    own = grounding.fine_tuned("mine").own_folder()
    shutil.copytree(models / WEIGHTS["grounding_classifier"], own)
    _replaced(own, "model.safetensors", "a device")
    assert "model.safetensors" in registry.load("grounding_classifier:mine").unavailable()


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("model.safetensors", "a huge file"),
        ("tokenizer.json", "a pipe"),
        ("sentence_bert_config.json", "a socket"),
        ("1_Pooling/config.json", "a device"),
    ],
)
def test_an_embedder_and_a_base_are_refused(name: str, kind: str, tmp_path: Path) -> None:
    folder = shutil.copytree(MINILM.folder(), tmp_path / "embedder", copy_function=os.symlink)
    _replaced(folder, name, kind)
    embedder = embedders.embedder(f"local:{folder}")
    check_sentence(embedder.unavailable())
    assert repr(Path(name).name) in embedder.unavailable()
    assert isinstance(embedder.signature, str)
    if "/" not in name:
        with pytest.raises(ScorerUnavailable, match=re.escape(name)):
            local.base_folder(str(folder))


def test_pieces_outside_the_folder_are_refused(tmp_path: Path) -> None:
    folder = shutil.copytree(MINILM.folder(), tmp_path / "embedder", copy_function=os.symlink)
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "/dev/zero"}}', encoding="utf-8")
    assert "names files outside its folder" in embedders.embedder(f"local:{folder}").unavailable()
