"""`methods --get`: a download is a job, which pauses while the hub is silent, and is resumed or deleted as any other."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.groundscope.commands.conftest import Shell, narrow
from tests.hub import Fault, Hub
from tests.scorers import tiny

FILE = "pytorch_model.bin"
PATIENCE = 120.0


@pytest.fixture
def hub(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    tiny.quiet()
    for name in [n for n in os.environ if n.lower().endswith("_proxy") or n.startswith(("HF_", "HUGGING_FACE_"))]:
        monkeypatch.delenv(name)
    factkb, tokenizer = tiny.roberta(tmp_path / "factkb", tmp_path / "roberta-base")
    with Hub({"bunsenfeng/FactKB": factkb, "roberta-base": tokenizer}) as hub:
        shell.environment.update(HF_ENDPOINT=hub.url, HF_HOME=str(tmp_path / "hf"))
        yield hub


def partial(shell: Shell) -> list[Path]:
    return list((shell.home / "data" / "models").glob(f"**/*.partial/{FILE}"))


def paused(shell: Shell, hub: Hub) -> str:
    """The id of a download that was stopped while the hub was silent."""
    hub.faults.append(Fault("stall", FILE, at=100_000))
    child = shell.start("methods", "--get", "factkb")
    until = time.monotonic() + PATIENCE
    while not any(path.stat().st_size >= 90_000 for path in partial(shell)):
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < until
        time.sleep(0.05)
    # Progress is noted twice a second.
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=10)
    assert (child.returncode, out) == (3, b""), err
    hub.faults.clear()
    (job,) = (path.stem for path in (shell.home / "data" / "downloads").glob("*.sqlite"))
    why, on = err.decode().splitlines()[-2:]
    assert why == "Paused. All results so far are saved; you can resume at any time."
    assert on == f"To resume: python -m groundscope resume {job}"
    return job


def test_a_download_that_is_stopped_is_listed_and_resumed_inside_its_file(shell: Shell, hub: Hub) -> None:
    job = paused(shell, hub)
    (row,) = narrow(shell.done("jobs").out).splitlines()[2:]
    assert row == f"{job}  download  Weights of FactKB  paused  FactKB, 0.1 of 0.2 MB  0"
    assert f"resume the download without --out {shell.home / 'w'}" in shell.refuses("resume", job, "--out", shell.home / "w")
    said = shell.child("methods", "--get", "factkb")
    assert (said.code, said.out) == (0, ""), said.err
    assert said.err.splitlines()[0] == f"Job {job}: Weights of FactKB"
    assert said.err.splitlines()[-1] == "FactKB is ready."
    first, second = (r.range for r in hub.asked(FILE))
    assert (first, second[:6]) == ("", "bytes=")
    assert shell.done("jobs").out == ""
    assert shell.child("methods", "--get", "factkb").err.splitlines()[-1] == "FactKB is ready."


def test_a_download_that_is_deleted_leaves_no_part(shell: Shell, hub: Hub) -> None:
    job = paused(shell, hub)
    assert len(partial(shell)) == 1
    assert shell.done("delete", job).err == f"{job} is deleted.\n"
    assert partial(shell) == []
    assert shell.done("jobs").out == ""


def test_what_needs_no_weights_is_no_download(shell: Shell) -> None:
    assert shell.refuses("methods", "--get", "quip") == "quip needs no weights.\n"
    assert shell.done("jobs").out == ""
