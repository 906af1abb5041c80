"""Trainings as jobs: what they leave, what a fault or a kill costs, and what deleting one deletes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from groundscope.errors import DataError, StoreError
from groundscope.experiments.listing import listed, one
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import work
from groundscope.training import jobs
from groundscope.training.finetuning import record, reports
from groundscope.training.folders import folder_of, own_models
from groundscope.training.jobs import FOLDER, KIND, TrainingSteps
from groundscope.training.options import Options
from groundscope.training.pairs import LabelledSplits, parts
from tests.groundscope.training.samples import QUICK, labelled
from tests.groundscope.training.test_training import same

ROOT = Path(__file__).resolve().parents[3]
LONG = Options(  # 30 steps, each with a checkpoint
    epochs=30, batch=8, rate=1e-4, longest=64, evaluations=1, patience=99, bf16=False
)
PATIENCE = 120.0


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    return tmp_path


def splits() -> LabelledSplits:
    return parts(labelled(4, 4, 1))


def begun(base: Path, name: str = "own", options: Options = QUICK, cases: LabelledSplits | None = None) -> JobFile:
    plan = jobs.planned(name, "<b>Cases</b>.jsonl", str(base), "paper", options)
    return FOLDER.open(jobs.create(plan, cases or splits()))


def until(happens: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not happens():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def test_a_training_finds_evidence_trains_and_scores_dev(base: Path) -> None:
    file, heard = begun(base), list[str]()
    ended = work(file, TrainingSteps(file, heard.append))
    assert (ended.finished, ended.why) == (True, "")
    made = record(folder_of("own"))
    assert own_models() == ("own",)
    assert made["about"]["Data"] == "<b>Cases</b>.jsonl"
    assert made["options"]["rate"] == QUICK.rate
    assert [row["method"] for row in made["responses"]["beside"]] == ["grounding_classifier:own", "cos_sim:minilm"]
    assert len(heard) == len(made["evaluations"]) > 0
    assert heard[0].startswith("step ")
    assert "dev macro-F1" in heard[0]
    job = one(KIND, file)
    assert (job.done, job.wanted, job.about) == (1, 1, "<b>Cases</b>.jsonl · paper recipe")
    # The command deletes a finished one; the model stays.
    FOLDER.delete(file.id)
    assert own_models() == ("own",)
    with pytest.raises(DataError, match="There is a folder own-folder already"):
        begun(base)
    jobs.discard(folder_of("own"))
    assert own_models() == ()


def test_a_killed_training_goes_on_to_the_same_weights(base: Path, data: Path) -> None:
    whole, killed = begun(base, "whole", LONG), begun(base, "killed", LONG)
    assert work(whole, TrainingSteps(whole)).finished
    FOLDER.delete(whole.id)
    command = [sys.executable, "-m", "groundscope", "resume", killed.id, "--quiet"]
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}, stderr=subprocess.DEVNULL) as process:
        until(lambda: any(p.dev_f1 is not None for p in reports(jobs.place_of(killed.id))))
        process.send_signal(signal.SIGSTOP)
        with pytest.raises(StoreError, match="Another process works on this job"):
            FOLDER.delete(killed.id)
        process.send_signal(signal.SIGKILL)
    assert own_models() == ("whole",)
    reached = [p.step for p in reports(jobs.place_of(killed.id)) if p.dev_f1 is not None]
    assert reached[-1] < LONG.epochs
    assert work(killed, TrainingSteps(killed)).finished
    FOLDER.delete(killed.id)
    assert same(folder_of("killed"), folder_of("whole"))
    assert record(folder_of("killed"))["evaluations"] == record(folder_of("whole"))["evaluations"]
    # Neither copies of the cases nor checkpoints stay.
    assert list((data / "trainings").iterdir()) == []
    assert sorted(p.name for p in folder_of("whole").parent.iterdir()) == ["killed-folder", "whole-folder"]


def test_a_kill_between_the_model_and_the_note_of_it_trains_nothing_again(base: Path) -> None:
    file = begun(base)
    work(file, TrainingSteps(file))
    made = (folder_of("own") / "model.safetensors").stat().st_mtime_ns
    file.forget("model", [jobs._place("model")])
    file.forget("judged", [jobs._place("judged")])
    assert work(file, TrainingSteps(file)).finished
    assert (folder_of("own") / "model.safetensors").stat().st_mtime_ns == made


def test_deleting_a_paused_training_deletes_its_checkpoints_and_one_that_is_being_scored_leaves_the_model(base: Path) -> None:
    file = begun(base)
    jobs.place_of(file.id).mkdir()
    FOLDER.delete(file.id)
    assert list(FOLDER.path.iterdir()) == []
    file = begun(base)
    work(file, TrainingSteps(file))
    file.forget("judged", [jobs._place("judged")])
    FOLDER.delete(file.id)
    assert own_models() == ("own",)


def test_responses_that_cannot_be_scored_cost_the_record_its_figures_alone(base: Path) -> None:
    mute = [replace(c, response=f"{c.response} Yes.") for c in labelled(4, 4, 0)]
    cases = parts(mute)
    # No sound response of dev can be assessed, and its pairs are there already.
    plan = jobs.planned("own", "c", str(base), "paper", QUICK)
    made = tuple(jobs.pairs_of(part, plan.recipe, jobs.embedding(plan.embedder)[0]) for part in (cases.train, cases.dev))
    dev = tuple(replace(c, response="...", errors=()) if c.grounded else c for c in cases.dev)
    file, new = jobs.begin(plan, replace(cases, dev=dev), (made[0], made[1]))
    assert new
    assert work(file, TrainingSteps(file)).finished
    assert "responses" not in record(folder_of("own"))
    assert "could assess no grounded or no ungrounded response of dev" in record(folder_of("own"))["unjudged"]


def test_a_training_that_fails_says_why_and_can_be_resumed(base: Path) -> None:
    file = begun(base)
    weights = (base / "model.safetensors").read_bytes()
    try:
        (base / "model.safetensors").write_bytes(b"")
        ended = work(file, TrainingSteps(file))
    finally:
        (base / "model.safetensors").write_bytes(weights)
    assert not ended.finished
    assert ended.why.startswith("Training failed: The base's weights or its tokenizer cannot be read")
    assert one(KIND, file).why == ended.why
    assert work(file, TrainingSteps(file)).finished


def test_a_name_is_taken_until_its_training_is_deleted(base: Path) -> None:
    file = begun(base)
    assert jobs.names() == {"own"}
    with pytest.raises(DataError, match="There is an unfinished training own; resume it, choose another name, or delete it"):
        begun(base)
    FOLDER.delete(file.id)
    assert jobs.names() == set()
    begun(base)


def test_what_an_earlier_version_began_is_listed_and_left_alone(base: Path, data: Path) -> None:
    request = data / "trainings" / "old"
    (request / "cases").mkdir(parents=True)
    (request / "request.json").write_text("{}", encoding="utf-8")
    half = folder_of("shell").with_name("shell-folder.partial")
    half.mkdir(parents=True)
    file = begun(base)
    jobs.place_of(file.id).mkdir()
    assert jobs.earlier() == [request, half]
    assert ([job.name for job in listed(KIND)[0]], listed(KIND)[1]) == (["own"], [])


def test_another_architecture_of_the_base_is_refused(base: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(base, tmp_path / "other"))
    file = begun(other)
    config = json.loads((other / "config.json").read_text("utf-8"))
    (other / "config.json").write_text(json.dumps({**config, "hidden_act": "relu"}), encoding="utf-8")
    with pytest.raises(StoreError, match="The base has changed since this job began"):
        work(file, TrainingSteps(file))


def test_a_plan_is_read_as_it_was_written(base: Path) -> None:
    plan = jobs.planned(
        "own", "a\udcff  b\n", str(base), "evidence", QUICK, changed={"edits": 1}, fixed=("rate",), out=Path("here")
    )
    assert plan.source == plan.about["Data"] == "a\ufffd b"
    assert plan.folder == Path("here").resolve()
    pairs = ([], [])
    file, new = jobs.begin(plan, splits(), pairs)
    assert new
    assert jobs.plan_of(file) == plan
    assert jobs.begin(plan, splits(), pairs)[1] is False
    with pytest.raises(DataError, match="with other data or options"):
        jobs.begin(replace(plan, options=replace(QUICK, seed=1)), splits(), pairs)


def test_what_cannot_be_kept_is_said(base: Path, data: Path) -> None:
    (data / "trainings").write_text("a file where a folder should be", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be written"):
        begun(base)
