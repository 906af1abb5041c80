"""Downloads as jobs and checks of folders, in processes of their own, with a hub on loopback: what is said and what is left."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from components.experiments.jobs import Jobs
from components.methods import weights
from components.methods.weights import FolderCheck
from groundscope.experiments.listing import Listed
from groundscope.methods import registry
from groundscope.models.weights import jobs as downloads
from tests.components.processes import PATIENCE, end_all, scoring_process, until
from tests.hub import Fault, Hub
from tests.loops import each
from tests.scorers import tiny

AT_ONCE = 3.0
FILE = "pytorch_model.bin"
ARRIVED = 90_000
"""Bytes that are on disk for certain when a file stalls after 100,000."""


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
    """Own folders, only this hub, no check of another test; afterwards no process and no thread of this one is left."""
    for name in [n for n in os.environ if n.lower().endswith("_proxy") or n.startswith(("HF_", "HUGGING_FACE_"))]:
        monkeypatch.delenv(name)
    for name, value in {
        "HF_ENDPOINT": hub.url,
        "HF_HOME": str(tmp_path / "hf"),
        "GROUNDSCOPE_DATA": str(tmp_path / "data"),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(weights, "_checks", {})
    hub.faults.clear()
    hub.requests.clear()
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        if thread.name == "worker-reader":
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a process was left running"


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    jobs = Jobs()
    yield jobs
    end_all(jobs)


def problem(check: FolderCheck) -> str:
    until(check.job.future.done)
    return check.problem


def partial(method: str) -> list[Path]:
    name = {"factkb": "FactKB", "context_nli": "deberta"}[method]
    return list(Path(os.environ["GROUNDSCOPE_DATA"]).glob(f"models/**/{name}*.partial/{FILE}"))


def under_way(method: str = "factkb") -> Listed:
    return downloads.under_way()[method]


def stalled(hub: Hub, jobs: Jobs, method: str = "factkb") -> str:
    """A download that got its first 100,000 bytes and then hears nothing more."""
    hub.faults.append(Fault("stall", FILE, at=100_000))
    job = downloads.begin(method)
    jobs.resume(job)
    until(lambda: under_way(method).step and any(p.stat().st_size >= ARRIVED for p in partial(method)))
    return job


def completed(hub: Hub, jobs: Jobs, job: str, method: str = "factkb") -> None:
    """It is resumed inside the file, is done, and then no more a job."""
    hub.faults.clear()
    before = len(hub.asked(FILE))
    jobs.resume(job, under_way(method).started)
    assert jobs.wait(job, PATIENCE)
    assert not downloads.under_way(), jobs.problem(under_way(method))
    assert list(downloads.KIND.folder.files()) == []
    assert registry.load(method).unavailable() == ""
    (asked,) = hub.asked(FILE)[before:]
    assert int(asked.range.removeprefix("bytes=").removesuffix("-")) >= ARRIVED


def test_a_download_whose_server_is_silent_pauses_at_once_and_resumes_where_it_stopped(hub: Hub, jobs: Jobs) -> None:
    job = stalled(hub, jobs)
    assert downloads.begin("factkb") == job
    until(lambda: (step := under_way().step) and downloads.KIND.far(step.done, step.total) == "0.1 of 0.2 MB")
    assert (under_way().name, under_way().about) == ("Weights of FactKB", "factkb")
    began = time.monotonic()
    jobs.stop(job)
    assert jobs.wait(job, AT_ONCE)
    assert time.monotonic() - began < AT_ONCE
    assert (jobs.problem(under_way()), under_way().busy) == ("", False)
    assert registry.load("factkb").unavailable()
    completed(hub, jobs, job)


def test_a_download_that_is_killed_resumes_where_it_stopped(hub: Hub, jobs: Jobs) -> None:
    job = stalled(hub, jobs)
    jobs._processes[job].process.kill()
    assert jobs.wait(job, PATIENCE)
    assert (
        jobs.problem(under_way()) == "Its process ended (memory may have run out). Every result so far is saved; resume the job."
    )
    completed(hub, jobs, job)


def test_a_download_ends_with_the_app_though_its_server_is_silent_and_the_next_app_resumes_it(hub: Hub, jobs: Jobs) -> None:
    job = stalled(hub, jobs)
    stdin = jobs._processes[job].process.stdin
    assert stdin
    stdin.close()
    assert jobs.wait(job, PATIENCE)
    end_all(jobs)
    assert jobs.problem(under_way()) == ""
    completed(hub, jobs, job)


def test_methods_have_a_download_each_and_a_deleted_one_leaves_no_part(hub: Hub, jobs: Jobs) -> None:
    first, second = stalled(hub, jobs), stalled(hub, jobs, "context_nli")
    assert {method: job.id for method, job in downloads.under_way().items()} == {"factkb": first, "context_nli": second}
    jobs.stop(first)
    assert jobs.wait(first, PATIENCE)
    downloads.DOWNLOAD.folder.delete(first)
    assert list(downloads.under_way()) == ["context_nli"]
    assert (partial("factkb"), len(partial("context_nli"))) == ([], 1)


def test_a_download_of_a_method_that_is_no_more_can_be_deleted() -> None:
    job = downloads.begin("factkb")
    with closing(downloads.DOWNLOAD.folder.open(job)) as file:
        file.set_about("plan", {**file.about("plan"), "parts": [["gone", "Gone", "download", True]]})
    downloads.DOWNLOAD.folder.delete(job)
    assert not downloads.under_way()


def test_what_the_hub_refuses_comes_back_as_its_sentence_and_may_be_tried_again(hub: Hub, jobs: Jobs) -> None:
    hub.faults.append(Fault("status", "FactKB", status=403, headers={"X-Error-Code": "GatedRepo"}))
    job = downloads.begin("factkb")
    jobs.resume(job)
    assert jobs.wait(job, PATIENCE)
    said = jobs.problem(under_way())
    assert said.startswith("FactKB failed: The hub hands bunsenfeng/FactKB out to signed-in users who accepted its terms")
    assert said.endswith("Resume to try it again.")
    assert not under_way().done
    hub.faults.clear()
    jobs.resume(job)
    assert jobs.wait(job, PATIENCE)
    assert not downloads.under_way()


@each("path", ["/no/such/folder", "~nobody-of-this-name/x", "/" + "x" * 300])
def test_a_folder_that_cannot_be_used_gives_its_sentence(path: str, hub: Hub) -> None:
    check = weights.begin("factkb", "bunsenfeng/FactKB", path)
    assert weights.begin("factkb", "bunsenfeng/FactKB", "/another") is check
    assert weights.checking("factkb") is check
    assert problem(check).startswith("There is no folder with a config.json at this path")
    assert weights.checking("factkb") is None
    assert hub.requests == []


def test_an_empty_path_goes_back_to_the_usual_places() -> None:
    check = weights.begin("factkb", "bunsenfeng/FactKB", " ")
    assert (problem(check), check.done) == ("", "The default places are used again.")


def test_a_check_of_a_folder_can_be_stopped_and_says_so_where_its_process_died() -> None:
    check = weights.begin("factkb", "bunsenfeng/FactKB", "/no/such/folder")
    weights.cancel("factkb")
    assert problem(check) == "Stopped before the folder was checked."
    check = weights.begin("factkb", "bunsenfeng/FactKB", "/no/such/folder")
    until(lambda: check.worker._children[0])
    scoring_process(check.worker).kill()
    assert problem(check) == "The check of the folder ended (memory may have run out); close other programs and try again."


def test_what_no_one_foresaw_gives_a_sentence_that_names_no_case() -> None:
    """The overlap has no weights to check."""
    assert problem(weights.begin("overlap", "x", "/x")) == "This stopped with AttributeError; try again."
