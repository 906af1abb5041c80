"""Downloads that are cancelled, killed, doubled or out of disk go on where they stopped."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from groundscope.errors import Cancelled
from groundscope.models.weights import download
from groundscope.runtime.progress import listening
from tests.groundscope.models.weights.fetching import (
    FOREVER,
    ORG,
    SECOND,
    SIZE,
    STOPPED,
    check_complete,
    fetch,
    partial,
    refusal,
    starts,
)
from tests.hub import Fault, Hub

ROOT = Path(__file__).resolve().parents[4]

PATIENCE = 60.0
"""Seconds after which a wait counts as a hang."""


def test_cancelled_in_the_middle_it_goes_on_there(hub: Hub, folders: dict[str, Path]) -> None:
    hub.faults = [Fault("drip", FOREVER, at=20_000, seconds=0.01)]

    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise Cancelled("enough")

    with pytest.raises(Cancelled), listening(stop):
        download.fetch([ORG])
    assert not ORG.own_folder().exists()
    came = (partial() / FOREVER).stat().st_size
    assert SIZE // 3 < came < SIZE
    hub.requests.clear()
    said = fetch()
    check_complete(folders)
    assert [(r.file, r.range) for r in hub.requests if r.file] == [(FOREVER, f"bytes={came}-")]
    assert said[0][0] < said[-1][0]


def test_cancelling_is_heard_while_the_connection_is_down(hub: Hub) -> None:
    hub.faults = [Fault("status", FOREVER, status=503)]
    heard = 0

    def stop(done: int, total: int) -> None:
        nonlocal heard
        heard += len(hub.asked(FOREVER)) >= 2
        if heard:
            raise Cancelled("enough")

    with pytest.raises(Cancelled), listening(stop):
        download.fetch([ORG])
    assert len(hub.asked(FOREVER)) == 2


def test_a_partial_file_of_another_content_is_found_out_and_replaced(hub: Hub, folders: dict[str, Path]) -> None:
    partial().mkdir(parents=True)
    for size in (100_000, SIZE, SIZE + 1):
        (partial() / FOREVER).write_bytes(b"x" * size)
        (partial() / "modeling_old.py").write_text("raise SystemExit")
        fetch()
        check_complete(folders)
        shutil.copytree(ORG.own_folder(), partial())
        shutil.rmtree(ORG.own_folder())


CHILD = """
import os, resource, sys
sys.addaudithook(lambda event, args: os._exit(9) if event == "socket.getaddrinfo" and args[0] != "127.0.0.1" else None)
from groundscope.models.weights import download
from groundscope.models.weights.files import WeightFiles
download._PAUSE = 0.01
if sys.argv[1] != "0":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
try:
    download.fetch([WeightFiles("org/model", "a" * 40)])
except Exception as error:
    print(type(error).__name__, error)
else:
    print("done")
"""


def _child(hub: Hub, limit: int = 0) -> "subprocess.Popen[str]":
    """Another process that fetches, with the hub's address from the environment, as users give it."""
    environment = {**os.environ, "HF_ENDPOINT": hub.url, "HF_HUB_DISABLE_TELEMETRY": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(limit)], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    )


def _until(ready: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not ready():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def test_killed_in_the_middle_it_goes_on_there(hub: Hub, folders: dict[str, Path]) -> None:
    hub.faults = [Fault("drip", FOREVER, at=20_000, seconds=0.05)]
    with _child(hub) as child:
        _until(lambda: _size(partial() / FOREVER) > 60_000)
        child.send_signal(signal.SIGKILL)
        child.wait(PATIENCE)
    assert not ORG.own_folder().exists()
    came = _size(partial() / FOREVER)
    assert 60_000 < came < SIZE
    hub.faults = []
    hub.requests.clear()
    fetch()
    check_complete(folders)
    assert starts(hub) == [came]


def test_of_two_processes_one_downloads_and_the_other_says_so(hub: Hub, folders: dict[str, Path]) -> None:
    hub.faults = [Fault("drip", FOREVER, at=20_000, seconds=0.1)]
    with _child(hub) as child:
        _until(lambda: _size(partial() / FOREVER) > 20_000)
        assert refusal() == "These weights are being downloaded by another window or program; wait for it."
        # The second repository is free, but half a method is of no use.
        assert "being downloaded" in refusal(SECOND, ORG)
        hub.faults[0].seconds = 0.0
        assert child.communicate(timeout=PATIENCE)[0] == "done\n"
    check_complete(folders)
    assert len(hub.asked(FOREVER)) == 1
    fetch(SECOND)


def test_a_full_disk_is_named_and_what_came_is_kept(hub: Hub, folders: dict[str, Path]) -> None:
    with _child(hub, limit=SIZE // 2) as child:
        said = child.communicate(timeout=PATIENCE)[0]
    assert said.startswith("ScorerUnavailable The disk is full; free some space and get the weights again")
    assert said.strip().endswith(STOPPED)
    assert not ORG.own_folder().exists()
    came = _size(partial() / FOREVER)
    assert 0 < came <= SIZE // 2
    fetch()
    check_complete(folders)
    assert starts(hub)[-1] == came
