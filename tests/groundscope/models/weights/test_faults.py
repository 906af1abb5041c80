"""What goes wrong on the way and on this machine: passed over, or one sentence with the mend and no weights."""

import shutil
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import pytest
from huggingface_hub import constants

from groundscope.models.weights import download
from tests.groundscope.models.weights.fetching import (
    FOREVER,
    ORG,
    PIECES,
    STOPPED,
    check_complete,
    fetch,
    partial,
    refusal,
    starts,
)
from tests.hub import Fault, Hub

PASSING: dict[str, Callable[[], list[Fault]]] = {
    "three broken connections": lambda: [Fault("cut", "model.safetensors", times=3, at=70_000)],
    "a broken connection after a few bytes each": lambda: [Fault("cut", "model.safetensors", times=20, at=10_000)],
    "errors of the server": lambda: [Fault("status", "/resolve/", 2, status=500), Fault("status", "/resolve/", 2, status=503)],
    "too many requests": lambda: [Fault("status", "model.safetensors", 2, status=429, headers={"Retry-After": "1"})],
    "a server that has no parts": lambda: [Fault("cut", "model.safetensors", 2, at=70_000), Fault("whole")],
    "a damaged byte": lambda: [Fault("damage", "model.safetensors", 1)],
    "a server that falls silent": lambda: [Fault("stall", "model.safetensors", 1, at=70_000)],
}


@pytest.mark.parametrize("name", PASSING)
def test_passing_faults_are_passed_over_and_progress_never_falls(
    name: str, hub: Hub, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    if "silent" in name:
        monkeypatch.setattr(download, "_TIMEOUT", 0.5)
    hub.faults = PASSING[name]()
    said = [done for done, _ in fetch()]
    check_complete(folders)
    assert said == sorted(said)
    if "broken" in name:
        assert sum(hub.faults[0].at == b - a for a, b in zip(starts(hub), starts(hub)[1:], strict=False)) >= 3
        assert hub.sent == sum((folders[ORG.model] / n).stat().st_size for n in PIECES)


LASTING: dict[str, tuple[list[Fault], str]] = {
    "broken for ever": ([Fault("cut", FOREVER, at=0)], f"The connection broke while {FOREVER} of org/model was loading"),
    "an error for ever": ([Fault("status", FOREVER, status=503)], STOPPED),
    "cut without parts": ([Fault("cut", FOREVER, at=70_000), Fault("whole")], STOPPED),
    "damaged for ever": (
        [Fault("damage", FOREVER)],
        f"{FOREVER} of org/model arrived damaged twice; get the weights again later.",
    ),
    "shorter than stated": ([Fault("short", FOREVER, at=100_000)], "get the weights again later."),
    "redirected in a circle": ([Fault("elsewhere", FOREVER)], "get the weights again"),
    "a page instead of the metadata": ([Fault("page", "/api/")], "is no model hub"),
    "an error instead of the metadata": (
        [Fault("status", "/api/", status=503)],
        "answered 503 for org/model; get the weights again",
    ),
    "no such model": (
        [Fault("status", "/api/", status=404, headers={"X-Error-Code": "RepoNotFound"})],
        "has no org/model at aaaa",
    ),
    "not signed in": ([Fault("status", "/api/", status=401)], "HF_TOKEN"),
    "forbidden": ([Fault("status", "/resolve/", status=403)], "HF_TOKEN"),
}


@pytest.mark.parametrize("name", LASTING)
def test_lasting_faults_are_one_sentence_with_a_fix_and_leave_no_weights(name: str, hub: Hub, folders: dict[str, Path]) -> None:
    hub.faults, words = LASTING[name]
    hub.faults = [Fault(**{**vars(f), "to": hub.url}) for f in hub.faults]
    assert words in refusal()
    assert ORG.own_folder().parent.is_dir()
    hub.faults = []
    fetch()
    check_complete(folders)


def test_a_server_without_parts_whose_connections_break_here_and_there_is_given_up(hub: Hub) -> None:
    cuts = [Fault("cut", FOREVER, 1, at=(100_000, 60_000)[i % 2]) for i in range(60)]
    hub.faults = [*cuts, Fault("whole")]
    assert STOPPED in refusal()
    assert len(hub.asked(FOREVER)) < 12


def test_a_hub_that_is_not_there_is_named(hub: Hub) -> None:
    hub.stop()
    assert refusal().startswith(f"The hub at {hub.url} cannot be reached from this machine; connect it, or copy a folder")


def test_a_hub_at_a_metadata_address_is_not_asked(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", "http://2852039166/hub")
    assert refusal().startswith("The address in HF_ENDPOINT leads to a link-local or metadata address")
    assert hub.requests == []


def test_offline_mode_says_that_it_is_set(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert "HF_HUB_OFFLINE" in refusal()
    assert hub.requests == []


def test_too_little_room_is_said_before_anything_comes(
    hub: Hub, folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9 - 200_000, 200_000))
    assert refusal() == "org/model needs 0 MB and 0 MB are free; free some space and get it again."
    assert not [r for r in hub.requests if r.file]
    # What came already needs no room any more.
    (partial() / FOREVER).write_bytes((folders[ORG.model] / FOREVER).read_bytes()[:150_000])
    fetch()
    check_complete(folders)


def test_a_data_folder_that_cannot_be_written_is_said(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "file"))
    assert "check the data folder" in refusal()
