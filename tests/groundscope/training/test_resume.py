"""A training that is stopped, killed, or finds no room goes on where it was, and ends as if nothing had been."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from groundscope.errors import Cancelled, DataError
from groundscope.training.finetuning import finetune, reports
from groundscope.training.options import Options, TrainingProgress
from tests.groundscope.training.samples import QUICK, easy, noise, stop_at
from tests.groundscope.training.test_training import same

ROOT = Path(__file__).resolve().parents[3]
TRAIN, DEV = noise(30, "t"), noise(12, "dd")
LONG = Options(epochs=3, batch=2, rate=1e-3, longest=64, evaluations=1, patience=9, bf16=False)
"""45 steps: a report every 10, dev and a checkpoint every 15."""


@pytest.fixture(scope="module")
def whole(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model of a training that nothing interrupts."""
    folder = tmp_path_factory.mktemp("whole") / "m"
    finetune(TRAIN, DEV, base, folder, LONG)
    return folder


def stopped(base: Path, folder: Path, step: int, options: Options = LONG) -> None:
    with pytest.raises(Cancelled):
        finetune(TRAIN, DEV, base, folder, options, watch=stop_at(step))


@pytest.mark.parametrize("step", [10, 15])
def test_a_stopped_training_goes_on_from_that_step_to_the_same_weights(
    step: int, base: Path, whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "m"
    stopped(base, folder, step)
    before = reports(folder)
    assert before[-1].step == step
    # As if it had taken a quarter of an hour up to there.
    with (folder / "progress.jsonl").open("a", encoding="utf-8") as out:
        out.write(json.dumps({"step": step, "steps": 45, "seconds": 900.0}) + "\n")
    heard: list[TrainingProgress] = []
    record = finetune(TRAIN, DEV, base, folder, LONG, watch=heard.append)
    assert min(p.step for p in heard) > step
    assert min(p.seconds for p in heard) > 900
    assert record["seconds"] >= heard[-1].seconds
    assert same(folder, whole)
    uninterrupted = json.loads((whole / "model" / "training.json").read_text("utf-8"))
    for name in ("steps", "evaluations", "dev_before", "dev_after", "stopped_early", "train", "dev"):
        assert record[name] == uninterrupted[name], name
    assert sorted(p.name for p in folder.iterdir()) == ["model", "progress.jsonl"]
    # A second call finds it.
    assert finetune(TRAIN, DEV, base, folder, LONG) == record


def test_being_stopped_again_and_again_does_not_keep_it_from_ending(base: Path, tmp_path: Path) -> None:
    options = replace(LONG, epochs=20, batch=6, patience=2, rate=1e-6)
    ended = finetune(TRAIN, DEV, base, tmp_path / "whole", options)
    assert ended["stopped_early"]
    assert ended["steps"] == 15
    for step in (5, 10, 15):
        stopped(base, tmp_path / "m", step, options)
    record = finetune(TRAIN, DEV, base, tmp_path / "m", options)
    assert record["stopped_early"]
    assert record["steps"] <= ended["steps"] + 1
    assert record["dev_after"] == ended["dev_after"]
    assert same(tmp_path / "m", tmp_path / "whole")


def test_a_checkpoint_that_was_being_written_is_not_gone_on_with(base: Path, whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    stopped(base, folder, 20)
    checkpoints = folder / "checkpoints"
    assert (checkpoints / "checkpoint-20").is_dir()
    half = shutil.copytree(checkpoints / "checkpoint-20", checkpoints / "checkpoint-21")
    (half / "trainer_state.json").write_text('{"global_step": 2', encoding="utf-8")
    (half / "optimizer.pt").write_bytes(b"PK")
    bare = checkpoints / "checkpoint-22"
    bare.mkdir()
    (bare / "config.json").write_text("{}", encoding="utf-8")
    heard: list[TrainingProgress] = []
    finetune(TRAIN, DEV, base, folder, LONG, watch=heard.append)
    assert [p.step for p in heard if p.loss is not None] == [30, 40]
    assert same(folder, whole)


CHILD = """
import os, sys, time
from pathlib import Path
import torch
from groundscope.training.finetuning import finetune
from tests.groundscope.training.test_resume import DEV, LONG, TRAIN

def hook(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        print("network", flush=True)

def watch(progress):
    if progress.step >= 20:
        print("at", progress.step, flush=True)
        time.sleep(600)

sys.addaudithook(hook)
torch.set_num_threads(1)
finetune(TRAIN, DEV, Path(sys.argv[1]), Path(sys.argv[2]), LONG, watch=watch)
"""


def test_a_killed_training_goes_on_to_the_same_weights(base: Path, whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    kept = {k: v for k, v in os.environ.items() if k != "HF_HUB_OFFLINE"}
    command = [sys.executable, "-c", CHILD, str(base), str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=kept) as child:
        assert child.stdout is not None
        # Nothing reached for the network up to here: that would have been written first.
        assert child.stdout.readline() == "at 20\n"
        assert reports(folder)[-1].step == 20
        child.send_signal(signal.SIGKILL)
    assert [p.name for p in (folder / "checkpoints").glob("checkpoint-*")] == ["checkpoint-15"]
    heard: list[TrainingProgress] = []
    record = finetune(TRAIN, DEV, base, folder, LONG, watch=heard.append)
    assert [p.step for p in heard if p.loss is not None] == [20, 30, 40]
    assert record["steps"] == 45
    assert same(folder, whole)


@contextmanager
def room(size: int) -> Iterator[None]:
    """No file can grow beyond so many bytes: to a program that is a full disk."""
    signals = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    _, hard = limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, signals)


# The weights of a checkpoint do not fit; they do, but what the optimiser knows does not.
@pytest.mark.parametrize("size", [50_000, 150_000])
def test_a_full_disk_is_reported_in_a_sentence_and_leaves_no_half_a_model(size: int, base: Path, tmp_path: Path) -> None:
    told = r"^The disk is full: the model could not be written\. Free some space and start again; the training resumes\.$"
    with room(size), pytest.raises(DataError, match=told):
        finetune(easy(8, "t"), easy(4, "d"), base, tmp_path / "m", QUICK)
    assert not (tmp_path / "m" / "model" / "training.json").exists()
    finetune(easy(8, "t"), easy(4, "d"), base, tmp_path / "m", QUICK)


def test_a_disk_that_fills_up_later_costs_what_came_after_the_last_checkpoint(base: Path, whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "m"
    stopped(base, folder, 20)
    with room(50_000), pytest.raises(DataError, match="The disk is full"):
        finetune(TRAIN, DEV, base, folder, LONG)
    heard: list[TrainingProgress] = []
    finetune(TRAIN, DEV, base, folder, LONG, watch=heard.append)
    assert [p.step for p in heard if p.loss is not None] == [30, 40]
    assert same(folder, whole)


def test_a_place_that_cannot_be_written_is_reported(base: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(DataError, match=r"The model's folder cannot be written \(Not a directory\); check the folder for models"):
        finetune(easy(8, "t"), easy(4, "d"), base, tmp_path / "file" / "m", LONG)
    with pytest.raises(DataError, match=r"cannot be written \(File name too long\)"):
        finetune(easy(8, "t"), easy(4, "d"), base, tmp_path / ("m" * 300), LONG)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
