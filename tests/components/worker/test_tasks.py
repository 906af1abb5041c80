"""Downloads and checks of folders in processes of their own, with a hub on loopback: what is said, and what is left running."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from components.worker import tasks
from components.worker.job import Job
from components.worker.process import Worker
from components.worker.tasks import WorkerTask
from tests.components.processes import PATIENCE, scoring_process, until
from tests.hub import Fault, Hub
from tests.loops import each
from tests.scorers import tiny

AT_ONCE = 3.0
FILE = "pytorch_model.bin"
ARRIVED = 90_000
"""Bytes that are on disk for certain when a file stalls after 100,000."""
STOPPED = "Stopped. The download so far is saved, and the next try resumes it."


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    tiny.quiet()
    root = tmp_path_factory.mktemp("hub")
    factkb, tokenizer = tiny.roberta(root / "factkb", root / "roberta-base")
    nli = tiny.deberta(root / "nli", 2)
    served = {"bunsenfeng/FactKB": factkb, "roberta-base": tokenizer, "potsawee/deberta-v3-large-mnli": nli}
    with Hub(served) as hub:
        yield hub


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, hub: Hub) -> Iterator[None]:
    """Own folders, only this hub, no task of another test; afterwards no process and no thread of this one is left."""
    for name in [n for n in os.environ if n.lower().endswith("_proxy") or n.startswith(("HF_", "HUGGING_FACE_"))]:
        monkeypatch.delenv(name)
    for name, value in {
        "HF_ENDPOINT": hub.url,
        "HF_HOME": str(tmp_path / "hf"),
        "GROUNDSCOPE_DATA": str(tmp_path / "data"),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(tasks, "_tasks", {})
    hub.faults.clear()
    hub.requests.clear()
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        if thread.name == "worker-reader":
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a process was left running"


def ended(task: WorkerTask) -> tuple[str, str]:
    until(lambda: task.outcome)
    assert task.outcome
    return task.outcome


def partial(method: str) -> list[Path]:
    name = {"factkb": "FactKB", "context_nli": "deberta"}[method]
    return list(Path(os.environ["GROUNDSCOPE_DATA"]).glob(f"models/*/{name}*.partial/{FILE}"))


def stalled(hub: Hub, method: str = "factkb") -> WorkerTask:
    """A download that got its first 100,000 bytes and then hears nothing more."""
    hub.faults.append(Fault("stall", FILE, at=100_000))
    task = tasks.begin(method, "fetch")
    until(lambda: task.outcome or (task.job.total and any(p.stat().st_size >= ARRIVED for p in partial(method))))
    assert task.outcome is None
    return task


def test_a_stalled_download_is_cancelled_at_once_and_the_next_one_goes_on_from_there(hub: Hub) -> None:
    task = stalled(hub)
    assert tasks.current_task("factkb") is task
    assert task.outcome is None
    assert task.short == "Downloading"
    assert task.words.endswith(" of 0.2 MB")
    assert 0.0 <= task.job.share < 0.6
    began = time.monotonic()
    tasks.cancel("factkb")
    assert ended(task) == ("The weights are installed and checked.", STOPPED)
    assert time.monotonic() - began < AT_ONCE
    assert tasks.current_task("factkb") is None
    hub.faults.clear()
    again = tasks.begin("factkb", "fetch")
    assert again is not task
    assert ended(again) == ("The weights are installed and checked.", "")
    first, second = (r.range for r in hub.asked(FILE))
    assert first == ""
    assert int(second.removeprefix("bytes=").removesuffix("-")) >= ARRIVED
    assert again.words == "Download complete; loading and checking"


def test_two_methods_have_a_task_each_and_who_begins_what_is_under_way_gets_the_same_one(hub: Hub) -> None:
    first = stalled(hub)
    assert tasks.begin("factkb", "fetch") is first
    assert tasks.begin("factkb", "accept", "bunsenfeng/FactKB", "/some/folder") is first
    assert len(hub.asked(FILE)) == 1
    second = stalled(hub, "context_nli")
    tasks.cancel("factkb")
    assert ended(first)[1] == STOPPED
    assert tasks.current_task("context_nli") is second
    assert second.outcome is None
    tasks.cancel("context_nli")
    assert ended(second)[1] == STOPPED


def test_a_process_that_died_leaves_a_sentence_and_the_next_try_works(hub: Hub) -> None:
    task = stalled(hub)
    scoring_process(task.worker).kill()
    problem = ended(task)[1]
    assert problem == "The download ended (memory may have run out); download the weights again to resume."
    # What ended is not in the way, whether or not somebody has seen it.
    again = tasks.begin("factkb", "fetch")
    assert again is not task
    tasks.cancel("factkb")
    assert ended(again)[1] == STOPPED


def test_what_the_hub_refuses_comes_back_as_its_sentence(hub: Hub) -> None:
    hub.faults.append(Fault("status", "FactKB", status=403, headers={"X-Error-Code": "GatedRepo"}))
    task = tasks.begin("factkb", "fetch")
    assert "signed-in users who accepted its terms" in ended(task)[1]
    tasks.cancel("factkb")
    assert not task.cancelled, "what has ended cannot be stopped"


@each("path", ["/no/such/folder", "~nobody-of-this-name/x", "/" + "x" * 300])
def test_a_folder_that_cannot_be_used_gives_its_sentence(path: str, hub: Hub) -> None:
    task = tasks.begin("factkb", "accept", "bunsenfeng/FactKB", path)
    assert (task.short, task.words) == ("Checking a folder", "Loading and checking the folder")
    assert ended(task)[1].startswith("There is no folder with a config.json at this path")
    assert hub.requests == []


def test_what_no_one_foresaw_gives_a_sentence_that_names_no_case() -> None:
    """The overlap has no weights to fetch."""
    assert ended(tasks.begin("overlap", "fetch"))[1] == "This stopped with AttributeError; try again."


def test_an_empty_path_goes_back_to_the_usual_places(hub: Hub) -> None:
    task = tasks.begin("factkb", "accept", "bunsenfeng/FactKB", " ")
    assert ended(task) == ("The default places are used again.", "")


def test_a_check_of_a_folder_can_be_stopped() -> None:
    task = tasks.begin("factkb", "accept", "bunsenfeng/FactKB", "/no/such/folder")
    tasks.cancel("factkb")
    assert ended(task)[1] == "Stopped before the folder was checked."


def test_the_words_tell_how_far_it_is_and_the_time_left_once_that_can_be_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(tasks, "time", SimpleNamespace(monotonic=lambda: now))
    job = Job(1, "fetch")
    task = WorkerTask("fetch", "", Worker(), job)
    assert (task.words, task.job.share) == ("Asking for it", 0.0)
    # An earlier try brought 100 MB: the speed is that of this one.
    job.done, job.total = 100_000_000, 500_000_000
    assert (task.words, task.job.share) == ("100.0 of 500.0 MB", 0.2)
    now, job.done = 1002.0, 104_000_000
    assert task.words == "104.0 of 500.0 MB"
    now, job.done = 1010.0, 120_000_000
    assert task.words == "120.0 of 500.0 MB, about 3 min left"
    now, job.done = 1100.0, 300_000_000
    assert task.words == "300.0 of 500.0 MB, about 2 min left"
    now, job.done = 1150.0, 400_000_000
    assert task.words == "400.0 of 500.0 MB, about 50 s left"
    job.done = 500_000_000
    assert (task.words, task.job.share) == ("Download complete; loading and checking", 1.0)
